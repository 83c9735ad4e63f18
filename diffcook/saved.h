/*
 * The callstacks of the writes that differ, by name, beside both results: functions, files and
 * lines with the build ids they were found in, so that a machine which has neither the plugins
 * nor their debug information can print them. A document of its own:
 *
 *     "schema": "cookproof/stacks/1",
 *     "frames": [{function, file, line, module, build_id, offset, inlined}]   each once
 *     "stacks": [[FRAME, …]]                                                 innermost first
 *     "old", "new": [[FIRST, COUNT, STACK]]       runs of writes, by their place in the token map
 */
#ifndef DIFFCOOK_SAVED_H
#define DIFFCOOK_SAVED_H

#include "cook/symbols/symbolize.h"
#include "diffcook/print.h"

struct diff_saved_stack {
    uint32_t *frames; /* into diff_saved.frames, innermost first */
    uint32_t count;
};
struct diff_saved {
    struct cook_symbol_frame *frames;
    uint32_t frame_count;
    struct diff_saved_stack *stacks;
    uint32_t stack_count;
    uint32_t *ids[2]; /* old, new: by write the stack, or COOK_STACK_NONE */
    size_t id_counts[2];
};

/* Append the stacks that the differences of `diff` stand on; `print` names them. */
enum cook_status diff_saved_encode(struct cook_buf *out, const struct diff_result *diff,
                                   const struct diff_version *old,
                                   const struct diff_version *new,
                                   const struct diff_print_options *print,
                                   struct cook_error *error) COOK_CHECK_RESULT;
/*
 * Read untrusted bytes; `old` and `new` say how many writes the versions have (NULL: none).
 * COOK_E_MALFORMED, COOK_E_NO_MEMORY. All in `arena`.
 */
enum cook_status diff_saved_decode(struct diff_saved *saved, const void *bytes, size_t size,
                                   const struct cook_token_map *old,
                                   const struct cook_token_map *new, struct cook_arena *arena,
                                   struct cook_error *error) COOK_CHECK_RESULT;
/* The frames of a stack, at most `max`; the number. */
size_t diff_saved_frames(const struct diff_saved *saved, uint32_t stack,
                         struct cook_symbol_frame *frames, size_t max);
/*
 * Put names that were saved for the same place of the same build where `frames` have no line;
 * what was inlined there makes them more, at most `max`. The number.
 */
size_t diff_saved_name(const struct diff_saved *saved, struct cook_symbol_frame *frames,
                       size_t count, size_t max);

#endif
