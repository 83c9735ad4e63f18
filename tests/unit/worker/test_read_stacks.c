#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <setjmp.h>

#include <cmocka.h>

#include "cook/deps/dep.h"
#include "cook/worker/reads.h"

struct fixture {
    struct cook_reads *reads;
    struct cook_buf bytes;
    struct cook_arena arena;
    struct cook_read_set set;
};

static int set_up(void **state)
{
    struct fixture *f = cook_calloc(1, sizeof(*f));
    *state = f;
    return f && cook_reads_create(&f->reads, NULL) == COOK_OK ? 0 : -1;
}

static int tear_down(void **state)
{
    struct fixture *f = *state;
    cook_reads_destroy(f->reads);
    cook_buf_finish(&f->bytes);
    cook_arena_finish(&f->arena);
    cook_free(f);
    return 0;
}

static void note__same_input_twice__keeps_the_first_stack(void **state)
{
    struct fixture *f = *state;
    cook_reads_note(f->reads, COOK_DEP_CONFIG, "[A] B");
    cook_reads_note(f->reads, COOK_DEP_ENV, "HOME");
    cook_reads_note(f->reads, COOK_DEP_CONFIG, "[A] B");
    cook_reads_encode(f->reads, &f->bytes);
    assert_int_equal(cook_reads_decode(&f->set, f->bytes.data, f->bytes.size, &f->arena, NULL),
                     COOK_OK);
    assert_int_equal(f->set.count, 2);
    const struct cook_read *read = cook_reads_find(&f->set, COOK_DEP_CONFIG, "[A] B");
    assert_non_null(read);
    assert_true(read->stack < f->set.stacks.stack_count);
    assert_true(f->set.stacks.stacks[read->stack].count > 0);
    assert_null(cook_reads_find(&f->set, COOK_DEP_ENV, "[A] B"));
}

static void decode__every_cut__is_refused_or_empty(void **state)
{
    struct fixture *f = *state;
    cook_reads_note(f->reads, COOK_DEP_FILE, "a.txt");
    cook_reads_encode(f->reads, &f->bytes);
    for (size_t size = 1; size < f->bytes.size; size++)
        assert_int_not_equal(cook_reads_decode(&f->set, f->bytes.data, size, &f->arena, NULL),
                             COOK_OK);
    assert_int_equal(cook_reads_decode(&f->set, NULL, 0, &f->arena, NULL), COOK_OK);
    assert_int_equal(f->set.count, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(note__same_input_twice__keeps_the_first_stack, set_up,
                                        tear_down),
        cmocka_unit_test_setup_teardown(decode__every_cut__is_refused_or_empty, set_up,
                                        tear_down),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
