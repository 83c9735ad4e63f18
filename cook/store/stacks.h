/*
 * The callstacks that cooks with --record-callstacks keep: each distinct stack and frame once for the
 * whole store, frames named (function, file, line, what was inlined) while their binaries exist, and
 * found again by build id and offset; so they can be read when the plugin was rebuilt long ago. Write
 * maps (archive/write_map.h) hold the ids. `store gc` leaves them: they are few, and shared.
 */
#ifndef COOK_STORE_STACKS_H
#define COOK_STORE_STACKS_H

#include "cook/store/store.h"
#include "cook/symbols/symbolize.h"

/* The id of a stack, kept with the next commit. */
enum cook_status cook_store_put_stack(struct cook_store *store, uint32_t *id,
                                      const struct cook_stack_set *set, uint32_t stack,
                                      struct cook_error *error) COOK_CHECK_RESULT;
/* Name the frames that have no names yet, kept with the next commit. */
enum cook_status cook_store_name_stacks(struct cook_store *store,
                                        struct cook_symbolizer *symbolizer,
                                        struct cook_error *error) COOK_CHECK_RESULT;
/*
 * The frames of a kept stack, innermost first, at most `max`; the number, 0 when it is not known. A frame
 * that was not named in time keeps module and offset. Texts live as long as the store.
 */
size_t cook_store_stack(struct cook_store *store, uint32_t id, struct cook_symbol_frame *frames,
                        size_t max);

#endif
