#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <setjmp.h>

#include <cmocka.h>

#include "cook/store/stacks.h"
#include "store_fixture.h"

static struct cook_stack_module module = { "rock.so", "/nowhere/rock.so", "abcd" };
static struct cook_stack_frame frames[] = { { 0, 16 }, { 0, 32 }, { 0, 48 } };
static struct cook_stack of_set[] = { { frames, 3 }, { frames + 1, 2 }, { frames, 0 } };
static const struct cook_stack_set set = { &module, 1, of_set, 3 };

static uint32_t put(struct fixture *f, struct cook_store *store, uint32_t stack)
{
    uint32_t id;
    assert_int_equal(cook_store_put_stack(store, &id, &set, stack, &f->error), COOK_OK);
    return id;
}

static void put__same_stack_twice__is_kept_once(void **state)
{
    struct fixture *f = *state;
    struct cook_store *store = fixture_open(f, COOK_STORE_WRITE);
    uint32_t first = put(f, store, 0);
    assert_int_not_equal(put(f, store, 1), first);
    assert_int_equal(put(f, store, 0), first);
    cook_store_close(store);
}

static void put__committed__is_there_when_opened_again(void **state)
{
    struct fixture *f = *state;
    struct cook_symbol_frame read[8];
    struct cook_store *store = fixture_open(f, COOK_STORE_WRITE);
    put(f, store, 0);
    assert_int_equal(cook_store_commit(store, &f->error), COOK_OK);
    uint32_t empty = put(f, store, 2);
    uint32_t id = put(f, store, 1);
    assert_int_equal(cook_store_commit(store, &f->error), COOK_OK);
    cook_store_close(store);
    store = fixture_open(f, COOK_STORE_READ);
    assert_int_equal(cook_store_stack(store, id, read, 8), 2);
    assert_string_equal(read[0].module, "rock.so");
    assert_string_equal(read[0].build_id, "abcd");
    assert_int_equal(read[1].offset, 48);
    assert_null(read[0].function);
    assert_int_equal(cook_store_stack(store, id, read, 1), 1);
    assert_int_equal(cook_store_stack(store, empty, read, 8), 0);
    assert_int_equal(cook_store_stack(store, 99, read, 8), 0);
    cook_store_close(store);
}

static void put__not_committed__is_gone(void **state)
{
    struct fixture *f = *state;
    struct cook_symbol_frame read[8];
    struct cook_store *store = fixture_open(f, COOK_STORE_WRITE);
    uint32_t id = put(f, store, 0);
    cook_store_close(store);
    store = fixture_open(f, COOK_STORE_WRITE);
    assert_int_equal(cook_store_stack(store, id, read, 8), 0);
    cook_store_close(store);
}

/* A stack of this program, which has debug information. */
static void name__own_stack__is_named_without_its_binary(void **state)
{
    struct fixture *f = *state;
    struct cook_stacks *stacks;
    struct cook_stack_set own;
    struct cook_symbolizer *symbolizer;
    struct cook_buf bytes = COOK_BUF_INIT;
    const struct cook_symbolizer_options options = { NULL, 0 };
    struct cook_symbol_frame read[COOK_STACK_MAX_FRAMES];
    uint32_t id;
    assert_int_equal(cook_stacks_create(&stacks, NULL), COOK_OK);
    uint32_t captured = cook_stacks_capture(stacks, 0, 0);
    cook_stacks_encode(stacks, &bytes);
    assert_int_equal(cook_stack_set_decode(&own, bytes.data, bytes.size, &f->arena, NULL), COOK_OK);
    struct cook_store *store = fixture_open(f, COOK_STORE_WRITE);
    assert_int_equal(cook_store_put_stack(store, &id, &own, captured, &f->error), COOK_OK);
    assert_int_equal(cook_symbolizer_create(&symbolizer, &options, NULL), COOK_OK);
    assert_int_equal(cook_store_name_stacks(store, symbolizer, &f->error), COOK_OK);
    cook_symbolizer_destroy(symbolizer);
    assert_int_equal(cook_store_commit(store, &f->error), COOK_OK);
    cook_store_close(store);
    store = fixture_open(f, COOK_STORE_READ);
    size_t count = cook_store_stack(store, id, read, COOK_STACK_MAX_FRAMES);
    bool found = false;
    for (size_t i = 0; i < count; i++)
        found |= read[i].function && strstr(read[i].function, "name__own_stack");
    assert_true(found);
    cook_store_close(store);
    cook_buf_finish(&bytes);
    cook_stacks_destroy(stacks);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, fixture_set_up, fixture_tear_down)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(put__same_stack_twice__is_kept_once),
        TEST(put__committed__is_there_when_opened_again),
        TEST(put__not_committed__is_gone),
        TEST(name__own_stack__is_named_without_its_binary),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
