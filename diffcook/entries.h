/*
 * The entries of a file of a cook artifact, so that two versions differ by what they hold and not by
 * offsets: assets and references of the asset registry, shaders of the shader library, files of a chunk
 * manifest (formats: cook/artifacts/builtin.h), lines of any other text. Bytes are untrusted.
 */
#ifndef DIFFCOOK_ENTRIES_H
#define DIFFCOOK_ENTRIES_H

#include "compare.h"

#define DIFF_ENTRIES_MAX 1000 /* changes of one file that are kept */

struct diff_file_entry {
    const char *key;   /* "/Game/Rock.Rock", "/Game/Level -> /Game/Rock.Rock", "Game/Rock.cooked" */
    const char *value; /* "/Script/Cook.Texture2D Width=4", "hard", "120 bytes, hash …"; "" for a line */
};
struct diff_file_entries {
    struct diff_file_entry *items; /* ascending by key, then value; on the heap */
    size_t count, capacity;
    struct cook_arena *arena; /* of the texts */
    bool failed;              /* memory was short */
};

/* Whether the format is known; malformed bytes are of no known one. */
bool diff_entries_read(struct diff_file_entries *entries, const void *bytes, size_t size);
void diff_entries_add(struct diff_file_entries *entries, const char *key, const char *value);
void diff_entries_finish(struct diff_file_entries *entries);
/* What differs between two files' entries, as `output->entries`, in `arena`. COOK_E_NO_MEMORY. */
enum cook_status diff_entries_compare(struct diff_output *output, const struct diff_file_entries *old,
                                      const struct diff_file_entries *new,
                                      struct cook_arena *arena) COOK_CHECK_RESULT;

#endif
