#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <setjmp.h>

#include <cmocka.h>
#include <link.h>
#include <string.h>

#include "cook/base/alloc.h"
#include "cook/symbols/stacks.h"

/* Generous: the functions below are far smaller, and each is followed by others. */
#define FUNCTION_BYTES 1500

#if __has_attribute(noipa)
#define NOINLINE __attribute__((noipa))
#else
#define NOINLINE __attribute__((noinline))
#endif

struct fixture {
    struct cook_stacks *stacks;
    struct cook_buf bytes;
    struct cook_arena arena;
    struct cook_stack_set set;
    uintptr_t base; /* of this program */
};

static int main_base(struct dl_phdr_info *info, size_t size, void *data)
{
    (void)size;
    *(uintptr_t *)data = info->dlpi_addr;
    return 1; /* the program comes first */
}

static int set_up(void **state)
{
    static struct fixture fixture;
    memset(&fixture, 0, sizeof(fixture));
    dl_iterate_phdr(main_base, &fixture.base);
    *state = &fixture;
    return cook_stacks_create(&fixture.stacks, NULL) == COOK_OK ? 0 : -1;
}

static int tear_down(void **state)
{
    struct fixture *fixture = *state;
    cook_alloc_fail_after(-1);
    cook_stacks_destroy(fixture->stacks);
    cook_buf_finish(&fixture->bytes);
    cook_arena_finish(&fixture->arena);
    return 0;
}

static void encode_and_decode(struct fixture *fixture)
{
    cook_buf_clear(&fixture->bytes);
    cook_stacks_encode(fixture->stacks, &fixture->bytes);
    assert_false(fixture->bytes.failed);
    assert_int_equal(COOK_OK,
                     cook_stack_set_decode(&fixture->set, fixture->bytes.data,
                                           fixture->bytes.size, &fixture->arena, NULL));
}

static bool frame_is_in(const struct fixture *fixture, const struct cook_stack_frame *frame,
                        uintptr_t function)
{
    return fixture->base + frame->offset - function < FUNCTION_BYTES;
}

/* The shape of a cook: the SDK calls a hook, which calls a helper, which calls the SDK. */
struct call {
    struct fixture *fixture;
    unsigned skip;
    unsigned recursion;
    bool cut;
    uint32_t id;
    unsigned depth;
};

static NOINLINE uint32_t sdk_write(struct call *call, unsigned outer_depth)
{
    uint32_t id = cook_stacks_capture(call->fixture->stacks, call->skip, outer_depth);
    __asm__ volatile("");
    return id;
}

static NOINLINE void helper(struct call *call, unsigned outer_depth, unsigned recursion)
{
    if (recursion)
        helper(call, outer_depth, recursion - 1);
    else
        call->id = sdk_write(call, outer_depth);
    __asm__ volatile("");
}

static NOINLINE void hook(struct call *call, unsigned outer_depth)
{
    helper(call, outer_depth, call->recursion);
    __asm__ volatile("");
}

static NOINLINE void sdk_call_hook(struct call *call)
{
    call->depth = cook_stacks_depth();
    hook(call, call->cut ? call->depth : 0);
    __asm__ volatile("");
}

static struct cook_stack *decoded(struct call *call)
{
    encode_and_decode(call->fixture);
    assert_true(call->id < call->fixture->set.stack_count);
    return &call->fixture->set.stacks[call->id];
}

static void capture__cut_at_outer_depth_keeps_helper_and_hook(void **state)
{
    struct fixture *fixture = *state;
    struct call call = { .fixture = fixture, .skip = 1, .cut = true };
    sdk_call_hook(&call);
    struct cook_stack *stack = decoded(&call);
    assert_int_equal(2, stack->count);
    assert_true(frame_is_in(fixture, &stack->frames[0], (uintptr_t)helper));
    assert_true(frame_is_in(fixture, &stack->frames[1], (uintptr_t)hook));
}

static void capture__without_skip_starts_at_the_caller(void **state)
{
    struct fixture *fixture = *state;
    struct call call = { .fixture = fixture, .cut = true };
    sdk_call_hook(&call);
    struct cook_stack *stack = decoded(&call);
    assert_int_equal(3, stack->count);
    assert_true(frame_is_in(fixture, &stack->frames[0], (uintptr_t)sdk_write));
}

static void capture__uncut_holds_depth_frames_beyond_the_hook(void **state)
{
    struct fixture *fixture = *state;
    struct call call = { .fixture = fixture };
    sdk_call_hook(&call);
    struct cook_stack *stack = decoded(&call);
    assert_int_equal(3 + call.depth, stack->count);
    assert_true(frame_is_in(fixture, &stack->frames[3], (uintptr_t)sdk_call_hook));
}

static void capture__skip_beyond_the_stack_gives_an_empty_stack(void **state)
{
    struct fixture *fixture = *state;
    struct call call = { .fixture = fixture, .skip = 10000 };
    sdk_call_hook(&call);
    assert_int_equal(0, decoded(&call)->count);
}

static void capture__deep_recursion_is_cut_at_the_outer_depth(void **state)
{
    struct fixture *fixture = *state;
    struct call call = { .fixture = fixture, .skip = 1, .cut = true, .recursion = 100 };
    sdk_call_hook(&call);
    struct cook_stack *stack = decoded(&call);
    assert_int_equal(102, stack->count);
    assert_true(frame_is_in(fixture, &stack->frames[101], (uintptr_t)hook));
}

static void capture__very_deep_recursion_keeps_the_innermost_frames(void **state)
{
    struct fixture *fixture = *state;
    for (unsigned recursion = 200; recursion <= 2000; recursion += 1800) {
        struct call call = {
            .fixture = fixture, .skip = 1, .cut = true, .recursion = recursion
        };
        sdk_call_hook(&call);
        struct cook_stack *stack = decoded(&call);
        assert_int_equal(COOK_STACK_MAX_FRAMES, stack->count);
        assert_true(frame_is_in(fixture, &stack->frames[0], (uintptr_t)helper));
    }
}

static void capture__same_stack_again_gives_the_same_id(void **state)
{
    struct fixture *fixture = *state;
    struct call call = { .fixture = fixture, .skip = 1, .cut = true };
    for (int i = 0; i < 3; i++) {
        sdk_call_hook(&call);
        assert_int_equal(0, call.id);
    }
    assert_int_equal(1, cook_stacks_count(fixture->stacks));
}

static void capture__a_thousand_stacks_keep_their_ids(void **state)
{
    struct fixture *fixture = *state;
    for (volatile unsigned round = 0; round < 2; round = round + 1) { /* one call, not two */
        for (unsigned i = 0; i < 1000; i++) {
            struct call call = { .fixture = fixture, .skip = i / 100, .recursion = i % 100 };
            sdk_call_hook(&call);
            if (round)
                assert_true(call.id < cook_stacks_count(fixture->stacks));
        }
        if (!round)
            encode_and_decode(fixture);
    }
    assert_int_equal(fixture->set.stack_count, cook_stacks_count(fixture->stacks));
}

static void capture__short_memory_gives_none_and_recovers(void **state)
{
    struct fixture *fixture = *state;
    struct call call = { .fixture = fixture, .cut = true };
    for (long after = 0; after < 3; after++) {
        cook_alloc_fail_after(after);
        sdk_call_hook(&call);
        cook_alloc_fail_after(-1);
        assert_int_equal(COOK_STACK_NONE, call.id);
        assert_int_equal(0, cook_stacks_count(fixture->stacks));
        cook_stacks_destroy(fixture->stacks);
        assert_int_equal(COOK_OK, cook_stacks_create(&fixture->stacks, NULL));
    }
    sdk_call_hook(&call);
    assert_int_equal(3, decoded(&call)->count);
}

static void encode__short_memory_sets_failed(void **state)
{
    struct fixture *fixture = *state;
    struct call call = { .fixture = fixture };
    sdk_call_hook(&call);
    bool succeeded = false;
    for (long after = 0; after < 200 && !succeeded; after++) {
        struct cook_buf bytes = COOK_BUF_INIT;
        cook_alloc_fail_after(after);
        cook_stacks_encode(fixture->stacks, &bytes);
        cook_alloc_fail_after(-1);
        succeeded = !bytes.failed;
        cook_buf_finish(&bytes);
    }
    assert_true(succeeded);
}

static void encode__names_this_program_with_a_build_id(void **state)
{
    struct fixture *fixture = *state;
    struct call call = { .fixture = fixture, .cut = true };
    sdk_call_hook(&call);
    decoded(&call);
    assert_int_equal(1, fixture->set.module_count);
    assert_non_null(strstr(fixture->set.modules[0].name, "symbols_stacks"));
    assert_int_equal('/', fixture->set.modules[0].path[0]);
    assert_int_equal(40, strlen(fixture->set.modules[0].build_id));
}

static void encode__no_stacks_decodes_to_an_empty_set(void **state)
{
    struct fixture *fixture = *state;
    encode_and_decode(fixture);
    assert_int_equal(0, fixture->set.stack_count);
    assert_int_equal(0, fixture->set.module_count);
}

static void decode__every_shorter_prefix_is_malformed(void **state)
{
    struct fixture *fixture = *state;
    struct call call = { .fixture = fixture };
    sdk_call_hook(&call);
    decoded(&call);
    struct cook_error error = COOK_ERROR_INIT;
    for (size_t size = 0; size < fixture->bytes.size; size++) {
        struct cook_stack_set set;
        assert_int_equal(
            COOK_E_MALFORMED,
            cook_stack_set_decode(&set, fixture->bytes.data, size, &fixture->arena, &error));
        assert_int_equal(0, set.stack_count);
    }
    assert_string_equal("malformed callstacks", error.message);
}

static void decode__damaged_bytes_never_index_a_missing_module(void **state)
{
    struct fixture *fixture = *state;
    struct call call = { .fixture = fixture };
    sdk_call_hook(&call);
    decoded(&call);
    for (size_t at = 0; at < fixture->bytes.size; at++) {
        struct cook_stack_set set;
        fixture->bytes.data[at] ^= 0x55;
        if (cook_stack_set_decode(&set, fixture->bytes.data, fixture->bytes.size,
                                  &fixture->arena, NULL) == COOK_OK) {
            for (uint32_t i = 0; i < set.stack_count; i++)
                for (uint32_t j = 0; j < set.stacks[i].count; j++)
                    assert_true(set.stacks[i].frames[j].module < set.module_count);
        }
        fixture->bytes.data[at] ^= 0x55;
    }
}

static void decode__huge_counts_are_malformed(void **state)
{
    struct fixture *fixture = *state;
    const unsigned char modules[] = { 1, 0xff, 0xff, 0xff, 0xff, 0x0f };
    const unsigned char stacks[] = { 1, 0, 0xff, 0xff, 0xff, 0xff, 0x0f };
    const unsigned char frames[] = { 1, 0, 1, 0xff, 0xff, 0x03 };
    struct cook_stack_set set;
    assert_int_equal(COOK_E_MALFORMED, cook_stack_set_decode(&set, modules, sizeof(modules),
                                                             &fixture->arena, NULL));
    assert_int_equal(COOK_E_MALFORMED, cook_stack_set_decode(&set, stacks, sizeof(stacks),
                                                             &fixture->arena, NULL));
    assert_int_equal(COOK_E_MALFORMED, cook_stack_set_decode(&set, frames, sizeof(frames),
                                                             &fixture->arena, NULL));
}

static void trim__drops_leading_frames_of_a_versioned_module(void **state)
{
    (void)state;
    struct cook_stack_module modules[] = { { "libcook.so.0", "", "" }, { "arena.so", "", "" } };
    struct cook_stack_frame mixed[] = { { 0, 1 }, { 0, 2 }, { 1, 3 }, { 0, 4 } };
    struct cook_stack_frame inside[] = { { 0, 1 } };
    struct cook_stack stacks[] = { { mixed, 4 }, { inside, 1 } };
    struct cook_stack_set set = { modules, 2, stacks, 2 };
    cook_stack_set_trim(&set, "libcook.so");
    assert_int_equal(2, stacks[0].count);
    assert_int_equal(3, stacks[0].frames[0].offset);
    assert_int_equal(1, stacks[1].count);
    cook_stack_set_trim(&set, "arena");
    assert_int_equal(1, stacks[0].count);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(capture__cut_at_outer_depth_keeps_helper_and_hook),
        TEST(capture__without_skip_starts_at_the_caller),
        TEST(capture__uncut_holds_depth_frames_beyond_the_hook),
        TEST(capture__skip_beyond_the_stack_gives_an_empty_stack),
        TEST(capture__deep_recursion_is_cut_at_the_outer_depth),
        TEST(capture__very_deep_recursion_keeps_the_innermost_frames),
        TEST(capture__same_stack_again_gives_the_same_id),
        TEST(capture__a_thousand_stacks_keep_their_ids),
        TEST(capture__short_memory_gives_none_and_recovers),
        TEST(encode__short_memory_sets_failed),
        TEST(encode__names_this_program_with_a_build_id),
        TEST(encode__no_stacks_decodes_to_an_empty_set),
        TEST(decode__every_shorter_prefix_is_malformed),
        TEST(decode__damaged_bytes_never_index_a_missing_module),
        TEST(decode__huge_counts_are_malformed),
        TEST(trim__drops_leading_frames_of_a_versioned_module),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
