/*
 * What differs between two cooks, or between two folders: a sorted list of what was added,
 * modified and deleted. It comes of hashes alone (compare_stores.c) or of the files' bytes
 * (compare_folders.c); how a modified package differs is asked for one at a time (package.c).
 *
 *     diff_compare_stores / diff_compare_folders      the list
 *     diff_package_open                               one package's differences
 *     diff_comparison_finish
 */
#ifndef DIFFCOOK_COMPARE_H
#define DIFFCOOK_COMPARE_H

#include "diff.h"
#include "operand.h"

enum diff_change {
    DIFF_CHANGE_UNKNOWN = 0,
    DIFF_ADDED,
    DIFF_MODIFIED,
    DIFF_DELETED,
};
const char *diff_change_text(enum diff_change change); /* "added"; never NULL */

/* What of a modified package differs. */
enum diff_part {
    DIFF_PART_BYTES = 1u << 0,
    DIFF_PART_REFERENCES = 1u << 1,
    DIFF_PART_MESSAGES = 1u << 2,
    DIFF_PART_FILES = 1u << 3, /* additional files, or what artifacts take from it */
};

/* A runtime reference, message or additional file that one side has and the other has not. */
struct diff_detail {
    enum diff_part part;
    enum diff_change change; /* added, deleted; of files also modified */
    const char *kind;        /* "hard", "soft"; "warning", "error"; "file", "parts" */
    const char *text;        /* path of a reference or file; a message's text */
    const char *package;     /* that a reference leads to; NULL: to none */
    const char *property;    /* that holds a reference, the first; NULL: none does, or not known */
    bool looked_for;         /* the property: without one the reference is declared, not written */
};
/* Details being gathered; on the heap while it grows. */
struct diff_details {
    struct diff_detail *items;
    size_t count, capacity;
    struct cook_arena *arena; /* of the texts */
    bool failed;              /* memory was short */
};

struct diff_entry {
    const char *name; /* of the package, or path of the file */
    enum diff_change change;
    uint32_t parts;                        /* modified: enum diff_part */
    const struct cook_manifest_entry *old; /* NULL: absent, or files are compared */
    const struct cook_manifest_entry *new;
    uint32_t old_row; /* in the store's state; COOK_ID_NONE when that is of another cook */
    uint32_t new_row;
    uint64_t old_bytes; /* size */
    uint64_t new_bytes;
    const char **referrers; /* added, deleted: packages whose references lead to it, a few */
    size_t referrer_count;
};

/* What one version of a file has and the other has not, or has otherwise (entries.h). */
struct diff_output_entry {
    enum diff_change change;
    const char *key;
    const char *old; /* NULL: absent */
    const char *new;
};
/* A file of a cook artifact, which is of the whole cook and of no package. */
struct diff_output {
    const char *artifact;
    const char *file; /* "AssetRegistry.bin" */
    enum diff_change change;
    uint64_t old_bytes;
    uint64_t new_bytes;
    struct diff_output_entry *entries; /* by key; none where the format is not known */
    size_t entry_count;
    size_t dropped_entries; /* beyond DIFF_ENTRIES_MAX */
};

/* A file that `cook stage` would write of one cook and not, or otherwise, of the other. */
struct diff_staged_file {
    const char *path; /* "chunk0/Game/Props/Rock.cooked" */
    enum diff_change change;
};

/* One side of a comparison of cooks, loaded. */
struct diff_cook {
    struct cook_store *store; /* borrowed */
    const struct cook_state *state;
    struct cook_manifest_entry *entries;
    uint32_t *rows; /* by entry: row of the state that still says what the entry says */
    size_t count;
};

struct diff_comparison {
    struct cook_arena arenas[2]; /* of the two sides */
    struct cook_arena arena;
    const struct diff_operand *operands[2]; /* borrowed: old, new */
    struct diff_cook cooks[2];
    struct diff_entry *entries; /* ascending by name */
    size_t count, capacity;
    size_t added, modified, deleted, identical;
    size_t unknown;      /* in both, but one's references are no longer kept: bytes only */
    size_t uncompared;   /* folders: entries that are neither files nor folders */
    uint64_t size_bytes; /* folders: of the files that were read on both sides */
    struct diff_output *outputs; /* cooks: ascending by artifact, then file */
    size_t output_count, output_capacity;
    struct diff_staged_file *staged; /* cooks: ascending by chunk, then path */
    size_t staged_count, staged_capacity;
    const char *unstaged; /* why staged files could not be compared, or NULL */
};

/*
 * Compare two operands of the same kind. Differences are data; an error is one of the
 * environment. `comparison` must be finished also after one, before its operands.
 */
enum cook_status diff_compare_operands(struct diff_comparison *comparison,
                                       const struct diff_operand *old,
                                       const struct diff_operand *new,
                                       struct cook_error *error) COOK_CHECK_RESULT;
enum cook_status diff_compare_stores(struct diff_comparison *comparison,
                                     struct cook_error *error) COOK_CHECK_RESULT;
enum cook_status diff_compare_outputs(struct diff_comparison *comparison,
                                      struct cook_error *error) COOK_CHECK_RESULT;
enum cook_status diff_compare_staged(struct diff_comparison *comparison,
                                     struct cook_error *error) COOK_CHECK_RESULT;
enum cook_status diff_compare_folders(struct diff_comparison *comparison,
                                      struct cook_error *error) COOK_CHECK_RESULT;
void diff_comparison_finish(struct diff_comparison *comparison);

/* Append an entry and count it; NULL when memory is short. */
struct diff_entry *diff_comparison_add(struct diff_comparison *comparison, const char *name,
                                       enum diff_change change);

/* ---- references, messages, additional files (parts.c) ---- */

/* The parts beside the bytes that differ between two rows: enum diff_part. */
uint32_t diff_parts_compare(const struct diff_comparison *comparison, uint32_t old_row,
                            uint32_t new_row);
/* What they differ in, in `arena`: references, files, messages. One row may be COOK_ID_NONE:
 * then all of the other one's. */
enum cook_status diff_parts_list(struct diff_detail **details, size_t *count,
                                 const struct diff_comparison *comparison, uint32_t old_row,
                                 uint32_t new_row, struct cook_arena *arena) COOK_CHECK_RESULT;
void diff_details_add(struct diff_details *list, struct diff_detail detail);
/* Its part for messages (parts_messages.c). */
void diff_messages_list(struct diff_details *list, const struct diff_comparison *comparison,
                        uint32_t old_row, uint32_t new_row);
/* Find which packages lead to what was added or deleted. */
enum cook_status diff_find_referrers(struct diff_comparison *comparison,
                                     struct cook_error *error) COOK_CHECK_RESULT;

/* ---- one package (package.c) ---- */

/* A version with what it borrows. */
struct diff_content {
    struct cook_buf bytes;
    struct cook_token_map tokens;
    bool has_tokens;
    uint32_t *stacks; /* by token, of the store; owned; NULL: not recorded */
    size_t stack_count;
};
struct diff_version diff_content_version(const struct diff_content *content); /* borrows all */
/* Fill in the properties of references with this change, of the version that has them (reference_why.c).
 * False when memory is short. */
bool diff_references_find(struct diff_detail *details, size_t count, enum diff_change change,
                          const struct diff_content *content,
                          struct cook_arena *arena) COOK_CHECK_RESULT;

struct diff_package {
    struct cook_arena arena;
    struct diff_content old;
    struct diff_content new;
    struct diff_result result;
    struct diff_detail *details;
    size_t detail_count;
    const char *problem; /* why it could not be compared: damaged, unreadable; or NULL */
};
/*
 * Read both versions of a modified entry and compare them. `replacement`, where it is not NULL
 * and its bytes are the new ones, stands for the new version: it has callstacks. Bytes that
 * cannot be read are a problem of the package, not an error. Finish also after an error.
 */
enum cook_status diff_package_open(struct diff_package *package,
                                   const struct diff_comparison *comparison,
                                   const struct diff_entry *entry,
                                   const struct diff_version *replacement,
                                   struct cook_error *error) COOK_CHECK_RESULT;
void diff_package_finish(struct diff_package *package);

#endif
