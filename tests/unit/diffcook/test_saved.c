#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <setjmp.h>

#include <cmocka.h>

#include <stdlib.h>
#include <string.h>

#include "diffcook/saved.h"

struct fixture {
    struct cook_arena arena;
    struct cook_token_map map; /* six writes */
    struct cook_buf text;
    struct diff_saved saved;
};

static int set_up(void **state)
{
    struct fixture *f = calloc(1, sizeof(*f));
    assert_non_null(f);
    cook_token_map_init(&f->map);
    uint32_t path = cook_token_map_path(&f->map, "O:P", COOK_TOKEN_U32);
    for (int i = 0; i < 6; i++)
        cook_token_map_add(&f->map, path, 4, NULL);
    *state = f;
    return 0;
}

static int tear_down(void **state)
{
    struct fixture *f = *state;
    cook_token_map_finish(&f->map);
    cook_buf_finish(&f->text);
    cook_arena_finish(&f->arena);
    free(f);
    return 0;
}

/* Stack 7 of the old version, 7 of the new one: other functions; something is inlined at 0x40. */
static size_t give_frames(void *user, bool is_new, uint32_t stack,
                          struct cook_symbol_frame *frames, size_t max)
{
    (void)user;
    assert_true(max >= 3);
    if (stack != 7)
        return 0;
    const char *name = is_new ? "rock_write" : "rock_write_old";
    struct cook_symbol_frame frame = { name, "rock.c", 12, "rock.so", "abcd", 0x40, true };
    frames[0] = frame;
    frame.function = "rock_serialize";
    frame.inlined = false;
    frames[1] = frame;
    frames[2] = (struct cook_symbol_frame){ "main", NULL, 0, "worker", "ef", 0x99, false };
    return 3;
}

static void encode(struct fixture *f)
{
    static uint32_t old_ids[] = { 1, 7, 7, 2, 7 };
    static uint32_t new_ids[] = { 3, 3, 7, 3, 3, 3 };
    struct diff_difference difference = { .old_stack = 7, .new_stack = 7 };
    struct diff_result diff = { .differences = &difference, .count = 1 };
    struct diff_version old = { .stacks = old_ids, .stack_count = 5 };
    struct diff_version new = { .stacks = new_ids, .stack_count = 6 };
    struct diff_print_options print = { .frames = give_frames };
    assert_int_equal(diff_saved_encode(&f->text, &diff, &old, &new, &print, NULL), COOK_OK);
}

static enum cook_status decode(struct fixture *f, const char *text, size_t size)
{
    struct cook_error error = COOK_ERROR_INIT;
    return diff_saved_decode(&f->saved, text, size, &f->map, &f->map, &f->arena, &error);
}

static void round_trip__each_side_keeps_its_own_stacks(void **state)
{
    struct fixture *f = *state;
    struct cook_symbol_frame frames[8];
    encode(f);
    assert_int_equal(decode(f, (const char *)f->text.data, f->text.size), COOK_OK);
    assert_int_equal(f->saved.stack_count, 2);
    assert_int_equal(f->saved.frame_count, 4); /* two of the four outer ones are shared */
    assert_int_equal(f->saved.ids[0][0], COOK_STACK_NONE);
    assert_int_equal(f->saved.ids[0][4], f->saved.ids[0][1]);
    assert_int_equal(f->saved.ids[1][3], COOK_STACK_NONE);
    assert_int_equal(diff_saved_frames(&f->saved, f->saved.ids[0][2], frames, 8), 3);
    assert_string_equal(frames[0].function, "rock_write_old");
    assert_int_equal(diff_saved_frames(&f->saved, f->saved.ids[1][2], frames, 8), 3);
    assert_string_equal(frames[0].function, "rock_write");
    assert_string_equal(frames[0].file, "rock.c");
    assert_int_equal(frames[0].line, 12);
    assert_string_equal(frames[1].build_id, "abcd");
    assert_true(frames[0].inlined);
    assert_null(frames[2].file);
}

static void name__a_place_without_debug_info__gets_what_was_saved(void **state)
{
    struct fixture *f = *state;
    struct cook_symbol_frame frames[8] = {
        { NULL, NULL, 0, "rock.so", "abcd", 0x40, false },
        { NULL, NULL, 0, "rock.so", "00", 0x40, false }, /* another build */
        { "known", "known.c", 5, "rock.so", "abcd", 0x40, false },
    };
    encode(f);
    assert_int_equal(decode(f, (const char *)f->text.data, f->text.size), COOK_OK);
    assert_int_equal(diff_saved_name(&f->saved, frames, 3, 8), 4);
    assert_string_equal(frames[1].function, "rock_serialize");
    assert_null(frames[2].function);
    assert_string_equal(frames[3].function, "known");
}

static void name__no_room__is_cut(void **state)
{
    struct fixture *f = *state;
    struct cook_symbol_frame frames[1] = { { NULL, NULL, 0, "rock.so", "abcd", 0x40, false } };
    encode(f);
    assert_int_equal(decode(f, (const char *)f->text.data, f->text.size), COOK_OK);
    assert_int_equal(diff_saved_name(&f->saved, frames, 1, 1), 1);
}

/* Whatever is cut off or changed, nothing outside the tables is pointed to. */
static void decode__unsound__is_refused(void **state)
{
    struct fixture *f = *state;
    static const char *const bad[] = {
        "{}",
        "{\"schema\":\"cookproof/stacks/1\",\"frames\":[],\"stacks\":[[0]],\"old\":[],\"new\":[]}",
        "{\"schema\":\"cookproof/stacks/1\",\"frames\":[],\"stacks\":[[]],\"old\":[[0,7,0]],"
        "\"new\":[]}",
        "{\"schema\":\"cookproof/stacks/1\",\"frames\":[],\"stacks\":[[]],\"old\":[[6,0,0]],"
        "\"new\":[]}",
        "{\"schema\":\"cookproof/stacks/1\",\"frames\":[],\"stacks\":[[]],\"old\":[[0,1,1]],"
        "\"new\":[]}",
        "{\"schema\":\"cookproof/stacks/1\",\"frames\":[{}],\"stacks\":[],\"old\":[],\"new\":[]}",
        "{\"schema\":\"cookproof/stacks/1\",\"frames\":[],\"stacks\":[],\"old\":[]}",
    };
    for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++)
        assert_int_not_equal(decode(f, bad[i], strlen(bad[i])), COOK_OK);
    encode(f);
    for (size_t size = 0; size + 2 < f->text.size; size++)
        assert_int_not_equal(decode(f, (const char *)f->text.data, size), COOK_OK);
    assert_int_equal(f->saved.stack_count, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(round_trip__each_side_keeps_its_own_stacks, set_up,
                                        tear_down),
        cmocka_unit_test_setup_teardown(name__a_place_without_debug_info__gets_what_was_saved,
                                        set_up, tear_down),
        cmocka_unit_test_setup_teardown(name__no_room__is_cut, set_up, tear_down),
        cmocka_unit_test_setup_teardown(decode__unsound__is_refused, set_up, tear_down),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
