#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <setjmp.h>

#include <cmocka.h>

#include <string.h>

#include "cook/object/schema.h"

struct inner {
    int32_t a, b;
};
struct thing {
    struct cook_object object;
    int32_t number, other;
    struct inner inner;
};

static int32_t default_number;
static uint32_t version;
static const char *appended;

static void construct(void *object)
{
    ((struct thing *)object)->number = default_number;
}

static void construct_inner(void *value)
{
    ((struct inner *)value)->b = default_number;
}

static void append(struct cook_schema *schema)
{
    cook_schema_add_string(schema, "text", appended);
}

static void declare(struct cook_schema *schema)
{
    cook_schema_add_version(schema, "guid", version);
}

static void construct_classes(struct cook_schema *schema)
{
    cook_schema_add_class(schema, "/Script/Test.Thing");
    cook_schema_add_class(schema, "/Script/Test.Gone");
}

static void serialize(struct cook_archive *archive, void *object)
{
    (void)archive;
    (void)object;
}

/* The parts of a class that a test changes. */
struct parts {
    struct cook_property properties[4];
    struct cook_property inner_properties[3];
    struct cook_class description;
    struct cook_struct inner;
};

static void set_parts(struct parts *p)
{
    *p = (struct parts){
        .properties = { COOK_PROPERTY(struct thing, number, "Number", COOK_PROPERTY_I32),
                        COOK_PROPERTY_TYPED(struct thing, inner, "Inner", COOK_PROPERTY_STRUCT,
                                            "Inner"),
                        COOK_PROPERTY_END },
        .inner_properties = { COOK_PROPERTY(struct inner, a, "A", COOK_PROPERTY_I32),
                              COOK_PROPERTY_END },
    };
    p->description = (struct cook_class){ .name = "Thing",
                                          .size = sizeof(struct thing),
                                          .properties = p->properties,
                                          .construct = construct,
                                          .append_to_class_schema = append,
                                          .declare_custom_versions = declare,
                                          .declare_construct_classes = construct_classes };
    p->inner = (struct cook_struct){ .name = "Inner",
                                     .size = sizeof(struct inner),
                                     .properties = p->inner_properties,
                                     .construct = construct_inner };
    default_number = 1;
    version = 1;
    appended = "x";
}

static struct cook_hash schema_of(const struct parts *p)
{
    struct cook_registrar types;
    cook_types_init(&types);
    cook_register_module(&types, "Test");
    cook_register_class(&types, &p->description);
    cook_register_struct(&types, &p->inner);
    assert_int_equal(cook_types_link(&types, NULL, NULL), COOK_OK);
    struct cook_hash hash = cook_types_class(&types, "/Script/Test.Thing")->schema;
    cook_types_finish(&types);
    return hash;
}

static void assert_changed(const struct parts *p, struct cook_hash before)
{
    assert_false(cook_hash_equal(schema_of(p), before));
}

static void schema__unchanged_class__is_the_same(void **state)
{
    struct parts p;
    (void)state;
    set_parts(&p);
    assert_true(cook_hash_equal(schema_of(&p), schema_of(&p)));
}

static void schema__properties__matter(void **state)
{
    struct parts p;
    (void)state;
    set_parts(&p);
    struct cook_hash before = schema_of(&p);
    p.properties[0].name = "Numbers";
    assert_changed(&p, before);
    set_parts(&p);
    p.properties[0].type = COOK_PROPERTY_U32;
    assert_changed(&p, before);
    set_parts(&p);
    p.properties[0].flags = COOK_PROPERTY_EDITOR_ONLY;
    assert_changed(&p, before);
    set_parts(&p);
    p.properties[2] =
        (struct cook_property)COOK_PROPERTY(struct thing, other, "Other", COOK_PROPERTY_I32);
    assert_changed(&p, before);
}

static void schema__struct__enters_the_class(void **state)
{
    struct parts p;
    (void)state;
    set_parts(&p);
    struct cook_hash before = schema_of(&p);
    p.inner_properties[1] =
        (struct cook_property)COOK_PROPERTY(struct inner, b, "B", COOK_PROPERTY_I32);
    assert_changed(&p, before);
    before = schema_of(&p);
    p.inner.construct = NULL;
    assert_changed(&p, before);
}

static void schema__defaults_hooks_and_versions__matter(void **state)
{
    struct parts p;
    (void)state;
    set_parts(&p);
    struct cook_hash before = schema_of(&p);
    default_number = 2;
    assert_changed(&p, before);
    set_parts(&p);
    version = 2;
    assert_changed(&p, before);
    set_parts(&p);
    appended = "y";
    assert_changed(&p, before);
    set_parts(&p);
    p.description.serialize = serialize;
    assert_changed(&p, before);
}

static void schema__class_that_constructs_itself__ends(void **state)
{
    struct parts p;
    (void)state;
    set_parts(&p);
    struct cook_hash before = schema_of(&p); /* construct_classes names the class itself */
    p.description.declare_construct_classes = NULL;
    assert_changed(&p, before);
}

static void schema__place_of_a_property__does_not_matter(void **state)
{
    struct parts p;
    (void)state;
    set_parts(&p);
    struct cook_hash before = schema_of(&p);
    default_number = 0;
    struct cook_hash zero = schema_of(&p);
    assert_false(cook_hash_equal(before, zero));
    p.properties[0].offset = (uint32_t)offsetof(struct thing, other);
    assert_true(cook_hash_equal(schema_of(&p), zero));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(schema__unchanged_class__is_the_same),
        cmocka_unit_test(schema__properties__matter),
        cmocka_unit_test(schema__struct__enters_the_class),
        cmocka_unit_test(schema__defaults_hooks_and_versions__matter),
        cmocka_unit_test(schema__class_that_constructs_itself__ends),
        cmocka_unit_test(schema__place_of_a_property__does_not_matter),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
