#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <setjmp.h>

#include <cmocka.h>

#include <string.h>

#include "cook/object/marshal.h"

struct point {
    int16_t x, y;
};
struct value {
    bool flag;
    double real;
    struct cook_string string;
    struct cook_name name;
    struct cook_ref ref;
    struct cook_bytes bytes;
    struct point point;
    struct cook_array points; /* of struct point */
    struct cook_map ages;     /* of uint32_t */
    int32_t hidden;           /* transient */
};

static const struct cook_property point_properties[] = {
    COOK_PROPERTY(struct point, x, "X", COOK_PROPERTY_I16),
    COOK_PROPERTY(struct point, y, "Y", COOK_PROPERTY_I16),
    COOK_PROPERTY_END,
};
static const struct cook_struct point_struct = { .name = "Point",
                                                 .size = sizeof(struct point),
                                                 .properties = point_properties };
static const struct cook_property properties[] = {
    COOK_PROPERTY(struct value, flag, "Flag", COOK_PROPERTY_BOOL),
    COOK_PROPERTY(struct value, real, "Real", COOK_PROPERTY_F64),
    COOK_PROPERTY(struct value, string, "String", COOK_PROPERTY_STRING),
    COOK_PROPERTY(struct value, name, "Name", COOK_PROPERTY_NAME),
    COOK_PROPERTY(struct value, ref, "Ref", COOK_PROPERTY_REF),
    COOK_PROPERTY(struct value, bytes, "Bytes", COOK_PROPERTY_BYTES),
    COOK_PROPERTY_TYPED(struct value, point, "Point", COOK_PROPERTY_STRUCT, "Point"),
    COOK_PROPERTY_ARRAY_OF(struct value, points, "Points", COOK_PROPERTY_STRUCT, "Point"),
    COOK_PROPERTY_MAP_OF(struct value, ages, "Ages", COOK_PROPERTY_U32, NULL),
    COOK_PROPERTY_FLAGGED(struct value, hidden, "Hidden", COOK_PROPERTY_I32,
                          COOK_PROPERTY_TRANSIENT),
    COOK_PROPERTY_END,
};

struct fixture {
    struct cook_registrar types;
    struct cook_arena arena;
    struct cook_buf bytes;
    struct value value;
    struct value read;
    struct point points[2];
    struct cook_string keys[1];
    uint32_t ages[1];
    uint8_t raw[3];
};

static int set_up(void **state)
{
    struct fixture *f = cook_calloc(1, sizeof(*f));
    *state = f;
    if (!f)
        return -1;
    cook_types_init(&f->types);
    cook_register_struct(&f->types, &point_struct);
    f->points[1] = (struct point){ 3, -4 };
    f->keys[0] = (struct cook_string){ "Ann", 3 };
    f->ages[0] = 33;
    memcpy(f->raw, "\0\1\2", 3);
    f->value = (struct value){ .flag = true,
                               .real = 0.25,
                               .string = { "text", 4 },
                               .name = { NULL },
                               .ref = { "" },
                               .bytes = { f->raw, 3 },
                               .point = { 1, 2 },
                               .points = { f->points, 2, 2 },
                               .ages = { f->keys, f->ages, 1, 1 },
                               .hidden = 5 };
    cook_marshal(&f->types, properties, &f->value, &f->bytes);
    return f->bytes.failed ? -1 : 0;
}

static int tear_down(void **state)
{
    struct fixture *f = *state;
    cook_alloc_fail_after(-1);
    cook_types_finish(&f->types);
    cook_arena_finish(&f->arena);
    cook_buf_finish(&f->bytes);
    cook_free(f);
    return 0;
}

static bool unmarshal(struct fixture *f, size_t size)
{
    struct cook_reader_buf in = cook_read_init(f->bytes.data, size);
    f->read = (struct value){ .hidden = 1 };
    cook_arena_finish(&f->arena);
    return cook_unmarshal(&f->types, properties, &f->read, &in, &f->arena) &&
           cook_read_at_end(&in);
}

static void unmarshal__gives_every_scalar_and_text(void **state)
{
    struct fixture *f = *state;
    assert_true(unmarshal(f, f->bytes.size));
    assert_true(f->read.flag && f->read.real == 0.25);
    assert_string_equal(f->read.string.data, "text");
    assert_null(f->read.name.text);
    assert_string_equal(f->read.ref.path, ""); /* empty is not null */
    assert_memory_equal(f->read.bytes.data, f->raw, 3);
    assert_int_equal(f->read.hidden, 1);
}

static void unmarshal__gives_structs_and_containers(void **state)
{
    struct fixture *f = *state;
    assert_true(unmarshal(f, f->bytes.size));
    assert_int_equal(f->read.point.y, 2);
    assert_int_equal(f->read.points.count, 2);
    assert_int_equal(((const struct point *)f->read.points.items)[1].y, -4);
    assert_int_equal(f->read.ages.count, 1);
    assert_string_equal(f->read.ages.keys[0].data, "Ann");
    assert_int_equal(((const uint32_t *)f->read.ages.values)[0], 33);
}

static void marshal__equal_values__equal_bytes(void **state)
{
    struct fixture *f = *state;
    struct cook_buf again = COOK_BUF_INIT;
    assert_true(unmarshal(f, f->bytes.size));
    f->read.hidden = 77;
    cook_marshal(&f->types, properties, &f->read, &again);
    assert_int_equal(again.size, f->bytes.size);
    assert_memory_equal(again.data, f->bytes.data, again.size);
    cook_buf_finish(&again);
}

static void unmarshal__cut_anywhere__does_not_fit(void **state)
{
    struct fixture *f = *state;
    for (size_t size = 0; size < f->bytes.size; size++)
        assert_false(unmarshal(f, size));
}

static void unmarshal__count_beyond_the_end__does_not_fit(void **state)
{
    struct fixture *f = *state;
    struct cook_reader_buf in = cook_read_init("\xff\xff\xff\xff\x0f", 5);
    struct cook_array array = { 0 };
    static const struct cook_property table[] = {
        { "A", COOK_PROPERTY_ARRAY, 0, 0, NULL, COOK_PROPERTY_U32 },
        COOK_PROPERTY_END,
    };
    assert_false(cook_unmarshal(&f->types, table, &array, &in, &f->arena));
    assert_int_equal(array.count, 0);
}

static void unmarshal__no_memory__does_not_fit_or_is_whole(void **state)
{
    struct fixture *f = *state;
    bool fits = false;
    for (long after = 0; !fits; after++) {
        assert_true(after < 100);
        cook_alloc_fail_after(after);
        fits = unmarshal(f, f->bytes.size);
        cook_alloc_fail_after(-1);
    }
    assert_int_equal(f->read.bytes.size, 3);
    assert_string_equal(f->read.string.data, "text");
}

static void unmarshal__no_memory_for_the_last_value__does_not_fit(void **state)
{
    struct fixture *f = *state;
    struct cook_reader_buf in = cook_read_init("\3abc", 4);
    struct cook_bytes bytes = { 0 };
    static const struct cook_property table[] = {
        { "B", COOK_PROPERTY_BYTES, 0, 0, NULL, COOK_PROPERTY_UNKNOWN },
        COOK_PROPERTY_END,
    };
    cook_alloc_fail_after(0);
    assert_false(cook_unmarshal(&f->types, table, &bytes, &in, &f->arena));
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)
    const struct CMUnitTest tests[] = {
        TEST(unmarshal__gives_every_scalar_and_text),
        TEST(unmarshal__gives_structs_and_containers),
        TEST(marshal__equal_values__equal_bytes),
        TEST(unmarshal__cut_anywhere__does_not_fit),
        TEST(unmarshal__count_beyond_the_end__does_not_fit),
        TEST(unmarshal__no_memory__does_not_fit_or_is_whole),
        TEST(unmarshal__no_memory_for_the_last_value__does_not_fit),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
