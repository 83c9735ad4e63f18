#include "support/session.h"

struct thing {
    struct cook_object base;
    uint32_t health;
    struct cook_array tags; /* of struct cook_string */
};

static int constructed;
static int destructed;

static void construct(void *object)
{
    ((struct thing *)object)->health = 5;
    constructed++;
}

static void destruct(void *object)
{
    (void)object;
    destructed++;
}

static const struct cook_property properties[] = {
    COOK_PROPERTY(struct thing, health, "Health", COOK_PROPERTY_U32),
    COOK_PROPERTY_ARRAY_OF(struct thing, tags, "Tags", COOK_PROPERTY_STRING, NULL),
    COOK_PROPERTY_END,
};
static const struct cook_class thing_class = { .name = "Thing",
                                               .size = sizeof(struct thing),
                                               .properties = properties,
                                               .construct = construct,
                                               .destruct = destruct };

#define THING(name, rest) "{\"name\": \"" name "\", \"class\": \"/Script/Test.Thing\"" rest "}"
#define ASSET(objects)    "{\"objects\": [" objects "]}"

static int set_up(void **state)
{
    if (session_open(state) != 0)
        return -1;
    struct session_fixture *f = *state;
    cook_register_class(&f->session.types, &thing_class);
    int result = session_link(f);
    constructed = destructed = 0; /* schemas construct too */
    return result;
}

static void load__unknown_name__gives_null(void **state)
{
    struct session_fixture *f = *state;
    assert_null(cook_session_load(&f->session, "/Game/Nothing"));
}

static void load__vanished_package__gives_null(void **state)
{
    struct session_fixture *f = *state;
    uint32_t id = session_add(f, "A", ASSET(THING("Main", "")));
    f->session.registry.packages[id].flags &= ~(uint32_t)COOK_PACKAGE_PRESENT;
    assert_null(cook_session_load(&f->session, "/Game/A"));
}

static void load__twice__loads_once(void **state)
{
    struct session_fixture *f = *state;
    (void)session_add(f, "A", ASSET(THING("Main", "")));
    struct cook_package *first = session_load_ok(f, "/Game/A");
    assert_ptr_equal(session_load_ok(f, "/Game/A"), first);
    assert_int_equal(constructed, 1);
}

static void load__records_source_reader_and_class(void **state)
{
    struct session_fixture *f = *state;
    (void)session_add(f, "A", ASSET(THING("Main", "")));
    const struct cook_record *record = &session_load_ok(f, "/Game/A")->load.record;
    assert_int_equal(cook_record_count(record), 3);
    assert_int_equal(record->items[0].kind, COOK_DEP_SOURCE);
    assert_string_equal(record->items[0].args, "/Game/A");
    assert_int_equal(record->items[1].kind, COOK_DEP_READER);
    assert_string_equal(record->items[1].args, ".asset");
    assert_int_equal(record->items[2].kind, COOK_DEP_CLASS);
    assert_string_equal(record->items[2].args, "/Script/Test.Thing");
}

static void load__objects__have_paths_and_outers(void **state)
{
    struct session_fixture *f = *state;
    (void)session_add(f, "A",
                      ASSET(THING("Rack", ", \"properties\": {\"Health\": 9}") ", " THING(
                          "Sword", ", \"outer\": \"Rack\"")));
    struct cook_package *package = session_load_ok(f, "/Game/A");
    const struct cook_object_state *sword = cook_package_find(package, "Rack/Sword");
    assert_non_null(sword);
    assert_string_equal(cook_object_name(sword->object), "Sword");
    assert_string_equal(cook_object_package(sword->object), "/Game/A");
    assert_ptr_equal(cook_object_outer(sword->object),
                     cook_package_find(package, NULL)->object);
    assert_true(cook_object_is_a(sword->object, "/Script/Cook.Object"));
    assert_int_equal(((const struct thing *)(const void *)sword->object)->health, 5);
    assert_null(cook_package_find(package, "Sword"));
}

static void load__side_file__overrides(void **state)
{
    struct session_fixture *f = *state;
    (void)session_add(f, "A", ASSET(THING("Main", ", \"properties\": {\"Health\": 9}")));
    assert_int_equal(test_folder_write(&f->folder, "Content/A.asset.cook", "{\"Health\": 10}"),
                     0);
    struct cook_package *package = session_load_ok(f, "/Game/A");
    const struct thing *thing = (const void *)cook_package_find(package, NULL)->object;
    assert_int_equal(thing->health, 10);
}

static void load__source_gone__fails_with_its_absence_recorded(void **state)
{
    struct session_fixture *f = *state;
    (void)session_add(f, "A", ASSET(THING("Main", "")));
    assert_int_equal(unlinkat(f->folder.fd, "Content/A.asset", 0), 0);
    struct cook_package *package = session_load(f, "/Game/A");
    assert_int_equal(package->stage, COOK_LOAD_FAILED);
    assert_true(cook_context_has_errors(&package->load));
    assert_int_equal(package->load.record.items[0].kind, COOK_DEP_SOURCE);
    assert_true(cook_hash_is_zero(package->load.record.items[0].value));
}

static void load__class_not_registered__records_its_absence(void **state)
{
    struct session_fixture *f = *state;
    (void)session_add(f, "A", ASSET("{\"name\": \"X\", \"class\": \"/Script/Test.Gone\"}"));
    struct cook_package *package = session_load(f, "/Game/A");
    assert_int_equal(package->stage, COOK_LOAD_FAILED);
    const struct cook_observation *class_read = &package->load.record.items[2];
    assert_string_equal(class_read->args, "/Script/Test.Gone");
    assert_true(cook_hash_is_zero(class_read->value));
}

static void evict__destructs_each_object_once(void **state)
{
    struct session_fixture *f = *state;
    (void)session_add(f, "A", ASSET(THING("X", "") ", " THING("Y", "")));
    struct cook_package *package = session_load_ok(f, "/Game/A");
    cook_session_evict(&f->session, package);
    assert_int_equal(destructed, 2);
    assert_int_equal(package->stage, COOK_LOAD_NONE);
    cook_session_trim(&f->session, 0);
    assert_int_equal(destructed, 2);
}

/* Each allocation of a load fails once: it must never load wrongly, nor crash, nor leak. */
static void load__no_memory__fails_or_is_whole(void **state)
{
    struct session_fixture *f = *state;
    (void)session_add(
        f, "A",
        ASSET(THING("Main", ", \"properties\": {\"Health\": 9, \"Tags\": "
                            "[\"one\", \"two\"]}") ", " THING("Sub", ", \"outer\": \"Main\"")));
    bool whole = false;
    for (long after = 0; !whole; after++) {
        assert_true(after < 1000);
        cook_alloc_fail_after(after);
        struct cook_package *package = cook_session_load(&f->session, "/Game/A");
        cook_alloc_fail_after(-1);
        whole = package && package->stage == COOK_LOAD_DONE;
        if (whole) {
            const struct thing *thing =
                (const void *)cook_package_find(package, "Main")->object;
            assert_int_equal(thing->health, 9);
            assert_int_equal(thing->tags.count, 2);
            assert_int_equal(cook_record_count(&package->load.record), 3);
        }
        cook_session_trim(&f->session, 0);
    }
    assert_int_equal(constructed, destructed);
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, session_close)
    const struct CMUnitTest tests[] = {
        TEST(load__unknown_name__gives_null),
        TEST(load__vanished_package__gives_null),
        TEST(load__twice__loads_once),
        TEST(load__records_source_reader_and_class),
        TEST(load__objects__have_paths_and_outers),
        TEST(load__side_file__overrides),
        TEST(load__source_gone__fails_with_its_absence_recorded),
        TEST(load__class_not_registered__records_its_absence),
        TEST(evict__destructs_each_object_once),
        TEST(load__no_memory__fails_or_is_whole),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
