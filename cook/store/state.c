#include "cook/store/state.h"

#include <string.h>
#include <sys/mman.h>

#include "cook/base/alloc.h"
#include "cook/store/state_private.h"

#define HUGE_PAGE_BYTES ((uintptr_t)2 << 20)

/* Marks exist for the tables that are rows in SQLite; the pool and the ids travel inside them.
 */
static bool has_marks(enum cook_state_table table)
{
    return table < COOK_TABLE_ids && table != COOK_TABLE_results;
}

enum cook_state_table cook_state_dirty_table(enum cook_state_table table)
{
    return table == COOK_TABLE_results ? COOK_TABLE_packages : table;
}

struct cook_state_array cook_state_array(struct cook_state *state, enum cook_state_table table)
{
    switch (table) {
#define ARRAY_CASE(field, type)                                                                \
    case COOK_TABLE_##field:                                                                   \
        return (struct cook_state_array){ &state->field, &state->field##_count,                \
                                          &state->field##_capacity, sizeof(type) };
        COOK_STATE_TABLES(ARRAY_CASE)
#undef ARRAY_CASE
    case COOK_STATE_TABLE_COUNT:
        break;
    }
    return (struct cook_state_array){ NULL, NULL, NULL, 0 };
}

const void *cook_state_rows(const struct cook_state *state, enum cook_state_table table,
                            uint32_t *count, size_t *row_size)
{
    switch (table) {
#define ROWS_CASE(field, type)                                                                 \
    case COOK_TABLE_##field:                                                                   \
        *count = state->field##_count;                                                         \
        *row_size = sizeof(type);                                                              \
        return state->field;
        COOK_STATE_TABLES(ROWS_CASE)
#undef ROWS_CASE
    case COOK_STATE_TABLE_COUNT:
        break;
    }
    *count = 0;
    *row_size = 0;
    return NULL;
}

enum cook_status cook_state_fail(struct cook_state *state, enum cook_status status)
{
    if (state->failed == COOK_OK)
        state->failed = status;
    return status;
}

/* The arrays' pointers have types of their own; copying bytes keeps the aliasing rules. */
static void *get_items(const struct cook_state_array *array)
{
    void *items;
    memcpy(&items, array->items, sizeof(items));
    return items;
}

static void set_items(const struct cook_state_array *array, void *items)
{
    memcpy(array->items, &items, sizeof(items));
}

void cook_state_advise(void *memory, size_t size)
{
    uintptr_t start = ((uintptr_t)memory + HUGE_PAGE_BYTES - 1) & ~(HUGE_PAGE_BYTES - 1);
    uintptr_t end = ((uintptr_t)memory + size) & ~(HUGE_PAGE_BYTES - 1);
    if (end > start)
        (void)madvise((char *)memory + (start - (uintptr_t)memory), end - start, MADV_HUGEPAGE);
}

static bool grow_marks(struct cook_state *state, enum cook_state_table table, uint32_t old,
                       uint32_t wanted)
{
    if (!has_marks(table))
        return true;
    uint8_t *marks = cook_realloc(state->dirty[table], wanted);
    if (!marks)
        return false;
    memset(marks + old, 0, wanted - old);
    state->dirty[table] = marks;
    return true;
}

/* The pool keeps one spare zero byte, so that its last text is terminated whatever it holds. */
static size_t spare_rows(enum cook_state_table table)
{
    return table == COOK_TABLE_pool ? 1 : 0;
}

static bool set_capacity(struct cook_state *state, enum cook_state_table table, uint32_t wanted)
{
    struct cook_state_array array = cook_state_array(state, table);
    if (!grow_marks(state, table, *array.capacity, wanted))
        return false;
    void *items =
        cook_realloc_array(get_items(&array), wanted + spare_rows(table), array.row_size);
    if (!items)
        return false;
    cook_state_advise(items, wanted * array.row_size);
    if (table == COOK_TABLE_pool)
        ((char *)items)[*array.count] = '\0';
    set_items(&array, items);
    *array.capacity = wanted;
    return true;
}

bool cook_state_reserve(struct cook_state *state, enum cook_state_table table, uint32_t extra)
{
    struct cook_state_array array = cook_state_array(state, table);
    uint32_t capacity = *array.capacity;
    if (extra <= capacity - *array.count)
        return true;
    if (extra > COOK_STATE_MAX_ROWS - *array.count) {
        cook_state_fail(state, COOK_E_LIMIT);
        return false;
    }
    uint32_t needed = *array.count + extra;
    uint32_t wanted = capacity > COOK_STATE_MAX_ROWS / 2 ? COOK_STATE_MAX_ROWS : capacity * 2;
    if (wanted < needed)
        wanted = needed;
    if (wanted < 64)
        wanted = 64;
    if (set_capacity(state, table, wanted))
        return true;
    cook_state_fail(state, COOK_E_NO_MEMORY);
    return false;
}

uint32_t cook_state_push(struct cook_state *state, enum cook_state_table table, bool dirty)
{
    if (!cook_state_reserve(state, table, 1))
        return COOK_ID_NONE;
    struct cook_state_array array = cook_state_array(state, table);
    uint32_t id = (*array.count)++;
    memset((char *)get_items(&array) + id * array.row_size, 0, array.row_size);
    if (has_marks(table))
        state->dirty[table][id] = dirty;
    return id;
}

bool cook_state_append(struct cook_state *state, enum cook_state_table table, const void *rows,
                       uint32_t count)
{
    if (!cook_state_reserve(state, table, count))
        return false;
    struct cook_state_array array = cook_state_array(state, table);
    char *end = (char *)get_items(&array) + *array.count * array.row_size;
    if (count)
        memcpy(end, rows, count * array.row_size);
    if (count && has_marks(table))
        memset(state->dirty[table] + *array.count, 0, count);
    *array.count += count;
    return true;
}

uint32_t cook_state_push_pool(struct cook_state *state, const void *bytes, size_t size)
{
    uint32_t start = state->pool_count ? 0 : 1; /* offset 0 is the empty text */
    if (size > COOK_STATE_MAX_ROWS - start) {
        cook_state_fail(state, COOK_E_LIMIT);
        return COOK_ID_NONE;
    }
    if (!cook_state_reserve(state, COOK_TABLE_pool, (uint32_t)size + start))
        return COOK_ID_NONE;
    if (start)
        state->pool[state->pool_count++] = '\0';
    uint32_t offset = state->pool_count;
    if (size)
        memcpy(state->pool + offset, bytes, size);
    state->pool_count += (uint32_t)size;
    state->pool[state->pool_count] = '\0';
    return offset;
}

void cook_state_init(struct cook_state *state)
{
    memset(state, 0, sizeof(*state));
    /* Short of memory the pool stays absent, which reads as empty texts; additions try again.
     */
    if (cook_state_push_pool(state, "", 0) == COOK_ID_NONE)
        state->failed = COOK_OK;
}

static void free_arrays(struct cook_state *state)
{
#define FREE_ARRAY(field, type)                                                                \
    if (state->field##_capacity)                                                               \
        cook_free(state->field);
    COOK_STATE_TABLES(FREE_ARRAY)
#undef FREE_ARRAY
    if (!state->mapped) {
        cook_free(state->package_order);
        cook_free(state->file_order);
    }
    for (int table = 0; table < COOK_STATE_TABLE_COUNT; table++)
        cook_free(state->dirty[table]);
}

void cook_state_finish(struct cook_state *state)
{
    free_arrays(state);
    if (state->map)
        munmap(state->map, state->map_size);
    cook_state_lookup_finish(state->lookup);
    memset(state, 0, sizeof(*state));
}

/* An owned copy of one mapped table, with room to grow and clean marks. */
static bool copy_table(struct cook_state *to, const struct cook_state *from,
                       enum cook_state_table table)
{
    uint32_t count;
    size_t row_size;
    const void *rows = cook_state_rows(from, table, &count, &row_size);
    uint32_t slack = count / 8 + 64;
    uint32_t wanted = count > COOK_STATE_MAX_ROWS - slack ? COOK_STATE_MAX_ROWS : count + slack;
    if (!set_capacity(to, table, wanted))
        return false;
    struct cook_state_array array = cook_state_array(to, table);
    if (count)
        memcpy(get_items(&array), rows, count * row_size);
    *array.count = count;
    if (table == COOK_TABLE_pool)
        to->pool[count] = '\0';
    return true;
}

static bool copy_order(uint32_t **to, const uint32_t *from, uint32_t count)
{
    if (!count)
        return true;
    *to = cook_malloc(count * sizeof(**to));
    if (*to)
        memcpy(*to, from, count * sizeof(**to));
    return *to != NULL;
}

static bool copy_state(struct cook_state *to, const struct cook_state *from)
{
    for (int table = 0; table < COOK_STATE_TABLE_COUNT; table++) {
        if (!copy_table(to, from, (enum cook_state_table)table))
            return false;
    }
    to->order_packages = from->order_packages;
    to->order_files = from->order_files;
    return copy_order(&to->package_order, from->package_order, from->order_packages) &&
           copy_order(&to->file_order, from->file_order, from->order_files);
}

/* Nothing of the mapped arrays; all else stays as it is. */
static void forget_arrays(struct cook_state *state)
{
#define FORGET_ARRAY(field, type)                                                              \
    state->field = NULL;                                                                       \
    state->field##_count = 0;                                                                  \
    state->field##_capacity = 0;
    COOK_STATE_TABLES(FORGET_ARRAY)
#undef FORGET_ARRAY
    state->package_order = NULL;
    state->file_order = NULL;
    state->order_packages = 0;
    state->order_files = 0;
    state->mapped = false;
    state->map = NULL;
    state->map_size = 0;
}

enum cook_status cook_state_thaw(struct cook_state *state, struct cook_error *error)
{
    if (!state->mapped)
        return COOK_OK;
    struct cook_state owned = *state;
    forget_arrays(&owned);
    if (!copy_state(&owned, state)) {
        free_arrays(&owned);
        cook_state_fail(state, COOK_E_NO_MEMORY);
        return cook_error_set(error, COOK_E_NO_MEMORY, "out of memory for the store's state");
    }
    if (state->map)
        munmap(state->map, state->map_size);
    *state = owned;
    return COOK_OK;
}

void cook_state_touch(struct cook_state *state, enum cook_state_table table, uint32_t id)
{
    if (cook_state_thaw(state, NULL) != COOK_OK) {
        /* The caller goes on to write the row: let it, in private memory, and never commit it.
         */
        (void)mprotect(state->map, state->map_size, PROT_READ | PROT_WRITE);
        return;
    }
    table = cook_state_dirty_table(table);
    struct cook_state_array array = cook_state_array(state, table);
    if (has_marks(table) && id < *array.count)
        state->dirty[table][id] = 1;
}

bool cook_state_is_dirty(const struct cook_state *state)
{
    for (int table = 0; table < COOK_STATE_TABLE_COUNT; table++) {
        uint32_t count;
        size_t row_size;
        (void)cook_state_rows(state, (enum cook_state_table)table, &count, &row_size);
        if (state->dirty[table] && memchr(state->dirty[table], 1, count))
            return true;
    }
    return false;
}

void cook_state_clear_dirty(struct cook_state *state)
{
    for (int table = 0; table < COOK_STATE_TABLE_COUNT; table++) {
        uint32_t count;
        size_t row_size;
        (void)cook_state_rows(state, (enum cook_state_table)table, &count, &row_size);
        if (state->dirty[table] && count)
            memset(state->dirty[table], 0, count);
    }
}
