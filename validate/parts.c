/* The parts of a result beside its bytes: dependencies, edges, messages. */
#include <string.h>

#include "cook/deps/dep.h"
#include "cook/worker/session.h"
#include "validate/validate.h"

#define MAX_LINES 20

/* ---- dependencies ---- */

static void mark_bundle(const struct cook_state *state, uint32_t bundle, uint8_t *marks, uint8_t bit)
{
    const struct cook_state_bundle *b = &state->bundles[bundle];
    for (uint32_t i = 0; i < b->count; i++) {
        const struct cook_state_set *set = &state->sets[state->ids[b->first + i]];
        for (uint32_t k = 0; k < set->count; k++)
            marks[state->ids[set->first + k]] |= bit;
    }
}

/* Name what only one of the two recorded; false when they are the same after all. */
static bool compare_dependencies(const struct cook_state *state, uint32_t kept, uint32_t recooked,
                                 struct cook_buf *out)
{
    uint8_t *marks = cook_calloc((size_t)state->deps_count + 1, 1);
    unsigned lines = 0;
    bool differ = false;
    if (!marks)
        return true;
    mark_bundle(state, kept, marks, 1);
    mark_bundle(state, recooked, marks, 2);
    for (uint32_t i = 0; i < state->deps_count; i++) {
        if (marks[i] == 0 || marks[i] == 3)
            continue;
        differ = true;
        if (lines++ < MAX_LINES)
            cook_buf_printf(out, "dependency %s only by the %s: %s %s\n", "recorded",
                            marks[i] == 1 ? "kept result" : "recook",
                            cook_dep_kind_text(state->deps[i].kind),
                            cook_state_text(state, state->deps[i].args));
    }
    cook_free(marks);
    return differ;
}

/* ---- edges ---- */

static bool compare_edges(const struct cook_state *state, uint32_t edges,
                          const struct cook_result *result, struct cook_buf *out)
{
    struct cook_arena arena = COOK_ARENA_INIT;
    struct cook_intern kept = COOK_INTERN_INIT;
    size_t size = 0;
    const uint8_t *blob = NULL;
    if (edges)
        blob = cook_state_blob(state, edges, &size);
    struct cook_reader_buf in = cook_read_init(blob, size);
    size_t count = size ? cook_read_count(&in, 3) : 0;
    bool differ = count != result->hard_count + result->soft_count;
    for (size_t i = 0; i < count; i++) {
        uint8_t kind = cook_read_u8(&in);
        (void)cook_read_varint(&in);
        const char *path = cook_read_string(&in, &arena);
        char *text = cook_arena_printf(&arena, "%s %s", kind == COOK_EDGE_HARD ? "hard" : "soft",
                                       path);
        if (text)
            (void)cook_intern_add(&kept, text);
    }
    for (size_t i = 0; i < result->hard_count + result->soft_count; i++) {
        bool hard = i < result->hard_count;
        const char *path = hard ? result->hard[i] : result->soft[i - result->hard_count];
        char *text = cook_arena_printf(&arena, "%s %s", hard ? "hard" : "soft", path);
        if (text && cook_intern_find(&kept, text) == COOK_INTERN_NONE) {
            differ = true;
            cook_buf_printf(out, "runtime reference only of the recook: %s\n", text);
        }
    }
    if (differ && count > result->hard_count + result->soft_count)
        cook_buf_printf(out, "the kept result has %zu runtime references, the recook %zu\n", count,
                        result->hard_count + result->soft_count);
    cook_intern_finish(&kept);
    cook_arena_finish(&arena);
    return differ;
}

/* ---- messages ---- */

static bool has_message(const struct cook_messages *messages, const char *text)
{
    for (size_t i = 0; i < messages->count; i++)
        if (strcmp(messages->items[i].text, text) == 0)
            return true;
    return false;
}

static void print_missing(struct cook_buf *out, const struct cook_messages *of,
                          const struct cook_messages *in, const char *whose)
{
    unsigned lines = 0;
    for (size_t i = 0; i < of->count && lines < MAX_LINES; i++) {
        if (has_message(in, of->items[i].text))
            continue;
        cook_buf_printf(out, "logged only by the %s: %s\n", whose, of->items[i].text);
        lines++;
    }
}

static void explain_messages(const void *kept, size_t kept_size, const struct cook_buf *now,
                             struct cook_buf *out)
{
    struct cook_messages old = { 0 };
    struct cook_messages new = { 0 };
    struct cook_reader_buf old_in = cook_read_init(kept, kept_size);
    struct cook_reader_buf new_in = cook_read_init(now->data, now->size);
    size_t before = out->size;
    if ((!kept_size || cook_messages_decode(&old, &old_in) == COOK_OK) &&
        (!now->size || cook_messages_decode(&new, &new_in) == COOK_OK)) {
        print_missing(out, &old, &new, "kept result");
        print_missing(out, &new, &old, "recook");
    }
    if (out->size == before)
        cook_buf_printf(out, "the recook logs its messages in another order or number\n");
    cook_messages_finish(&old);
    cook_messages_finish(&new);
}

static bool compare_messages(const struct cook_state *state, uint32_t messages,
                             const struct cook_result *result, struct cook_buf *out)
{
    struct cook_buf now = COOK_BUF_INIT;
    size_t size = 0;
    const uint8_t *kept = NULL;
    if (messages)
        kept = cook_state_blob(state, messages, &size);
    bool differ = cook_intake_messages(result, &now, NULL) != COOK_OK || now.size != size ||
                  (size && memcmp(now.data, kept, size) != 0);
    if (differ)
        explain_messages(kept, size, &now, out);
    cook_buf_finish(&now);
    return differ;
}

/* ---- additional files and artifact parts ---- */

static const struct cook_details_file *find_file(const struct cook_details *details,
                                                 const char *name)
{
    for (size_t i = 0; i < details->file_count; i++)
        if (strcmp(details->files[i].name, name) == 0)
            return &details->files[i];
    return NULL;
}

static bool compare_files(const struct cook_details *kept, const struct cook_details *recooked,
                          struct cook_buf *out)
{
    bool differ = false;
    for (size_t i = 0; i < kept->file_count; i++) {
        const struct cook_details_file *now = find_file(recooked, kept->files[i].name);
        if (now && cook_hash_equal(now->hash, kept->files[i].hash))
            continue;
        differ = true;
        cook_buf_printf(out, now ? "additional file %s differs\n"
                                 : "additional file only of the kept result: %s\n",
                        kept->files[i].name);
    }
    for (size_t i = 0; i < recooked->file_count; i++) {
        if (find_file(kept, recooked->files[i].name))
            continue;
        differ = true;
        cook_buf_printf(out, "additional file only of the recook: %s\n", recooked->files[i].name);
    }
    return differ;
}

/* Name the artifacts whose part is another; `kept` is a blob that may be gone. */
static void name_artifacts(struct cook_run *run, struct cook_hash kept,
                           const struct cook_result *result, struct cook_buf *out)
{
    struct cook_buf bytes = COOK_BUF_INIT;
    if (!cook_hash_is_zero(kept) && cook_store_get_blob(run->store, &bytes, kept, NULL) != COOK_OK)
        cook_buf_clear(&bytes);
    for (size_t i = 0; i < run->hello.artifact_count; i++) {
        const char *name = run->hello.artifacts[i].name;
        size_t old_size;
        size_t new_size;
        const uint8_t *old = cook_parts_find(bytes.data, bytes.size, name, &old_size);
        const uint8_t *new = cook_parts_find(result->parts, result->parts_size, name, &new_size);
        if (old_size != new_size || (old && new && memcmp(old, new, old_size) != 0))
            cook_buf_printf(out, "its part of the artifact %s differs\n", name);
    }
    cook_buf_finish(&bytes);
}

static uint32_t compare_details(struct cook_run *run, uint32_t offset,
                                const struct cook_result *result, struct cook_buf *out)
{
    struct cook_arena arena = COOK_ARENA_INIT;
    struct cook_details kept;
    struct cook_details recooked;
    uint32_t parts = 0;
    size_t size = 0;
    const uint8_t *blob = offset ? cook_state_blob(run->state, offset, &size) : NULL;
    if (cook_details_decode(&kept, blob, size, &arena) != COOK_OK ||
        cook_intake_details(&recooked, NULL, result, &arena, NULL) != COOK_OK) {
        cook_arena_finish(&arena);
        return VALIDATE_FILES;
    }
    if (compare_files(&kept, &recooked, out))
        parts |= VALIDATE_FILES;
    if (!cook_hash_equal(kept.parts, recooked.parts)) {
        parts |= VALIDATE_ARTIFACTS;
        name_artifacts(run, kept.parts, result, out);
    }
    cook_arena_finish(&arena);
    return parts;
}

uint32_t validate_compare_parts(struct validate *validate, const struct validate_kept *kept,
                                const struct cook_result *result, uint32_t bundle,
                                const char **detail)
{
    const struct cook_state *state = validate->run->state;
    struct cook_buf text = COOK_BUF_INIT;
    uint32_t parts = 0;
    if (bundle != kept->package.bundle &&
        compare_dependencies(state, kept->package.bundle, bundle, &text))
        parts |= VALIDATE_DEPENDENCIES;
    if (compare_edges(state, kept->package.edges, result, &text))
        parts |= VALIDATE_EDGES;
    if (compare_messages(state, kept->result.messages, result, &text))
        parts |= VALIDATE_MESSAGES;
    parts |= compare_details(validate->run, kept->result.details, result, &text);
    *detail = parts ? cook_arena_strdup(&validate->arena, cook_buf_text(&text)) : NULL;
    cook_buf_finish(&text);
    return parts;
}
