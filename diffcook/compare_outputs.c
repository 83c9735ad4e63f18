/* The files of two cooks as wholes: asset registry, shader library, chunk manifests. */
#include <string.h>

#include "compare.h"
#include "cook/store/outputs.h"
#include "entries.h"

/* A file of an artifact, wherever it stands in the outputs. */
struct place {
    const struct cook_outputs *outputs;
    size_t artifact;
    size_t file;
};

static const struct cook_output_artifact *artifact_of(const struct place *place)
{
    return &place->outputs->artifacts[place->artifact];
}

static const struct cook_output_file *file_of(const struct place *place)
{
    return &artifact_of(place)->files[place->file];
}

/* Move to the next file that is there, the one at hand included; false at the end. */
static bool settle(struct place *place)
{
    while (place->artifact < place->outputs->artifact_count &&
           place->file >= artifact_of(place)->file_count) {
        place->artifact++;
        place->file = 0;
    }
    return place->artifact < place->outputs->artifact_count;
}

static int compare_places(const struct place *a, const struct place *b)
{
    int order = strcmp(artifact_of(a)->name, artifact_of(b)->name);
    return order ? order : strcmp(file_of(a)->name, file_of(b)->name);
}

/* The entries of one version; none where there is none, or it cannot be read. */
static bool read_entries(struct diff_file_entries *entries, struct cook_buf *bytes,
                         struct diff_comparison *comparison, unsigned side,
                         const struct place *place)
{
    entries->arena = &comparison->arenas[side];
    if (!place)
        return true;
    return cook_store_get_blob(comparison->operands[side]->store, bytes, file_of(place)->hash, NULL) ==
               COOK_OK &&
           diff_entries_read(entries, bytes->data, bytes->size);
}

static bool compare_entries(struct diff_comparison *comparison, struct diff_output *output,
                            const struct place *const places[2])
{
    struct diff_file_entries entries[2] = { { 0 }, { 0 } };
    struct cook_buf bytes[2] = { COOK_BUF_INIT, COOK_BUF_INIT };
    bool known = true;
    for (unsigned side = 0; side < 2; side++)
        known = read_entries(&entries[side], &bytes[side], comparison, side, places[side]) && known;
    bool room = !entries[0].failed && !entries[1].failed &&
                (!known || diff_entries_compare(output, &entries[0], &entries[1],
                                                &comparison->arena) == COOK_OK);
    for (unsigned side = 0; side < 2; side++) {
        diff_entries_finish(&entries[side]);
        cook_buf_finish(&bytes[side]);
    }
    return room;
}

static bool add_output(struct diff_comparison *comparison, const struct place *old,
                       const struct place *new)
{
    enum diff_change change = !old ? DIFF_ADDED : !new ? DIFF_DELETED : DIFF_MODIFIED;
    if (old && new &&cook_hash_equal(file_of(old)->hash, file_of(new)->hash))
        return true;
    if (!cook_grow(&comparison->outputs, &comparison->output_capacity,
                   comparison->output_count + 1, sizeof(*comparison->outputs)))
        return false;
    const struct place *any = old ? old : new;
    comparison->outputs[comparison->output_count++] =
        (struct diff_output){ .artifact = artifact_of(any)->name,
                              .file = file_of(any)->name,
                              .change = change,
                              .old_bytes = old ? file_of(old)->size_bytes : 0,
                              .new_bytes = new ? file_of(new)->size_bytes : 0 };
    const struct place *const places[2] = { old, new };
    return compare_entries(comparison, &comparison->outputs[comparison->output_count - 1], places);
}

static bool merge(struct diff_comparison *comparison, const struct cook_outputs *old,
                  const struct cook_outputs *new)
{
    struct place a = { .outputs = old };
    struct place b = { .outputs = new };
    bool room = true;
    for (bool has_a = settle(&a), has_b = settle(&b); room && (has_a || has_b);
         has_a = settle(&a), has_b = settle(&b)) {
        int order = !has_a ? 1 : !has_b ? -1 : compare_places(&a, &b);
        room = add_output(comparison, order <= 0 ? &a : NULL, order >= 0 ? &b : NULL);
        a.file += order <= 0;
        b.file += order >= 0;
    }
    return room;
}

enum cook_status diff_compare_outputs(struct diff_comparison *comparison,
                                      struct cook_error *error)
{
    struct cook_outputs outputs[2] = { { .artifact_count = 0 }, { .artifact_count = 0 } };
    if (cook_hash_equal(comparison->operands[0]->outputs, comparison->operands[1]->outputs))
        return COOK_OK;
    for (unsigned side = 0; side < 2; side++) {
        const struct diff_operand *operand = comparison->operands[side];
        enum cook_status status = cook_store_outputs(
            operand->store, &outputs[side], operand->outputs, &comparison->arenas[side], error);
        if (status != COOK_OK) {
            cook_error_prefix(error, "%s", operand->text);
            return status;
        }
    }
    if (merge(comparison, &outputs[0], &outputs[1]))
        return COOK_OK;
    return cook_error_no_memory(error);
}
