#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <setjmp.h>
#include <cmocka.h>

#include <string.h>

#include "cook/base/alloc.h"
#include "cook/registry/facts.h"

struct fixture {
    struct cook_arena arena;
    struct cook_buf blob;
    struct cook_facts facts;
    struct cook_error error;
};

static const struct cook_fact_object objects[] = {
    { "World", "/Script/Cook.World" },
    { "World/Mesh", "/Script/Cook.StaticMesh" },
};
static const struct cook_fact_reference references[] = {
    { COOK_EDGE_HARD, "/Game/A" },
    { COOK_EDGE_SOFT, "/Game/B.Mesh" },
    { COOK_EDGE_EDITOR_ONLY, "/Game/C" },
};
static const struct cook_fact_tag tags[] = { { "Triangles", "12" }, { "Vertices", "" } };

static int set_up(void **state)
{
    struct fixture *f = cook_calloc(1, sizeof(*f));
    *state = f;
    if (!f)
        return -1;
    struct cook_facts facts = { objects, 2, references, 3, tags, 2, NULL };
    cook_facts_encode(&facts, &f->blob);
    return f->blob.failed ? -1 : 0;
}

static int tear_down(void **state)
{
    struct fixture *f = *state;
    cook_alloc_fail_after(-1);
    cook_buf_finish(&f->blob);
    cook_arena_finish(&f->arena);
    cook_free(f);
    return 0;
}

static enum cook_status decode(struct fixture *f, const void *bytes, size_t size)
{
    return cook_facts_decode(&f->facts, bytes, size, &f->arena, &f->error);
}

static void decode__gives_back_what_was_encoded(void **state)
{
    struct fixture *f = *state;
    assert_int_equal(decode(f, f->blob.data, f->blob.size), COOK_OK);
    assert_int_equal(f->facts.object_count, 2);
    assert_string_equal(f->facts.objects[1].path, "World/Mesh");
    assert_string_equal(f->facts.objects[1].class_name, "/Script/Cook.StaticMesh");
    assert_int_equal(f->facts.reference_count, 3);
    assert_int_equal(f->facts.references[2].edge, COOK_EDGE_EDITOR_ONLY);
    assert_string_equal(f->facts.references[1].path, "/Game/B.Mesh");
    assert_int_equal(f->facts.tag_count, 2);
    assert_string_equal(f->facts.tags[0].value, "12");
    assert_null(f->facts.fault);
    struct cook_buf again = COOK_BUF_INIT;
    cook_facts_encode(&f->facts, &again);
    assert_int_equal(again.size, f->blob.size);
    assert_memory_equal(again.data, f->blob.data, again.size);
    cook_buf_finish(&again);
}

static void decode__gives_back_a_fault(void **state)
{
    struct fixture *f = *state;
    cook_buf_clear(&f->blob);
    cook_facts_encode(&(struct cook_facts){ .fault = "a.asset:3: no" }, &f->blob);
    assert_int_equal(decode(f, f->blob.data, f->blob.size), COOK_OK);
    assert_string_equal(f->facts.fault, "a.asset:3: no");
    assert_int_equal(f->facts.object_count, 0);
}

static void decode__refuses_every_cut(void **state)
{
    struct fixture *f = *state;
    for (size_t size = 0; size < f->blob.size; size++) {
        assert_int_equal(decode(f, f->blob.data, size), COOK_E_MALFORMED);
        assert_int_equal(f->facts.object_count, 0);
    }
    cook_buf_put_u8(&f->blob, 0);
    assert_int_equal(decode(f, f->blob.data, f->blob.size), COOK_E_MALFORMED);
}

static void decode__survives_every_flipped_byte(void **state)
{
    struct fixture *f = *state;
    for (size_t at = 0; at < f->blob.size; at++) {
        for (unsigned mask = 1; mask < 256; mask++) {
            f->blob.data[at] ^= (uint8_t)mask;
            enum cook_status status = decode(f, f->blob.data, f->blob.size);
            assert_true(status == COOK_OK || status == COOK_E_MALFORMED);
            f->blob.data[at] ^= (uint8_t)mask;
        }
    }
}

static void decode__refuses_counts_that_cannot_fit(void **state)
{
    struct fixture *f = *state;
    const uint8_t bytes[] = { 1, 0, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0x7f };
    assert_int_equal(decode(f, bytes, sizeof(bytes)), COOK_E_MALFORMED);
}

static void decode__fails_cleanly_when_memory_is_short(void **state)
{
    struct fixture *f = *state;
    enum cook_status status = COOK_E_NO_MEMORY;
    for (long n = 0; status != COOK_OK; n++) {
        cook_arena_finish(&f->arena);
        cook_alloc_fail_after(n);
        status = decode(f, f->blob.data, f->blob.size);
        cook_alloc_fail_after(-1);
        assert_true(status == COOK_OK || status == COOK_E_NO_MEMORY);
        assert_true(n < 1000);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)
        TEST(decode__gives_back_what_was_encoded),
        TEST(decode__gives_back_a_fault),
        TEST(decode__refuses_every_cut),
        TEST(decode__survives_every_flipped_byte),
        TEST(decode__refuses_counts_that_cannot_fit),
        TEST(decode__fails_cleanly_when_memory_is_short),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
