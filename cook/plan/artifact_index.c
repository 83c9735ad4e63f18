/* Indexes: which parts went into the artifacts of a cook. */
#include <string.h>

#include "cook/artifacts/builtin.h"
#include "cook/plan/artifacts.h"
#include "cook/plan/chunk_plan.h"
#include "cook/store/details.h"

#define MAX_NAME 4096u

/* Encoding: varint count; per entry: varint length shared with the name before, rest, hash. */
void cook_index_encode(const struct cook_index *index, struct cook_buf *out)
{
    const char *previous = "";
    cook_buf_put_varint(out, index->count);
    for (size_t i = 0; i < index->count; i++) {
        const char *name = index->entries[i].name;
        size_t shared = 0;
        while (previous[shared] && previous[shared] == name[shared])
            shared++;
        cook_buf_put_varint(out, shared);
        cook_buf_put_string(out, name + shared);
        cook_buf_put_hash(out, index->entries[i].hash);
        previous = name;
    }
}

enum cook_status cook_index_decode(struct cook_index *index, const void *bytes, size_t size,
                                   struct cook_arena *arena)
{
    struct cook_reader_buf in = cook_read_init(bytes, size);
    char name[MAX_NAME + 1] = "";
    size_t length = 0;
    size_t count = cook_read_count(&in, 18);
    *index = (struct cook_index){ 0 };
    index->entries = cook_arena_alloc(arena, (count + 1) * sizeof(*index->entries));
    if (!index->entries)
        return COOK_E_NO_MEMORY;
    for (size_t i = 0; i < count; i++) {
        uint64_t shared = cook_read_varint(&in);
        size_t rest_size;
        const uint8_t *rest = cook_read_bytes(&in, &rest_size);
        if (in.failed || shared > length || rest_size > MAX_NAME - shared ||
            memchr(rest, 0, rest_size))
            return COOK_E_MALFORMED;
        memcpy(name + shared, rest, rest_size);
        length = (size_t)shared + rest_size;
        struct cook_index_entry *entry = &index->entries[i];
        entry->name = cook_arena_strndup(arena, name, length);
        entry->hash = cook_read_hash(&in);
        if (!entry->name)
            return COOK_E_NO_MEMORY;
        if (i && strcmp(index->entries[i - 1].name, entry->name) >= 0)
            return COOK_E_MALFORMED;
    }
    index->count = count;
    return cook_read_at_end(&in) ? COOK_OK : COOK_E_MALFORMED;
}

static enum cook_status no_memory(struct cook_error *error)
{
    return cook_error_set(error, COOK_E_NO_MEMORY, "out of memory for the artifacts");
}

static const char *name_of(const struct cook_run *run, uint32_t package)
{
    return cook_state_text(run->state, run->state->packages[package].name);
}

static enum cook_status details_of(struct cook_details *details, const struct cook_run *run,
                                   uint32_t package, struct cook_arena *arena,
                                   struct cook_error *error)
{
    enum cook_status status = cook_details_of(details, run->state, package, arena);
    if (status != COOK_OK)
        return cook_error_set(error, COOK_E_DAMAGED,
                              "the details of %s are damaged; run: cook store forget %s",
                              name_of(run, package), name_of(run, package));
    return COOK_OK;
}

enum cook_status cook_index_of_workers(struct cook_index *index, struct cook_run *run,
                                       const uint32_t *packages, uint32_t count,
                                       struct cook_arena *arena, struct cook_error *error)
{
    enum cook_status status = COOK_OK;
    *index = (struct cook_index){ 0 };
    index->entries = cook_arena_alloc(arena, ((size_t)count + 1) * sizeof(*index->entries));
    if (!index->entries)
        return no_memory(error);
    for (uint32_t i = 0; status == COOK_OK && i < count; i++) {
        struct cook_arena scratch = COOK_ARENA_INIT;
        struct cook_details details;
        status = details_of(&details, run, packages[i], &scratch, error);
        if (status == COOK_OK && !cook_hash_is_zero(details.parts))
            index->entries[index->count++] = (struct cook_index_entry){
                .name = name_of(run, packages[i]), .hash = details.parts, .parts = details.parts
            };
        cook_arena_finish(&scratch);
    }
    return status;
}

enum cook_status cook_index_of_plan(struct cook_index *index, struct cook_run *run,
                                    const uint32_t *packages, uint32_t count,
                                    struct cook_arena *arena, struct cook_error *error)
{
    struct cook_chunk_assignment chunks;
    struct cook_buf out = COOK_BUF_INIT;
    *index = (struct cook_index){ 0 };
    index->entries = cook_arena_alloc(arena, ((size_t)count + 1) * sizeof(*index->entries));
    if (!index->entries)
        return no_memory(error);
    enum cook_status status = cook_chunk_plan(&chunks, run, packages, count, error);
    for (uint32_t i = 0; status == COOK_OK && i < count; i++) {
        const struct cook_state_result *result = &run->state->results[packages[i]];
        struct cook_arena scratch = COOK_ARENA_INIT;
        struct cook_details details;
        status = details_of(&details, run, packages[i], &scratch, error);
        struct cook_chunk_part part = { .chunks = chunks.chunks + chunks.first[i],
                                        .chunk_count = chunks.first[i + 1] - chunks.first[i],
                                        .bytes = result->bytes,
                                        .size_bytes = result->size_bytes,
                                        .details = &details };
        cook_buf_clear(&out);
        if (status == COOK_OK)
            cook_chunk_part_encode(&part, &out);
        struct cook_index_entry *entry = &index->entries[i];
        entry->name = name_of(run, packages[i]);
        entry->hash = cook_hash_bytes(out.data, out.size);
        entry->bytes = cook_arena_dup(arena, out.data, out.size);
        entry->size = out.size;
        index->count = i + 1;
        if (status == COOK_OK && (out.failed || !entry->bytes))
            status = no_memory(error);
        cook_arena_finish(&scratch);
    }
    cook_buf_finish(&out);
    cook_chunk_assignment_finish(&chunks);
    return status;
}
