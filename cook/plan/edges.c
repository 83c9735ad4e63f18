/* Runtime edges of a kept result: reference paths with the packages they resolved to. */
#include <string.h>

#include "cook/plan/run.h"

/* Encoding: varint count of edges; per edge: u8 kind (enum cook_edge), varint package id + 1 (0: nothing
 * resolved), the path, so that an edge to something that appears later can be resolved then. Then the
 * record of what scopes hid (bytes, empty for none), and the edges that lead nowhere (bytes: u8 kind, path,
 * one after another): the null path never reads that far. */

static void put_edges(struct cook_run *run, struct cook_buf *out, enum cook_edge kind,
                      const char *const *paths, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        struct cook_arena arena = COOK_ARENA_INIT;
        struct cook_resolved resolved = cook_registry_resolve(run->state, paths[i], &arena);
        bool known = resolved.package != COOK_ID_NONE && resolved.inner;
        cook_buf_put_u8(out, (uint8_t)kind);
        cook_buf_put_varint(out, known ? (uint64_t)resolved.package + 1 : 0);
        cook_buf_put_string(out, paths[i]);
        cook_arena_finish(&arena);
    }
}

uint32_t cook_edges_add(struct cook_run *run, const struct cook_result *result)
{
    if (result->hard_count + result->soft_count == 0 && result->unrecorded_size == 0 &&
        result->recorded_size == 0)
        return 0;
    struct cook_buf out = COOK_BUF_INIT;
    cook_buf_put_varint(&out, result->hard_count + result->soft_count);
    put_edges(run, &out, COOK_EDGE_HARD, result->hard, result->hard_count);
    put_edges(run, &out, COOK_EDGE_SOFT, result->soft, result->soft_count);
    cook_buf_put_bytes(&out, result->unrecorded, result->unrecorded_size);
    cook_buf_put_bytes(&out, result->recorded, result->recorded_size);
    /* Without its edges a result would lead nowhere from now on: the next commit refuses it. */
    if (out.failed)
        run->state->failed = COOK_E_NO_MEMORY;
    uint32_t offset = out.failed ? 0 : cook_state_add_blob(run->state, out.data, out.size);
    cook_buf_finish(&out);
    return offset;
}

static uint32_t resolve_again(struct cook_run *run, const uint8_t *text, size_t size)
{
    struct cook_arena arena = COOK_ARENA_INIT;
    const char *path = cook_arena_strndup(&arena, (const char *)text, size);
    uint32_t package = COOK_ID_NONE;
    if (path) {
        struct cook_resolved resolved = cook_registry_resolve(run->state, path, &arena);
        package = resolved.package;
    }
    cook_arena_finish(&arena);
    return package;
}

/*
 * Whether an edge still leads where it led when it was kept. A hard reference that did not would have
 * changed its package's key. A path that names an object may be the name of a package by now.
 */
static bool edge_stands(const struct cook_state *state, enum cook_edge kind, uint64_t id,
                        const uint8_t *path, size_t length)
{
    if (id == 0 || id > state->packages_count ||
        !(state->packages[id - 1].flags & COOK_PACKAGE_PRESENT))
        return false;
    const char *name = cook_state_text(state, state->packages[id - 1].name);
    return kind == COOK_EDGE_HARD || (strlen(name) == length && memcmp(name, path, length) == 0);
}

enum cook_status cook_edges_targets(struct cook_run *run, uint32_t package, uint32_t **targets,
                                    size_t *count, struct cook_arena *arena)
{
    const struct cook_state *state = run->state;
    size_t size;
    *count = 0;
    *targets = NULL;
    if (!state->packages[package].edges)
        return COOK_OK;
    const uint8_t *blob = cook_state_blob(state, state->packages[package].edges, &size);
    struct cook_reader_buf in = cook_read_init(blob, size);
    size_t edges = cook_read_count(&in, 3);
    *targets = cook_arena_alloc(arena, (edges + 1) * sizeof(**targets));
    if (!*targets)
        return COOK_E_NO_MEMORY;
    for (size_t i = 0; i < edges && !in.failed; i++) {
        enum cook_edge kind = (enum cook_edge)cook_read_u8(&in);
        uint64_t id = cook_read_varint(&in);
        size_t length;
        const uint8_t *text = cook_read_bytes(&in, &length);
        uint32_t target = COOK_ID_NONE;
        if (!in.failed && edge_stands(state, kind, id, text, length))
            target = (uint32_t)(id - 1);
        else if (!in.failed)
            target = resolve_again(run, text, length);
        if (target != COOK_ID_NONE)
            (*targets)[(*count)++] = target;
    }
    return COOK_OK;
}

enum cook_status cook_edges_read(struct cook_edge_row **edges, size_t *count,
                                 const struct cook_state *state, uint32_t package,
                                 struct cook_arena *arena)
{
    size_t size;
    *count = 0;
    *edges = NULL;
    if (!state->packages[package].edges)
        return COOK_OK;
    const uint8_t *blob = cook_state_blob(state, state->packages[package].edges, &size);
    struct cook_reader_buf in = cook_read_init(blob, size);
    size_t rows = cook_read_count(&in, 3);
    *edges = cook_arena_alloc(arena, (rows + 1) * sizeof(**edges));
    if (!*edges)
        return COOK_E_NO_MEMORY;
    for (size_t i = 0; i < rows && !in.failed; i++) {
        struct cook_edge_row *row = &(*edges)[*count];
        row->kind = (enum cook_edge)cook_read_u8(&in);
        uint64_t id = cook_read_varint(&in);
        row->path = cook_read_string(&in, arena);
        row->package = id && id <= state->packages_count ? (uint32_t)(id - 1) : COOK_ID_NONE;
        *count += !in.failed;
    }
    return COOK_OK;
}

struct cook_reader_buf cook_edges_hidden(const struct cook_state *state, uint32_t package)
{
    uint32_t offset = state->packages[package].edges;
    size_t size = 0;
    const uint8_t *blob = offset ? cook_state_blob(state, offset, &size) : NULL;
    struct cook_reader_buf in = cook_read_init(blob, size);
    size_t length = 0;
    for (size_t edges = size ? cook_read_count(&in, 3) : 0; edges && !in.failed; edges--) {
        (void)cook_read_u8(&in);
        (void)cook_read_varint(&in);
        (void)cook_read_bytes(&in, &length);
    }
    const uint8_t *record = size && !in.failed ? cook_read_bytes(&in, &length) : NULL;
    return cook_read_init(record && !in.failed ? record : NULL, record && !in.failed ? length : 0);
}
