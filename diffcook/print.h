/* Differences for people and for other programs (JSON). */
#ifndef DIFFCOOK_PRINT_H
#define DIFFCOOK_PRINT_H

#include <stdio.h>

#include "cook/store/stacks.h"
#include "diff.h"

struct cJSON;
struct diff_saved;

#define DIFF_MAX_FRAMES 64

/*
 * Put the frames of a stack of the old or the new version (innermost first, at most `max`) into
 * `frames`; returns the number. Texts must stay until printing ends.
 */
typedef size_t (*diff_frames_fn)(void *user, bool is_new, uint32_t stack,
                                 struct cook_symbol_frame *frames, size_t max);

struct diff_print_options {
    diff_frames_fn frames; /* NULL: stacks are left out */
    void *user;
    int indent; /* columns before each line */
};

/* A ready diff_frames_fn: `user` is one of these. */
struct diff_symbols {
    struct cook_symbolizer *symbolizer;
    const struct cook_stack_set *old_stacks; /* NULL: none */
    const struct cook_stack_set *new_stacks;
    /* Where there is no set: the store whose cook recorded the ids; NULL: none. */
    struct cook_store *old_store;
    struct cook_store *new_store;
    /* What was saved with both results (saved.h): the stacks of a side that has neither a set nor
     * a store, and names of places that the symbolizer cannot name. NULL: none. */
    const struct diff_saved *saved;
};
size_t diff_symbol_frames(void *user, bool is_new, uint32_t stack,
                          struct cook_symbol_frame *frames, size_t max);

/*
 * The SDK's own write functions (module libcook.so*) stand innermost in each stack: how many
 * frames to skip so that class code comes first. Where all frames are the SDK's, as for plain
 * properties, none are skipped and `*count` is cut to the innermost few.
 */
size_t diff_skip_sdk_frames(const struct cook_symbol_frame *frames, size_t *count);

/* `options` may be NULL. Differing bytes stand in brackets. */
void diff_print_text(FILE *file, const struct diff_result *result,
                     const struct diff_print_options *options);

/*
 * One difference with exactly the keys of the report documents: object, property, section,
 * old_offset, new_offset, old_hex, new_hex, old_value, new_value, lines, old_stack, new_stack,
 * class ("meaning", or "same_meaning" with why in same_meaning), consequence_of. What is absent is null; stacks are arrays. The caller owns it
 * (cJSON_Delete); NULL when memory is short. diff_result_to_json() gives an array of all.
 */
struct cJSON *diff_to_json(const struct diff_difference *difference,
                           const struct diff_print_options *options);
struct cJSON *diff_result_to_json(const struct diff_result *result,
                                  const struct diff_print_options *options);

/* A frame with the keys of the report documents; NULL when memory is short. */
struct cJSON *diff_frame_to_json(const struct cook_symbol_frame *frame);

/* "00 01 [02 03] 04": a window's bytes, differing ones in brackets. NULL when memory is short.
 */
char *diff_window_text(const struct diff_window *window, struct cook_arena *arena);

#endif
