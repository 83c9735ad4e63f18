/*
 * One version of a package made ready for comparison: the place of each token, hashes of what
 * was written (names and references by their text, not by their index), and which array
 * element, object and section a token belongs to.
 */
#ifndef DIFFCOOK_SIDE_H
#define DIFFCOOK_SIDE_H

#include "cook/archive/cooked.h"
#include "diff.h"

enum diff_section {
    DIFF_SECTION_UNKNOWN = 0,
    DIFF_SECTION_HEADER,
    DIFF_SECTION_NAMES,
    DIFF_SECTION_IMPORTS,
    DIFF_SECTION_SOFT,
    DIFF_SECTION_EXPORTS,
    DIFF_SECTION_DATA,
    DIFF_SECTION_BULK,
    DIFF_SECTION_COUNT
};
const char *diff_section_text(enum diff_section section); /* "" when unknown */

/* Texts of both versions under common ids. */
struct diff_texts {
    struct cook_intern objects;  /* "Outer/Object" */
    struct cook_intern prefixes; /* normalised paths up to and with a "[]" */
};
void diff_texts_finish(struct diff_texts *texts);

/* What a path says about its tokens, by the map's own path id. */
struct diff_path {
    uint32_t common;       /* the path's id in both versions */
    uint32_t object;       /* in diff_texts; COOK_INTERN_NONE for tables */
    uint32_t first_prefix; /* into prefix_ids: one for each "[]" */
    uint32_t
        elements;  /* a count: the prefix of the elements it counts; else COOK_INTERN_NONE */
    bool is_table; /* "#names[]" and the like */
};

struct diff_side {
    const struct diff_version *version;
    const struct cook_token_map *map;
    size_t count;      /* tokens */
    uint64_t *offsets; /* by token, and the end of the last */
    uint32_t *paths;   /* by token: common path id */
    uint64_t *hashes;  /* by token: of what it says; equal hashes need not mean equal bytes */
    struct diff_path *path_facts;
    uint32_t *prefix_ids;
    struct cook_cooked cooked; /* empty tables when it could not be parsed */
    const char **import_texts; /* "/Game/Props/Rock.Mesh" */
    const char **export_texts; /* "Outer/Object" */
    struct cook_arena arena;
};

/* Whether the version has a map whose tokens cover its bytes exactly. */
bool diff_side_has_tokens(const struct diff_version *version);
/*
 * Prepare both versions' sides in turn: `other` is NULL for the first, and the first for the
 * second. False when memory is short; finish in any case.
 */
bool diff_side_init(struct diff_side *side, const struct diff_version *version,
                    const struct diff_side *other, struct diff_texts *texts);
void diff_side_finish(struct diff_side *side);

enum cook_token_type diff_side_type(const struct diff_side *side, size_t token);
const struct diff_path *diff_side_path(const struct diff_side *side, size_t token);
const uint8_t *diff_side_bytes(const struct diff_side *side, size_t token);
uint32_t diff_side_size(const struct diff_side *side, size_t token);
/* An unsigned little-endian number of up to 8 bytes; 0 for larger tokens. */
uint64_t diff_side_number(const struct diff_side *side, size_t token);
enum diff_section diff_side_section(const struct diff_side *side, size_t token);
enum diff_section diff_section_at(const struct cook_cooked *cooked, uint64_t offset);
/* The text behind a name or reference token; NULL for none, null, other types and bad indices.
 */
const char *diff_side_resolve(const struct diff_side *side, size_t token);
/* Whether a name or reference token could be resolved, none and null included. */
bool diff_side_is_resolved(const struct diff_side *side, size_t token);
/* What row of a table a table's token is in, as text: the name, the reference, the object. */
const char *diff_side_row_text(const struct diff_side *side, size_t token);

/* The length of a count's path without what marks it: "Rock:Tags#", "Rock:Tags#set". */
size_t diff_counted_length(const char *path);
bool diff_counts_set(const char *path); /* marked as the count of a set */

/* Whether tokens lie in the same element, at "[]" number `level` of their paths. */
bool diff_same_element(const struct diff_side *side, size_t a, size_t b, uint32_t level);
/* Whether they lie in the same array there, in whichever element. */
bool diff_same_array(const struct diff_side *side, size_t a, size_t b, uint32_t level);
uint32_t diff_side_depth(const struct diff_side *side, size_t token);
uint32_t diff_side_index(const struct diff_side *side, size_t token, uint32_t level);
uint32_t diff_side_stack(const struct diff_side *side, size_t token);

#endif
