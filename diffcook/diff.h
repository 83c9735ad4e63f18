/*
 * The difference engine: two versions of a cooked package, old and new, compared by what was
 * written instead of by offset, so that one inserted field is one difference. What follows from
 * a difference (sizes, offsets, counts, table entries, indices into changed tables) is listed
 * under it.
 *
 * Bytes and token maps are untrusted: a map that does not fit its bytes is ignored, and the two
 * versions are then compared by offset alone. No global state; a result belongs to one thread.
 */
#ifndef DIFFCOOK_DIFF_H
#define DIFFCOOK_DIFF_H

#include "cook/archive/tokens.h"
#include "cook/symbols/stacks.h"

/* All borrowed. */
struct diff_version {
    const uint8_t *bytes;
    size_t size;
    const struct cook_token_map *tokens;    /* NULL: not known */
    const uint32_t *stacks;                 /* by token: id in stack_set; NULL: not recorded */
    size_t stack_count;                     /* of `stacks`; further tokens have none */
    const struct cook_stack_set *stack_set; /* of `stacks`; carried along for printing */
};

struct diff_options {
    uint32_t max_differences;  /* that stand on their own; 0: 1,000 */
    uint32_t max_consequences; /* under one difference; 0: 16 */
    uint32_t max_disassembled; /* shaders of which the disassembly is compared (shader.h), each by a
                                  child process; 0: none */
};
#define DIFF_DISASSEMBLED 8u /* what is shown to people has so many a package */
#define DIFF_OPTIONS_INIT                                                                      \
    {                                                                                          \
        0, 0, 0                                                                                \
    }

enum diff_kind {
    DIFF_KIND_UNKNOWN = 0,
    DIFF_CHANGED,
    DIFF_INSERTED,
    DIFF_REMOVED,
    DIFF_MOVED, /* the same tokens at another place in the sequence */
};
const char *diff_kind_text(enum diff_kind kind); /* "changed"; never NULL */

#define DIFF_NO_OFFSET     UINT64_MAX
#define DIFF_WINDOW_BYTES  48
#define DIFF_CONTEXT_BYTES 8

/* A few bytes around a difference. */
struct diff_window {
    uint64_t offset;      /* of the first byte shown; DIFF_NO_OFFSET: the side is absent */
    uint32_t size;        /* bytes shown; at most DIFF_WINDOW_BYTES */
    uint64_t marked;      /* bit i: byte i differs from, or is not in, the other version */
    const uint8_t *bytes; /* into the version's bytes */
};

struct diff_difference {
    enum diff_kind kind;
    const char *object;   /* "Outer/Object"; "" outside objects */
    const char *property; /* "Object:Lods[3].Count", "#names[4]"; "" by offset alone */
    const char *property_normalized; /* indices as "[]" */
    const char
        *section; /* header, names, imports, soft, exports, data, bulk; "" when unknown */
    /* Of the write; in raw data and by offset alone: of the first differing byte. */
    uint64_t old_offset; /* DIFF_NO_OFFSET when absent */
    uint64_t new_offset;
    uint64_t old_bytes; /* size of what is compared */
    uint64_t new_bytes;
    struct diff_window old_hex;
    struct diff_window new_hex;
    const char *old_value; /* as text by its type; NULL when absent */
    const char *new_value;
    const char *lines; /* of text that differ, "- old" and "+ new", or NULL */
    size_t old_token; /* the first write, and where it begins; of absent sides anything */
    size_t new_token;
    uint64_t old_write;
    uint64_t new_write;
    uint32_t tokens; /* how many writes this stands for: 1, or a whole element or object */
    uint64_t differing_bytes; /* changed: bytes that differ, in differing_ranges runs */
    uint64_t inserted_bytes;  /* in the same runs, beyond them */
    uint64_t removed_bytes;
    uint64_t differing_ranges;
    uint32_t old_stack; /* of the first write; COOK_STACK_NONE */
    uint32_t new_stack;
    /* Other bytes that say the same: why, for people; NULL: what they say differs. */
    const char *same_meaning;
    int32_t consequence_of; /* index of the difference it follows from; -1: stands on its own */
};

struct diff_result {
    struct diff_difference *differences; /* in file order, each followed by its consequences */
    uint32_t count;
    uint32_t root_count;           /* of them, that stand on their own */
    uint64_t same_meaning_count; /* of all roots, dropped ones included */
    uint64_t dropped_differences;  /* roots beyond the limit */
    uint64_t dropped_consequences; /* beyond theirs, or of a dropped root */
    bool by_offset;                /* no token maps: offsets only */
    bool identical;                /* the bytes are equal */
};

/*
 * Compare. The result lives in `arena` and borrows the versions' bytes; a `moved` or `changed`
 * difference stands for both sides. COOK_E_NO_MEMORY, COOK_E_LIMIT (more than 2^30 tokens).
 */
enum cook_status diff_compare(struct diff_result *out, const struct diff_version *old,
                              const struct diff_version *new,
                              const struct diff_options *options, struct cook_arena *arena,
                              struct cook_error *error) COOK_CHECK_RESULT;

#endif
