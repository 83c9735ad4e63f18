/* Two stores of one temporary project, to be filled by a test and then compared. */
#ifndef TESTS_STORE_PAIR_H
#define TESTS_STORE_PAIR_H

#include "diffcook/compare.h"
#include "support/folder.h"

#include <cook/reader.h>

struct pair {
    struct test_folder folder;
    struct cook_store *stores[2]; /* while they are filled */
    uint32_t cooks[2];
    struct diff_operand operands[2];
    struct diff_comparison comparison;
    struct cook_error error;
};

static const char *const pair_names[2] = { "Old", "New" };

static inline int set_up(void **context)
{
    struct pair *pair = calloc(1, sizeof(*pair));
    *context = pair;
    if (!pair || test_folder_open(&pair->folder) != 0)
        return -1;
    for (int i = 0; i < 2; i++) {
        pair->operands[i] = (struct diff_operand)DIFF_OPERAND_INIT;
        if (cook_store_open(&pair->stores[i], pair->folder.fd, pair_names[i], COOK_STORE_WRITE,
                            NULL) != COOK_OK ||
            cook_store_begin_cook(pair->stores[i], &pair->cooks[i], "full", "{}", NULL) !=
                COOK_OK)
            return -1;
    }
    return 0;
}

static inline int tear_down(void **context)
{
    struct pair *pair = *context;
    cook_alloc_fail_after(-1);
    diff_comparison_finish(&pair->comparison);
    for (int i = 0; i < 2; i++) {
        diff_operand_finish(&pair->operands[i]);
        cook_store_close(pair->stores[i]);
    }
    int result = test_folder_close(&pair->folder);
    free(pair);
    return result;
}

/* A package whose bytes are the text; its row. */
static inline uint32_t add_package(struct pair *pair, int side, const char *name,
                                   const char *bytes)
{
    struct cook_state *state = cook_store_state(pair->stores[side]);
    uint32_t id = cook_state_add_package(state, name);
    assert_int_not_equal(id, COOK_ID_NONE);
    state->packages[id].flags = COOK_PACKAGE_PRESENT | COOK_PACKAGE_HAS_RESULT;
    state->packages[id].key = cook_hash_bytes(bytes, strlen(bytes));
    state->results[id].size_bytes = strlen(bytes);
    assert_int_equal(cook_store_put_blob(pair->stores[side], &state->results[id].bytes, bytes,
                                         strlen(bytes), NULL),
                     COOK_OK);
    return id;
}

/* A hard reference to a package of the same store. */
static inline void refer(struct pair *pair, int side, uint32_t from, uint32_t to)
{
    struct cook_state *state = cook_store_state(pair->stores[side]);
    struct cook_buf edges = COOK_BUF_INIT;
    cook_buf_put_varint(&edges, 1);
    cook_buf_put_u8(&edges, COOK_EDGE_HARD);
    cook_buf_put_varint(&edges, (uint64_t)to + 1);
    cook_buf_put_string(&edges, cook_state_text(state, state->packages[to].name));
    cook_buf_put_bytes(&edges, "", 0);
    state->packages[from].edges = cook_state_add_blob(state, edges.data, edges.size);
    cook_buf_finish(&edges);
}

/* End both cooks and open them as operands. */
static inline void end_cooks(struct pair *pair)
{
    for (int i = 0; i < 2; i++) {
        struct cook_state *state = cook_store_state(pair->stores[i]);
        assert_int_equal(cook_state_sort(state, NULL), COOK_OK);
        struct cook_store_end end = { .summary_json = "{}",
                                      .packages = state->package_order,
                                      .package_count = state->packages_count };
        assert_int_equal(cook_store_end_cook(pair->stores[i], pair->cooks[i], &end, NULL),
                         COOK_OK);
        cook_store_close(pair->stores[i]);
        pair->stores[i] = NULL;
        assert_int_equal(
            diff_operand_open_store(&pair->operands[i], pair->folder.fd, pair_names[i], NULL),
            COOK_OK);
    }
}

static inline void compare_pair(struct pair *pair)
{
    end_cooks(pair);
    assert_int_equal(diff_compare_operands(&pair->comparison, &pair->operands[0],
                                           &pair->operands[1], &pair->error),
                     COOK_OK);
}

#endif
