/* What `cook stage` would write of two cooks, file by file: it follows from the cooks alone, so nothing
 * need be written to compare it. */
#include <string.h>

#include "compare.h"
#include "cook/stage/stage.h"

/* A staged file, wherever it stands. */
struct place {
    const struct cook_stage *stage;
    size_t chunk;
    size_t file;
};

static const struct cook_stage_chunk *chunk_of(const struct place *place)
{
    return &place->stage->chunks[place->chunk];
}

static const struct cook_stage_file *file_of(const struct place *place)
{
    return &chunk_of(place)->files[place->file];
}

/* Move to the next file that is there, the one at hand included; false at the end. */
static bool settle(struct place *place)
{
    while (place->chunk < place->stage->chunk_count && place->file >= chunk_of(place)->file_count) {
        place->chunk++;
        place->file = 0;
    }
    return place->chunk < place->stage->chunk_count;
}

static int compare_places(const struct place *a, const struct place *b)
{
    if (chunk_of(a)->chunk != chunk_of(b)->chunk)
        return chunk_of(a)->chunk < chunk_of(b)->chunk ? -1 : 1;
    return strcmp(file_of(a)->path, file_of(b)->path);
}

static bool add_file(struct diff_comparison *comparison, const struct place *old,
                     const struct place *new)
{
    if (old && new && cook_hash_equal(file_of(old)->hash, file_of(new)->hash))
        return true;
    const struct place *any = old ? old : new;
    enum diff_change change = !old ? DIFF_ADDED : !new ? DIFF_DELETED : DIFF_MODIFIED;
    const char *path = cook_stage_loose_name(chunk_of(any), file_of(any), &comparison->arena);
    if (!path || !cook_grow(&comparison->staged, &comparison->staged_capacity,
                            comparison->staged_count + 1, sizeof(*comparison->staged)))
        return false;
    comparison->staged[comparison->staged_count++] = (struct diff_staged_file){ path, change };
    return true;
}

static bool merge(struct diff_comparison *comparison, const struct cook_stage stages[2])
{
    struct place a = { .stage = &stages[0] };
    struct place b = { .stage = &stages[1] };
    bool room = true;
    for (bool has_a = settle(&a), has_b = settle(&b); room && (has_a || has_b);
         has_a = settle(&a), has_b = settle(&b)) {
        int order = !has_a ? 1 : !has_b ? -1 : compare_places(&a, &b);
        room = add_file(comparison, order <= 0 ? &a : NULL, order >= 0 ? &b : NULL);
        a.file += order <= 0;
        b.file += order >= 0;
    }
    return room;
}

enum cook_status diff_compare_staged(struct diff_comparison *comparison, struct cook_error *error)
{
    struct cook_stage stages[2] = { { 0 }, { 0 } };
    struct cook_error reason = COOK_ERROR_INIT;
    enum cook_status status = COOK_OK;
    for (unsigned side = 0; status == COOK_OK && side < 2; side++)
        status = cook_stage_open(&stages[side], comparison->operands[side]->store,
                                 comparison->operands[side]->cook, &reason);
    if (status == COOK_OK)
        status = merge(comparison, stages) ? COOK_OK : COOK_E_NO_MEMORY;
    else if (status != COOK_E_NO_MEMORY) {
        /* Such a cook can be compared, but not be staged. */
        comparison->unstaged = cook_arena_strdup(&comparison->arena, reason.message);
        status = comparison->unstaged ? COOK_OK : COOK_E_NO_MEMORY;
    }
    cook_stage_finish(&stages[0]);
    cook_stage_finish(&stages[1]);
    return status == COOK_OK ? COOK_OK : cook_error_no_memory(error);
}
