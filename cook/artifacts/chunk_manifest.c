/* Chunk manifests: see builtin.h for the files. The plan makes the parts, as only it knows
 * how the packages of a cook hang together. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cook/artifacts/builtin.h"
#include "cook/artifacts/fold.h"

#define VERSION 1u

void cook_chunk_part_encode(const struct cook_chunk_part *part, struct cook_buf *out)
{
    cook_buf_put_varint(out, part->chunk_count);
    for (size_t i = 0; i < part->chunk_count; i++)
        cook_buf_put_varint(out, part->chunks[i]);
    cook_buf_put_hash(out, part->bytes);
    cook_buf_put_varint(out, part->size_bytes);
    cook_buf_put_varint(out, part->details->file_count);
    for (size_t i = 0; i < part->details->file_count; i++) {
        cook_buf_put_string(out, part->details->files[i].name);
        cook_buf_put_hash(out, part->details->files[i].hash);
        cook_buf_put_varint(out, part->details->files[i].size_bytes);
    }
}

/* ---- the files ---- */

struct line {
    uint64_t chunk;
    const char *path;
    struct cook_hash hash;
    uint64_t size_bytes;
};
struct lines {
    struct line *items;
    size_t count;
    size_t capacity;
    struct cook_arena arena;
    bool failed;
};

static void add_line(struct lines *lines, uint64_t chunk, const char *path,
                     struct cook_hash hash, uint64_t size_bytes)
{
    if (!path ||
        !cook_grow(&lines->items, &lines->capacity, lines->count + 1, sizeof(*lines->items))) {
        lines->failed = true;
        return;
    }
    lines->items[lines->count++] = (struct line){ chunk, path, hash, size_bytes };
}

static void add_package(struct lines *lines, const char *name,
                        const struct cook_part_entry *part)
{
    struct cook_reader_buf in = cook_read_init(part->bytes, part->size);
    const char *place = name[0] == '/' ? name + 1 : name;
    size_t chunk_count = cook_read_count(&in, 1);
    uint64_t *chunks = cook_arena_alloc(&lines->arena, (chunk_count + 1) * sizeof(*chunks));
    if (!chunks) {
        lines->failed = true;
        return;
    }
    for (size_t i = 0; i < chunk_count; i++)
        chunks[i] = cook_read_varint(&in);
    struct cook_hash hash = cook_read_hash(&in);
    uint64_t size_bytes = cook_read_varint(&in);
    const char *path = cook_arena_printf(&lines->arena, "%s.cooked", place);
    for (size_t i = 0; i < chunk_count; i++)
        add_line(lines, chunks[i], path, hash, size_bytes);
    size_t file_count = cook_read_count(&in, 18);
    for (size_t k = 0; k < file_count; k++) {
        const char *file = cook_read_string(&in, &lines->arena);
        hash = cook_read_hash(&in);
        size_bytes = cook_read_varint(&in);
        path = cook_arena_printf(&lines->arena, "%s.files/%s", place, file);
        for (size_t i = 0; i < chunk_count; i++)
            add_line(lines, chunks[i], path, hash, size_bytes);
    }
    lines->failed |= !cook_read_at_end(&in);
}

static int compare_lines(const void *a, const void *b)
{
    const struct line *x = a;
    const struct line *y = b;
    if (x->chunk != y->chunk)
        return x->chunk < y->chunk ? -1 : 1;
    return strcmp(x->path, y->path);
}

static enum cook_status put_chunk(struct cook_fold *fold, const struct line *lines,
                                  size_t count)
{
    struct cook_buf out = COOK_BUF_INIT;
    char name[64];
    (void)snprintf(name, sizeof(name), "Chunk%llu.manifest",
                   (unsigned long long)lines[0].chunk);
    cook_buf_printf(&out, COOK_CHUNK_HEAD "%llu\n", (unsigned long long)lines[0].chunk);
    for (size_t i = 0; i < count; i++) {
        char hash[COOK_HASH_TEXT_SIZE];
        cook_hash_to_text(lines[i].hash, hash);
        cook_buf_printf(&out, "%s %llu %s\n", hash, (unsigned long long)lines[i].size_bytes,
                        lines[i].path);
    }
    enum cook_status status = out.failed ? COOK_E_NO_MEMORY : COOK_OK;
    cook_fold_put_file(fold, name, out.data, out.size);
    cook_buf_finish(&out);
    return status;
}

static enum cook_status finish(void *user, struct cook_fold *fold)
{
    struct cook_part_map *map = user;
    struct lines lines = { .arena = COOK_ARENA_INIT };
    struct cook_buf state = COOK_BUF_INIT;
    enum cook_status status = cook_part_map_encode(map, &state);
    if (status == COOK_OK)
        cook_fold_put_state(fold, state.data, state.size);
    cook_buf_finish(&state);
    for (uint32_t i = 0; i < map->names.count; i++)
        if (map->entries[i].present)
            add_package(&lines, cook_intern_text(&map->names, i), &map->entries[i]);
    if (status == COOK_OK && lines.failed)
        status = COOK_E_NO_MEMORY;
    if (status == COOK_OK && lines.count)
        qsort(lines.items, lines.count, sizeof(*lines.items), compare_lines);
    for (size_t i = 0; status == COOK_OK && i < lines.count;) {
        size_t end = i + 1;
        while (end < lines.count && lines.items[end].chunk == lines.items[i].chunk)
            end++;
        status = put_chunk(fold, &lines.items[i], end - i);
        i = end;
    }
    cook_free(lines.items);
    cook_arena_finish(&lines.arena);
    return status;
}

const struct cook_artifact cook_chunk_artifact = {
    .name = COOK_CHUNK_ARTIFACT,
    .version = VERSION,
    .begin = cook_part_map_fold_begin,
    .add = cook_part_map_fold_add,
    .remove = cook_part_map_fold_remove,
    .finish = finish,
    .release = cook_part_map_fold_release,
};

const struct cook_artifact *const *cook_builtin_artifacts(void)
{
    static const struct cook_artifact *const all[] = { &cook_asset_registry_artifact,
                                                       &cook_chunk_artifact,
                                                       &cook_shader_library_artifact, NULL };
    return all;
}
