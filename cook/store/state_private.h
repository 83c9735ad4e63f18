/*
 * What the parts of the state share: generic access to its tables, growth, and range checks.
 * Only files in cook/store/ include this.
 */
#ifndef COOK_STORE_STATE_PRIVATE_H
#define COOK_STORE_STATE_PRIVATE_H

#include "cook/store/state.h"

/* Nothing is ever as long as COOK_ID_NONE, so that no valid id or offset equals it. */
#define COOK_STATE_MAX_ROWS (UINT32_MAX - 16)

/* One table seen without its row type. `items` is the address of the array pointer. */
struct cook_state_array {
    void *items;
    uint32_t *count;
    uint32_t *capacity;
    size_t row_size;
};
struct cook_state_array cook_state_array(struct cook_state *state, enum cook_state_table table);
/* The rows of a table; NULL while it is empty. */
const void *cook_state_rows(const struct cook_state *state, enum cook_state_table table,
                            uint32_t *count, size_t *row_size);

/* Record what went wrong, once, so that the next commit refuses; returns `status`. */
enum cook_status cook_state_fail(struct cook_state *state, enum cook_status status);
/* Room for `extra` more rows of a thawed state; false (and failed) when memory is short. */
bool cook_state_reserve(struct cook_state *state, enum cook_state_table table, uint32_t extra);
/* Ask for huge pages: first touches of large tables cost more than what is done with them. */
void cook_state_advise(void *memory, size_t size);
/* Append a zeroed row to a thawed state, marked dirty where `dirty`; its id or COOK_ID_NONE. */
uint32_t cook_state_push(struct cook_state *state, enum cook_state_table table, bool dirty);
/* Append `count` rows, unmarked, to a thawed state; false (and failed) when memory is short. */
bool cook_state_append(struct cook_state *state, enum cook_state_table table, const void *rows,
                       uint32_t count);
/* Append bytes to the pool of a thawed state without sharing; the offset or COOK_ID_NONE. */
uint32_t cook_state_push_pool(struct cook_state *state, const void *bytes, size_t size);
/* The table whose dirty marks speak for `table`: results are marked as packages. */
enum cook_state_table cook_state_dirty_table(enum cook_state_table table);
bool cook_state_is_dirty(const struct cook_state *state); /* any row is marked */
void cook_state_clear_dirty(struct cook_state *state);

/*
 * Check every id that rows hold against the tables they refer to, in one pass. Pool offsets are
 * checked where they are used (cook_state_text, cook_state_blob), and so is the kind of row
 * that a dependency's `target` means. COOK_E_DAMAGED names the table.
 */
enum cook_status cook_state_check(const struct cook_state *state,
                                  struct cook_error *error) COOK_CHECK_RESULT;

void cook_state_lookup_finish(struct cook_state_lookup *lookup); /* NULL allowed */
/* Forget the hash indexes of files and packages: the sorted orders now cover all rows. */
void cook_state_lookup_sorted(struct cook_state *state);

/* What identifies a row of the tables that have a look-up. Bytes are borrowed. */
struct cook_state_key {
    const void *bytes;
    size_t size;
    uint32_t number; /* folder of a file, kind of a dependency, of a set by its origins, else 0 */
};
uint64_t cook_state_key_hash(const struct cook_state_key *key);
/* What tells sets of the same dependencies apart; 0 for no origins. */
uint32_t cook_state_origins_number(const void *origins, size_t size);
uint32_t cook_state_find(struct cook_state *state, enum cook_state_table table,
                         const struct cook_state_key *key);
/* Make sure that cook_state_index_row() can not fail for the next new row. */
bool cook_state_index_reserve(struct cook_state *state, enum cook_state_table table);
void cook_state_index_row(struct cook_state *state, enum cook_state_table table, uint32_t id,
                          uint64_t hash);
/*
 * The slot of the sharing cache for pool entries of this hash, which holds the offset of an
 * earlier entry or 0; NULL when there is no memory for a cache.
 */
uint32_t *cook_state_share_slot(struct cook_state *state, uint64_t hash);

#endif
