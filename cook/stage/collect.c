/* What is to be staged: the chunk manifests of the latest cook, and its artifacts in chunk 0.
 * */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "cook/artifacts/builtin.h"
#include "cook/stage/stage.h"
#include "cook/store/outputs.h"

#define COOKS 50 /* to look back */

static enum cook_status no_memory(struct cook_error *error)
{
    return cook_error_set(error, COOK_E_NO_MEMORY, "out of memory to stage");
}

static struct cook_stage_chunk *add_chunk(struct cook_stage *stage, uint32_t chunk)
{
    for (size_t i = 0; i < stage->chunk_count; i++)
        if (stage->chunks[i].chunk == chunk)
            return &stage->chunks[i];
    if (!cook_grow(&stage->chunks, &stage->chunk_capacity, stage->chunk_count + 1,
                   sizeof(*stage->chunks)))
        return NULL;
    stage->chunks[stage->chunk_count] = (struct cook_stage_chunk){ .chunk = chunk };
    return &stage->chunks[stage->chunk_count++];
}

static bool add_file(struct cook_stage_chunk *chunk, const char *path, struct cook_hash hash,
                     uint64_t size_bytes)
{
    if (!path || !cook_grow(&chunk->files, &chunk->file_capacity, chunk->file_count + 1,
                            sizeof(*chunk->files)))
        return false;
    chunk->files[chunk->file_count++] = (struct cook_stage_file){ path, hash, size_bytes };
    chunk->size_bytes += size_bytes;
    size_t length = strlen(path);
    chunk->package_count += length > 7 && strcmp(path + length - 7, ".cooked") == 0;
    return true;
}

static enum cook_status malformed(struct cook_error *error)
{
    return cook_error_set(error, COOK_E_DAMAGED,
                          "a chunk manifest is malformed; run: cook full");
}

/* "HASH SIZE PATH", ended by a NUL. */
static enum cook_status take_line(struct cook_stage *stage, struct cook_stage_chunk *chunk,
                                  char *line, struct cook_error *error)
{
    struct cook_hash hash;
    char *size = strchr(line, ' ');
    char *end;
    if (!size)
        return malformed(error);
    *size++ = '\0';
    errno = 0;
    unsigned long long bytes = strtoull(size, &end, 10);
    if (!cook_hash_from_text(&hash, line) || errno || end == size || *end != ' ' || !end[1])
        return malformed(error);
    return add_file(chunk, cook_arena_strdup(&stage->arena, end + 1), hash, bytes)
               ? COOK_OK
               : no_memory(error);
}

static enum cook_status take_manifest(struct cook_stage *stage, char *text,
                                      struct cook_error *error)
{
    static const char title[] = "cookproof chunk ";
    char *end;
    char *line_end = strchr(text, '\n');
    if (!line_end || strncmp(text, title, sizeof(title) - 1) != 0)
        return malformed(error);
    unsigned long number = strtoul(text + sizeof(title) - 1, &end, 10);
    if (end != line_end || number > INT32_MAX)
        return malformed(error);
    struct cook_stage_chunk *chunk = add_chunk(stage, (uint32_t)number);
    enum cook_status status = chunk ? COOK_OK : no_memory(error);
    for (char *line = line_end + 1; status == COOK_OK && *line; line = line_end + 1) {
        line_end = strchr(line, '\n');
        if (!line_end)
            return malformed(error);
        *line_end = '\0';
        status = take_line(stage, chunk, line, error);
    }
    return status;
}

static enum cook_status take_artifact(struct cook_stage *stage,
                                      const struct cook_output_artifact *artifact,
                                      struct cook_error *error)
{
    bool chunks = strcmp(artifact->name, COOK_CHUNK_ARTIFACT) == 0;
    enum cook_status status = COOK_OK;
    for (size_t i = 0; status == COOK_OK && i < artifact->file_count; i++) {
        const struct cook_output_file *file = &artifact->files[i];
        struct cook_buf bytes = COOK_BUF_INIT;
        char *path = cook_arena_printf(&stage->arena, "Artifacts/%s", file->name);
        struct cook_stage_chunk *first = add_chunk(stage, 0);
        if (!first || !add_file(first, path, file->hash, file->size_bytes))
            status = no_memory(error);
        if (status == COOK_OK && chunks) {
            status = cook_store_get_blob(stage->store, &bytes, file->hash, error);
            char *text = status == COOK_OK
                             ? cook_arena_strdup(&stage->arena, cook_buf_text(&bytes))
                             : NULL;
            if (status == COOK_OK)
                status = text ? take_manifest(stage, text, error) : no_memory(error);
        }
        cook_buf_finish(&bytes);
    }
    return status;
}

/* ---- order ---- */

static int compare_chunks(const void *a, const void *b)
{
    const struct cook_stage_chunk *x = a;
    const struct cook_stage_chunk *y = b;
    return (x->chunk > y->chunk) - (x->chunk < y->chunk);
}

static int compare_files(const void *a, const void *b)
{
    return strcmp(((const struct cook_stage_file *)a)->path,
                  ((const struct cook_stage_file *)b)->path);
}

static enum cook_status sort_all(struct cook_stage *stage, struct cook_error *error)
{
    qsort(stage->chunks, stage->chunk_count, sizeof(*stage->chunks), compare_chunks);
    for (size_t i = 0; i < stage->chunk_count; i++) {
        struct cook_stage_chunk *chunk = &stage->chunks[i];
        if (chunk->file_count)
            qsort(chunk->files, chunk->file_count, sizeof(*chunk->files), compare_files);
        for (size_t k = 1; k < chunk->file_count; k++)
            if (strcmp(chunk->files[k - 1].path, chunk->files[k].path) == 0)
                return cook_error_set(error, COOK_E_EXISTS, "two files want the place '%s'",
                                      chunk->files[k].path);
    }
    return COOK_OK;
}

static enum cook_status find_outputs(struct cook_stage *stage, struct cook_hash *outputs,
                                     uint32_t cook, struct cook_error *error)
{
    struct cook_store_cook *cooks;
    size_t count;
    enum cook_status status =
        cook_store_cooks(stage->store, &cooks, &count, COOKS, &stage->arena, error);
    for (size_t i = 0; status == COOK_OK && i < count; i++) {
        if (cook_hash_is_zero(cooks[i].manifest) || (cook && cooks[i].id != cook))
            continue;
        *outputs = cooks[i].outputs;
        stage->cook = cooks[i].id;
        break;
    }
    if (status == COOK_OK && !stage->cook && cook)
        return cook_error_set(error, COOK_E_NOT_FOUND, "cook %u is no longer kept", cook);
    if (status == COOK_OK && !stage->cook)
        return cook_error_set(error, COOK_E_NOT_FOUND,
                              "no finished cook is kept; run: cook full");
    if (status == COOK_OK && cook_hash_is_zero(*outputs))
        return cook_error_set(error, COOK_E_NOT_FOUND,
                              "cook %u kept no outputs; run: cook incremental", stage->cook);
    return status;
}

enum cook_status cook_stage_open(struct cook_stage *stage, struct cook_store *store, uint32_t cook,
                                 struct cook_error *error)
{
    struct cook_hash hash = { 0, 0 };
    struct cook_outputs outputs = { 0 };
    *stage = (struct cook_stage){ .store = store, .arena = COOK_ARENA_INIT };
    enum cook_status status = find_outputs(stage, &hash, cook, error);
    if (status == COOK_OK)
        status = cook_store_outputs(store, &outputs, hash, &stage->arena, error);
    if (status == COOK_OK && !add_chunk(stage, 0))
        status = no_memory(error);
    for (size_t i = 0; status == COOK_OK && i < outputs.artifact_count; i++) {
        if (cook_hash_is_zero(outputs.artifacts[i].identity))
            status = cook_error_set(error, COOK_E_NOT_FOUND,
                                    "artifact %s could not be made by the last cook; run: "
                                    "cook incremental",
                                    outputs.artifacts[i].name);
        else
            status = take_artifact(stage, &outputs.artifacts[i], error);
    }
    return status == COOK_OK ? sort_all(stage, error) : status;
}

void cook_stage_finish(struct cook_stage *stage)
{
    for (size_t i = 0; i < stage->chunk_count; i++)
        cook_free(stage->chunks[i].files);
    cook_free(stage->chunks);
    cook_arena_finish(&stage->arena);
    *stage = (struct cook_stage){ 0 };
}
