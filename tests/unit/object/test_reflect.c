#include "support/session.h"

#include "cook/object/reflect.h"

struct thing {
    struct cook_object base;
    int32_t health;
    struct cook_string title;
};

static const struct cook_property properties[] = {
    COOK_PROPERTY(struct thing, health, "Health", COOK_PROPERTY_I32),
    COOK_PROPERTY(struct thing, title, "Title", COOK_PROPERTY_STRING),
    COOK_PROPERTY_END,
};
static const struct cook_class thing_class = { .name = "Thing",
                                               .size = sizeof(struct thing),
                                               .properties = properties };

static int set_up(void **state)
{
    if (session_open(state) != 0)
        return -1;
    struct session_fixture *f = *state;
    cook_register_class(&f->session.types, &thing_class);
    if (session_link(f) != 0)
        return -1;
    (void)session_add(
        f, "A",
        "{\"objects\": ["
        "{\"name\": \"Main\", \"class\": \"/Script/Test.Thing\"}, "
        "{\"name\": \"Sub\", \"class\": \"/Script/Test.Thing\", "
        "\"outer\": \"Main\", \"properties\": {\"Health\": 1, \"Title\": \"one\"}}]}");
    return 0;
}

/* Load /Game/A with this side file. */
static struct cook_package *load_beside(struct session_fixture *f, const char *side)
{
    assert_int_equal(test_folder_write(&f->folder, "Content/A.asset.cook", side), 0);
    return session_load(f, "/Game/A");
}

static const struct thing *thing_of(const struct cook_package *package, const char *inner)
{
    return (const void *)cook_package_find(package, inner)->object;
}

static void load_fails(struct session_fixture *f, const char *side, const char *message)
{
    struct cook_package *package = load_beside(f, side);
    assert_int_equal(package->stage, COOK_LOAD_FAILED);
    assert_string_equal(package->load.messages.items[0].text, message);
}

static void side__members__set_the_first_object(void **state)
{
    struct cook_package *package = load_beside(*state, "{\"Health\": 7}");
    assert_int_equal(package->stage, COOK_LOAD_DONE);
    assert_int_equal(thing_of(package, "Main")->health, 7);
    assert_int_equal(thing_of(package, "Main/Sub")->health, 1);
}

static void side__objects__are_set_by_inner_path(void **state)
{
    struct cook_package *package =
        load_beside(*state, "{\"Health\": 7, \"Objects\": {\"Main/Sub\": {\"Health\": 8}}}");
    assert_int_equal(package->stage, COOK_LOAD_DONE);
    assert_int_equal(package->load.messages.count, 0);
    assert_int_equal(thing_of(package, "Main")->health, 7);
    assert_int_equal(thing_of(package, "Main/Sub")->health, 8);
    assert_string_equal(thing_of(package, "Main/Sub")->title.data, "one");
}

static void side__unknown_object__warns(void **state)
{
    struct cook_package *package = load_beside(*state, "{\"Objects\": {\"Gone\": {}}}");
    assert_int_equal(package->stage, COOK_LOAD_DONE);
    assert_string_equal(package->load.messages.items[0].text,
                        "Content/A.asset.cook:1: no object is named Gone");
}

static void side__unknown_member__warns_with_its_line(void **state)
{
    struct cook_package *package = load_beside(*state, "{\n\"Helth\": 1\n}");
    assert_int_equal(package->stage, COOK_LOAD_DONE);
    assert_string_equal(
        package->load.messages.items[0].text,
        "Content/A.asset.cook:2: Main:Helth is no property of /Script/Test.Thing");
}

static void side__wrong_type__names_file_line_and_property(void **state)
{
    load_fails(*state, "{\n\"Title\": 1\n}",
               "Content/A.asset.cook:2: Main:Title: expected text");
}

static void side__no_object__fails(void **state)
{
    load_fails(*state, "[]", "Content/A.asset.cook:1: a side file is a JSON object");
}

static void side__malformed__fails(void **state)
{
    struct cook_package *package = load_beside(*state, "{");
    assert_int_equal(package->stage, COOK_LOAD_FAILED);
    assert_memory_equal(package->load.messages.items[0].text, "Content/A.asset.cook:", 21);
}

static void side__empty__changes_nothing(void **state)
{
    struct cook_package *package = load_beside(*state, "{}");
    assert_int_equal(package->stage, COOK_LOAD_DONE);
    assert_int_equal(thing_of(package, "Main")->health, 0);
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, session_close)
    const struct CMUnitTest tests[] = {
        TEST(side__members__set_the_first_object),
        TEST(side__objects__are_set_by_inner_path),
        TEST(side__unknown_object__warns),
        TEST(side__unknown_member__warns_with_its_line),
        TEST(side__wrong_type__names_file_line_and_property),
        TEST(side__no_object__fails),
        TEST(side__malformed__fails),
        TEST(side__empty__changes_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
