#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <setjmp.h>
#include <cmocka.h>
#include <stdio.h>

#include "cook/trace/notes.h"

static void add(struct cook_trace_notes *notes, uint32_t package, const char *path, void *pc)
{
    struct cook_trace_note note = { .package = package, .number = 2 };
    cook_trace_notes_add(notes, note, path, "", &pc, 1);
}

static void add__keeps_each_once(void **state)
{
    struct cook_trace_notes notes;
    (void)state;
    assert_true(cook_trace_notes_init(&notes));
    int here;
    for (int i = 0; i < 5; i++)
        add(&notes, 2, "a.txt", &here);
    add(&notes, 4, "a.txt", &here);
    add(&notes, 2, "b.txt", &here);
    add(&notes, 2, "a.txt", &notes);
    assert_int_equal(notes.count, 4);
    assert_string_equal(cook_intern_text(&notes.texts, notes.items[2].path), "b.txt");
    assert_int_equal(notes.items[0].stack, notes.items[1].stack);
    assert_int_not_equal(notes.items[0].stack, notes.items[3].stack);
    cook_trace_notes_finish(&notes);
}

static void clear__forgets_notes_and_keeps_stacks(void **state)
{
    struct cook_trace_notes notes;
    int here;
    (void)state;
    assert_true(cook_trace_notes_init(&notes));
    add(&notes, 2, "a.txt", &here);
    cook_trace_notes_clear(&notes);
    assert_int_equal(notes.count, 0);
    add(&notes, 2, "a.txt", &here);
    assert_int_equal(notes.count, 1);
    assert_int_equal(cook_stacks_count(notes.stacks), 1);
    cook_trace_notes_finish(&notes);
}

static void add__counts_what_is_beyond_the_limit(void **state)
{
    struct cook_trace_notes notes;
    int here;
    (void)state;
    assert_true(cook_trace_notes_init(&notes));
    for (int i = 0; i < COOK_TRACE_MAX_NOTES + 10; i++) {
        char path[32];
        snprintf(path, sizeof(path), "%d", i);
        add(&notes, 2, path, &here);
    }
    assert_int_equal(notes.count, COOK_TRACE_MAX_NOTES);
    assert_int_equal(notes.dropped, 10);
    cook_trace_notes_finish(&notes);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(add__keeps_each_once),
        cmocka_unit_test(clear__forgets_notes_and_keeps_stacks),
        cmocka_unit_test(add__counts_what_is_beyond_the_limit),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
