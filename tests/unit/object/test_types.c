#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <setjmp.h>

#include <cmocka.h>

#include <string.h>

#include "cook/object/types.h"

struct base {
    struct cook_object object;
    int32_t number;
};
struct child {
    struct base base;
    struct cook_array items;
};

static const struct cook_class base_class = { .name = "Base", .size = sizeof(struct base) };
static const struct cook_class child_class = { .name = "Child",
                                               .parent = "/Script/Test.Base",
                                               .size = sizeof(struct child) };

struct fixture {
    struct cook_registrar types;
    struct cook_error error;
};

static int set_up(void **state)
{
    struct fixture *f = cook_calloc(1, sizeof(*f));
    *state = f;
    if (!f)
        return -1;
    cook_types_init(&f->types);
    cook_register_module(&f->types, "Test");
    return 0;
}

static int tear_down(void **state)
{
    struct fixture *f = *state;
    cook_alloc_fail_after(-1);
    cook_types_finish(&f->types);
    cook_free(f);
    return 0;
}

static enum cook_status link_types(struct fixture *f)
{
    return cook_types_link(&f->types, NULL, &f->error);
}

static void link_fails(struct fixture *f, const char *message)
{
    assert_int_equal(link_types(f), COOK_E_CONFIG);
    assert_string_equal(f->error.message, message);
}

static void link__child_before_parent__has_its_chain(void **state)
{
    struct fixture *f = *state;
    cook_register_class(&f->types, &child_class);
    cook_register_class(&f->types, &base_class);
    assert_int_equal(link_types(f), COOK_OK);
    const struct cook_class_info *child = cook_types_class(&f->types, "/Script/Test.Child");
    assert_int_equal(child->chain_count, 3);
    assert_string_equal(child->chain[0]->name, "/Script/Cook.Object");
    assert_string_equal(child->chain[1]->name, "/Script/Test.Base");
    assert_ptr_equal(child->chain[2], child);
    assert_true(cook_class_is_a(child, "/Script/Test.Base"));
    assert_false(cook_class_is_a(child->chain[1], "/Script/Test.Child"));
}

static void link__unknown_parent__fails(void **state)
{
    struct fixture *f = *state;
    cook_register_class(&f->types, &child_class);
    link_fails(f, "class /Script/Test.Child: unknown parent /Script/Test.Base");
}

static void link__own_parent__fails_instead_of_hanging(void **state)
{
    struct fixture *f = *state;
    static const struct cook_class loop = { .name = "Loop",
                                            .parent = "/Script/Test.Loop",
                                            .size = sizeof(struct base) };
    cook_register_class(&f->types, &loop);
    link_fails(f, "class /Script/Test.Loop: parents nest too deeply");
}

static void link__smaller_than_parent__fails(void **state)
{
    struct fixture *f = *state;
    static const struct cook_class small = { .name = "Small",
                                             .parent = "/Script/Test.Child",
                                             .size = sizeof(struct base) };
    cook_register_class(&f->types, &base_class);
    cook_register_class(&f->types, &child_class);
    cook_register_class(&f->types, &small);
    link_fails(f, "class /Script/Test.Small is smaller than its parent /Script/Test.Child");
}

static void link__class_twice__fails(void **state)
{
    struct fixture *f = *state;
    cook_register_class(&f->types, &base_class);
    cook_register_class(&f->types, &base_class);
    link_fails(f, "class /Script/Test.Base is registered twice");
}

static void link_with_property(struct fixture *f, struct cook_property property,
                               const char *message)
{
    const struct cook_property properties[] = { property, COOK_PROPERTY_END };
    const struct cook_class description = { .name = "Bad",
                                            .size = sizeof(struct child),
                                            .properties = properties };
    cook_register_class(&f->types, &description);
    link_fails(f, message);
}

static void link__property_outside__fails(void **state)
{
    link_with_property(*state,
                       (struct cook_property){ .name = "X",
                                               .type = COOK_PROPERTY_F64,
                                               .offset = sizeof(struct child) },
                       "/Script/Test.Bad.X lies outside its struct");
}

static void link__unknown_struct__fails(void **state)
{
    link_with_property(*state,
                       (struct cook_property){
                           .name = "X", .type = COOK_PROPERTY_STRUCT, .type_name = "Gone" },
                       "/Script/Test.Bad.X: unknown type 'Gone'");
}

static void link__unknown_enum__fails(void **state)
{
    link_with_property(
        *state,
        (struct cook_property){ .name = "X", .type = COOK_PROPERTY_ENUM, .type_name = "Gone" },
        "/Script/Test.Bad.X: unknown enum 'Gone'");
}

static void link__array_of_arrays__fails(void **state)
{
    link_with_property(*state,
                       (struct cook_property){ .name = "X",
                                               .type = COOK_PROPERTY_ARRAY,
                                               .element = COOK_PROPERTY_ARRAY },
                       "/Script/Test.Bad.X: unknown type ''");
}

static void register__first_fault__is_the_one_told(void **state)
{
    struct fixture *f = *state;
    static const struct cook_class nameless = { .name = "no name", .size = 8 };
    cook_register_class(&f->types, &nameless);
    cook_register_class(&f->types, &child_class);
    link_fails(f, "a class without a valid name, or before cook_register_module");
}

static enum cook_status no_scan(struct cook_scan *scan, const struct cook_source *source)
{
    (void)scan;
    (void)source;
    return COOK_OK;
}

static enum cook_status no_load(struct cook_context *context, struct cook_loader *loader,
                                const struct cook_source *source)
{
    (void)context;
    (void)loader;
    (void)source;
    return COOK_OK;
}

static void reader__by_extension_in_any_case__the_first_stands(void **state)
{
    struct fixture *f = *state;
    static const char *const extensions[] = { ".abc", NULL };
    static const struct cook_reader first = { "first", 1, extensions, no_scan, no_load };
    static const struct cook_reader second = { "second", 1, extensions, no_scan, no_load };
    cook_register_reader(&f->types, &first);
    cook_register_reader(&f->types, &second);
    assert_ptr_equal(cook_types_reader(&f->types, "Content/X.ABC"), &first);
    assert_null(cook_types_reader(&f->types, "Content/X.abcd"));
}

static void enum__name_and_value(void **state)
{
    (void)state;
    static const struct cook_enum_entry entries[] = { { "A", -1 }, { "B", 5 }, { NULL, 0 } };
    static const struct cook_enum description = { "E", entries };
    int32_t value = 0;
    assert_string_equal(cook_enum_name(&description, 5), "B");
    assert_null(cook_enum_name(&description, 0));
    assert_true(cook_enum_value(&description, "A", &value));
    assert_int_equal(value, -1);
    assert_false(cook_enum_value(&description, "C", &value));
}

/* Short memory is a fault of the registration; it never links with a type left out or changed.
 */
static void link__no_memory__fails_or_is_whole(void **state)
{
    struct fixture *f = *state;
    cook_register_class(&f->types, &base_class);
    assert_int_equal(link_types(f), COOK_OK);
    struct cook_hash schema = cook_types_class(&f->types, "/Script/Test.Base")->schema;
    enum cook_status status = COOK_E_FAILED;
    for (long after = 0; status != COOK_OK; after++) {
        assert_true(after < 200);
        cook_types_finish(&f->types);
        cook_alloc_fail_after(after);
        cook_types_init(&f->types);
        cook_register_module(&f->types, "Test");
        cook_register_class(&f->types, &base_class);
        status = link_types(f);
        cook_alloc_fail_after(-1);
    }
    assert_true(
        cook_hash_equal(cook_types_class(&f->types, "/Script/Test.Base")->schema, schema));
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)
    const struct CMUnitTest tests[] = {
        TEST(link__child_before_parent__has_its_chain),
        TEST(link__unknown_parent__fails),
        TEST(link__own_parent__fails_instead_of_hanging),
        TEST(link__smaller_than_parent__fails),
        TEST(link__class_twice__fails),
        TEST(link__property_outside__fails),
        TEST(link__unknown_struct__fails),
        TEST(link__unknown_enum__fails),
        TEST(link__array_of_arrays__fails),
        TEST(register__first_fault__is_the_one_told),
        TEST(reader__by_extension_in_any_case__the_first_stands),
        TEST(enum__name_and_value),
        TEST(link__no_memory__fails_or_is_whole),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
