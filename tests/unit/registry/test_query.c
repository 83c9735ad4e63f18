#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <setjmp.h>

#include <cmocka.h>

#include <string.h>

#include "cook/base/alloc.h"
#include "cook/registry/facts.h"
#include "cook/registry/query.h"
#include "cook/registry/registry.h"

struct fixture {
    struct cook_state state;
    struct cook_arena arena;
    struct cook_query query;
    const char **paths;
    size_t count;
};

static void add(struct fixture *f, const char *package, const char *name,
                const char *class_name, const char *tag)
{
    struct cook_fact_object object = { name, class_name };
    struct cook_fact_tag tags[] = { { "Team", tag } };
    struct cook_facts facts = {
        .objects = &object, .object_count = 1, .tags = tags, .tag_count = tag ? 1 : 0
    };
    struct cook_buf blob = COOK_BUF_INIT;
    struct cook_hash source = { 1, 1 };
    cook_facts_encode(&facts, &blob);
    uint32_t id = cook_state_add_package(&f->state, package);
    f->state.packages[id].flags |= COOK_PACKAGE_PRESENT;
    assert_int_equal(
        cook_registry_set_facts(&f->state, id, "asset/1", source, blob.data, blob.size, NULL),
        COOK_OK);
    cook_buf_finish(&blob);
}

static int set_up(void **state)
{
    struct fixture *f = cook_calloc(1, sizeof(*f));
    *state = f;
    if (!f)
        return -1;
    cook_state_init(&f->state);
    add(f, "/Game/B", "Sword", "/Script/T.Weapon", "red");
    add(f, "/Game/A", "Bow", "/Script/T.Ranged", "blue");
    add(f, "/Game/C", "Wall", "/Script/T.Prop", NULL);
    return 0;
}

static int tear_down(void **state)
{
    struct fixture *f = *state;
    cook_alloc_fail_after(-1);
    cook_state_finish(&f->state);
    cook_arena_finish(&f->arena);
    cook_free(f);
    return 0;
}

static bool is_a(void *user, const char *class_name, const char *ancestor)
{
    (void)user;
    return strcmp(class_name, "/Script/T.Ranged") == 0 &&
           strcmp(ancestor, "/Script/T.Weapon") == 0;
}

static enum cook_status ask(struct fixture *f)
{
    return cook_registry_query(&f->paths, &f->count, &f->state, &f->query, is_a, NULL,
                               &f->arena);
}

static void query__nothing_asked__is_all_sorted(void **state)
{
    struct fixture *f = *state;
    assert_int_equal(ask(f), COOK_OK);
    assert_int_equal(f->count, 3);
    assert_string_equal(f->paths[0], "/Game/A.Bow");
    assert_string_equal(f->paths[2], "/Game/C.Wall");
}

static void query__class__with_and_without_children(void **state)
{
    struct fixture *f = *state;
    f->query.class_name = "/Script/T.Weapon";
    assert_int_equal(ask(f), COOK_OK);
    assert_int_equal(f->count, 1);
    assert_string_equal(f->paths[0], "/Game/B.Sword");
    f->query.child_classes = true;
    assert_int_equal(ask(f), COOK_OK);
    assert_int_equal(f->count, 2);
}

static void query__path_and_tag__narrow(void **state)
{
    struct fixture *f = *state;
    f->query.tag = "Team";
    assert_int_equal(ask(f), COOK_OK);
    assert_int_equal(f->count, 2);
    f->query.tag_value = "blue";
    assert_int_equal(ask(f), COOK_OK);
    assert_int_equal(f->count, 1);
    f->query.path_glob = "/Game/B*";
    assert_int_equal(ask(f), COOK_OK);
    assert_int_equal(f->count, 0);
}

static void query__vanished_package__is_left_out(void **state)
{
    struct fixture *f = *state;
    uint32_t id = cook_state_find_package(&f->state, "/Game/B");
    f->state.packages[id].flags = 0;
    assert_int_equal(ask(f), COOK_OK);
    assert_int_equal(f->count, 2);
}

/* Short memory never looks like fewer matches. */
static void query__no_memory__fails_or_is_whole(void **state)
{
    struct fixture *f = *state;
    enum cook_status status = COOK_E_FAILED;
    for (long after = 0; status != COOK_OK; after++) {
        assert_true(after < 200);
        cook_arena_finish(&f->arena);
        cook_alloc_fail_after(after);
        status = ask(f);
        cook_alloc_fail_after(-1);
        assert_true(status == COOK_OK || status == COOK_E_NO_MEMORY);
    }
    assert_int_equal(f->count, 3);
}

static void text__round_trip(void **state)
{
    struct fixture *f = *state;
    struct cook_query asked = { "/Script/T.Weapon", true, "/Game/*", "Team", "a=b" };
    const char *text = cook_query_text(&asked, &f->arena);
    assert_string_equal(text, "class=/Script/T.Weapon|children|path=/Game/*|tag=Team=a=b");
    assert_true(cook_query_parse(&f->query, text, &f->arena));
    assert_string_equal(f->query.class_name, asked.class_name);
    assert_true(f->query.child_classes);
    assert_string_equal(f->query.path_glob, asked.path_glob);
    assert_string_equal(f->query.tag, "Team");
    assert_string_equal(f->query.tag_value, "a=b");
}

static void text__empty_query__round_trip(void **state)
{
    struct fixture *f = *state;
    const char *text = cook_query_text(&f->query, &f->arena);
    f->query.tag = "x";
    assert_true(cook_query_parse(&f->query, text, &f->arena));
    assert_null(f->query.class_name);
    assert_false(f->query.child_classes);
    assert_null(f->query.path_glob);
    assert_null(f->query.tag);
}

static void text__separator_in_a_member__is_refused(void **state)
{
    struct fixture *f = *state;
    struct cook_query bar = { .path_glob = "/Game/|x" };
    struct cook_query equals = { .tag = "a=b" };
    assert_null(cook_query_text(&bar, &f->arena));
    assert_null(cook_query_text(&equals, &f->arena));
}

static void parse__malformed__is_refused(void **state)
{
    struct fixture *f = *state;
    static const char *const texts[] = { "", "class=A", "class=A||path=", "class=|x|tag=|path=",
                                         "class=A||path=|tag=|more" };
    for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++)
        assert_false(cook_query_parse(&f->query, texts[i], &f->arena));
}

static void hash__is_never_zero_and_follows_the_paths(void **state)
{
    (void)state;
    static const char *const ab[] = { "a", "b" };
    assert_false(cook_hash_is_zero(cook_query_hash(NULL, 0)));
    assert_false(cook_hash_equal(cook_query_hash(ab, 1), cook_query_hash(ab, 2)));
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)
    const struct CMUnitTest tests[] = {
        TEST(query__nothing_asked__is_all_sorted),
        TEST(query__class__with_and_without_children),
        TEST(query__path_and_tag__narrow),
        TEST(query__vanished_package__is_left_out),
        TEST(query__no_memory__fails_or_is_whole),
        TEST(text__round_trip),
        TEST(text__empty_query__round_trip),
        TEST(text__separator_in_a_member__is_refused),
        TEST(parse__malformed__is_refused),
        TEST(hash__is_never_zero_and_follows_the_paths),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
