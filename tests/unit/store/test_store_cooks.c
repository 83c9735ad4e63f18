#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <setjmp.h>
#include <cmocka.h>

#include "store_fixture.h"

static uint32_t begin(struct cook_store *store)
{
    uint32_t id;
    assert_int_equal(cook_store_begin_cook(store, &id, "full", "{\"host\":\"x\"}", NULL),
                     COOK_OK);
    return id;
}

/* End a cook of all packages. */
static void end(struct cook_store *store, uint32_t id, uint32_t keep_cooks)
{
    struct cook_error error = COOK_ERROR_INIT;
    struct cook_state *state = cook_store_state(store);
    assert_int_equal(cook_state_sort(state, NULL), COOK_OK);
    struct cook_store_end ending = {
        .summary_json = "{}",
        .packages = state->package_order,
        .package_count = state->packages_count,
        .keep_cooks = keep_cooks,
    };
    if (cook_store_end_cook(store, id, &ending, &error) != COOK_OK)
        fail_msg("%s", error.message);
}

static void set_value(struct cook_store *store, const char *text)
{
    struct cook_state *state = cook_store_state(store);
    uint32_t dep = cook_state_add_dep(state, 3, "Cook.Quality");
    cook_state_touch(state, COOK_TABLE_deps, dep);
    state->deps[dep].text = cook_state_add_text(state, text);
    state->deps[dep].value = cook_hash_bytes(text, strlen(text));
}

static void cooks__newest_first_with_their_facts(void **context)
{
    struct fixture *fixture = *context;
    struct cook_store *store = fixture_open(fixture, COOK_STORE_WRITE);
    uint32_t first = begin(store);
    fixture_add_package(store, "/Game/A", "a");
    end(store, first, 50);
    uint32_t second = begin(store); /* and is killed */
    cook_store_close(store);

    store = fixture_open(fixture, COOK_STORE_READ);
    assert_true(cook_store_index_was_used(store));
    struct cook_store_cook *cooks;
    size_t count;
    assert_int_equal(cook_store_cooks(store, &cooks, &count, 10, &fixture->arena, NULL),
                     COOK_OK);
    assert_int_equal(count, 2);
    assert_int_equal(cooks[0].id, second);
    assert_int_equal(cooks[0].ended_ns, 0);
    assert_true(cook_hash_is_zero(cooks[0].manifest));
    assert_int_equal(cooks[1].id, first);
    assert_true(cooks[1].ended_ns >= cooks[1].started_ns && cooks[1].started_ns > 0);
    assert_string_equal(cooks[1].kind, "full");
    assert_string_equal(cooks[1].facts_json, "{\"host\":\"x\"}");
    assert_string_equal(cooks[1].summary_json, "{}");
    assert_int_equal(cook_store_cooks(store, &cooks, &count, 1, &fixture->arena, NULL),
                     COOK_OK);
    assert_int_equal(count, 1);
    cook_store_close(store);
}

static void manifest__lists_packages_by_name(void **context)
{
    struct fixture *fixture = *context;
    struct cook_store *store = fixture_open(fixture, COOK_STORE_WRITE);
    uint32_t id = begin(store);
    char name[32];
    for (int i = 0; i < 3000; i++) {
        snprintf(name, sizeof(name), "/Game/P%d", (i * 1237) % 3000);
        fixture_add_package(store, name, name);
    }
    end(store, id, 50);
    struct cook_manifest_entry *entries;
    size_t count;
    assert_int_equal(cook_store_manifest(store, &entries, &count, id, &fixture->arena, NULL),
                     COOK_OK);
    assert_int_equal(count, 3000);
    for (size_t i = 0; i < count; i++) {
        const char *text = entries[i].package;
        assert_true(i == 0 || strcmp(entries[i - 1].package, text) < 0);
        assert_true(cook_hash_equal(entries[i].bytes, cook_hash_bytes(text, strlen(text))));
        assert_int_equal(entries[i].size_bytes, strlen(text));
    }
    cook_store_close(store);
}

static void manifest__nearly_equal_cooks_share_chunks(void **context)
{
    struct fixture *fixture = *context;
    struct cook_store *store = fixture_open(fixture, COOK_STORE_WRITE);
    uint32_t id = begin(store);
    char name[32];
    for (int i = 0; i < 5000; i++) {
        snprintf(name, sizeof(name), "/Game/P%d", i);
        fixture_add_package(store, name, "same");
    }
    end(store, id, 50);
    struct cook_store_stats before;
    struct cook_store_stats after;
    assert_int_equal(cook_store_stats(store, &before, NULL), COOK_OK);
    id = begin(store);
    fixture_add_package(store, "/Game/P2500x", "same");
    end(store, id, 50);
    assert_int_equal(cook_store_stats(store, &after, NULL), COOK_OK);
    assert_in_range(after.blobs - before.blobs, 2,
                    3); /* root and a chunk, perhaps cut in two */
    cook_store_close(store);
}

static void end_cook__equal_manifests_share_a_blob(void **context)
{
    struct fixture *fixture = *context;
    struct cook_store *store = fixture_open(fixture, COOK_STORE_WRITE);
    uint32_t id = begin(store);
    fixture_add_package(store, "/Game/A", "a");
    end(store, id, 50);
    id = begin(store);
    end(store, id, 50);
    id = begin(store);
    struct cook_store_end unchanged = { .summary_json = "", .manifest_unchanged = true };
    assert_int_equal(cook_store_end_cook(store, id, &unchanged, NULL), COOK_OK);
    struct cook_store_cook *cooks;
    size_t count;
    assert_int_equal(cook_store_cooks(store, &cooks, &count, 9, &fixture->arena, NULL),
                     COOK_OK);
    assert_int_equal(count, 3);
    assert_true(cook_hash_equal(cooks[0].manifest, cooks[2].manifest));
    assert_true(cook_hash_equal(cooks[1].manifest, cooks[2].manifest));
    cook_store_close(store);
}

static void end_cook__drops_manifests_of_old_cooks(void **context)
{
    struct fixture *fixture = *context;
    struct cook_store *store = fixture_open(fixture, COOK_STORE_WRITE);
    fixture_add_package(store, "/Game/A", "a");
    uint32_t ids[5];
    for (int i = 0; i < 5; i++) {
        begin(store); /* one that is killed counts for nothing */
        ids[i] = begin(store);
        end(store, ids[i], 3);
    }
    struct cook_manifest_entry *entries;
    size_t count;
    for (int i = 0; i < 5; i++)
        assert_int_equal(cook_store_manifest(store, &entries, &count, ids[i], &fixture->arena,
                                             &fixture->error),
                         i < 2 ? COOK_E_NOT_FOUND : COOK_OK);
    assert_int_equal(
        cook_store_manifest(store, &entries, &count, 99, &fixture->arena, &fixture->error),
        COOK_E_NOT_FOUND);
    cook_store_close(store);
}

static void assert_value_at(struct fixture *fixture, struct cook_store *store, uint32_t cook,
                            const char *expected)
{
    struct cook_hash value;
    char *text;
    enum cook_status status = cook_store_dep_value_at(store, &value, &text, 0, cook,
                                                      &fixture->arena, &fixture->error);
    assert_int_equal(status, expected ? COOK_OK : COOK_E_NOT_FOUND);
    if (!expected)
        return;
    assert_string_equal(text, expected);
    assert_true(cook_hash_equal(value, cook_hash_bytes(expected, strlen(expected))));
}

static void dep_value_at__follows_the_changes(void **context)
{
    struct fixture *fixture = *context;
    struct cook_store *store = fixture_open(fixture, COOK_STORE_WRITE);
    end(store, begin(store), 0); /* 1: not known yet */
    static const char *const values[] = { "low", "low", "high", "epic", "epic" };
    for (int i = 0; i < 5; i++) { /* 2 to 6 */
        uint32_t id = begin(store);
        if (i == 2) /* only the value before the cook counts, not one on the way */
            set_value(store, "medium");
        assert_int_equal(cook_store_commit(store, NULL), COOK_OK);
        set_value(store, values[i]);
        end(store, id, 0);
    }
    assert_value_at(fixture, store, 1, NULL);
    for (uint32_t i = 0; i < 5; i++)
        assert_value_at(fixture, store, i + 2, values[i]);
    cook_store_close(store);
}

static void dep_value_at__change_between_cooks_is_of_the_next(void **context)
{
    struct fixture *fixture = *context;
    struct cook_store *store = fixture_open(fixture, COOK_STORE_WRITE);
    uint32_t first = begin(store);
    set_value(store, "low");
    end(store, first, 0);
    set_value(store, "high");
    assert_int_equal(cook_store_commit(store, NULL), COOK_OK);
    uint32_t second = begin(store);
    end(store, second, 0);
    assert_value_at(fixture, store, first, "low");
    assert_value_at(fixture, store, second, "high");
    cook_store_close(store);
}

static void dep_value_at__kept_as_long_as_its_cook(void **context)
{
    struct fixture *fixture = *context;
    struct cook_store *store = fixture_open(fixture, COOK_STORE_WRITE);
    char text[16];
    for (int i = 1; i <= 6; i++) {
        uint32_t id = begin(store);
        snprintf(text, sizeof(text), "v%d", i / 2);
        set_value(store, text);
        end(store, id, 3);
    }
    for (uint32_t i = 1; i <= 6; i++) {
        snprintf(text, sizeof(text), "v%u", i / 2);
        assert_value_at(fixture, store, i, i < 4 ? NULL : text);
    }
    cook_store_close(store);
}

static void end_cook__null_cook_keeps_the_index(void **context)
{
    struct fixture *fixture = *context;
    struct cook_store *store = fixture_open(fixture, COOK_STORE_WRITE);
    uint32_t id = begin(store);
    fixture_add_package(store, "/Game/A", "a");
    end(store, id, 50);
    cook_store_close(store);
    for (int i = 0; i < 3; i++) {
        store = fixture_open(fixture, COOK_STORE_WRITE);
        assert_true(cook_store_index_was_used(store));
        id = begin(store);
        struct cook_store_end unchanged = { .summary_json = "",
                                            .manifest_unchanged = true,
                                            .keep_cooks = 50 };
        assert_int_equal(cook_store_end_cook(store, id, &unchanged, NULL), COOK_OK);
        assert_true(cook_store_state(store)->mapped);
        cook_store_close(store);
    }
}

static void end_cook__only_a_begun_cook_can_end(void **context)
{
    struct cook_store *store = fixture_open(*context, COOK_STORE_WRITE);
    struct cook_store_end ending = { .summary_json = "" };
    assert_int_equal(cook_store_end_cook(store, 1, &ending, NULL), COOK_E_INVALID);
    assert_int_equal(cook_store_end_cook(store, 0, &ending, NULL), COOK_E_INVALID);
    cook_store_close(store);
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, fixture_set_up, fixture_tear_down)
    const struct CMUnitTest tests[] = {
        TEST(cooks__newest_first_with_their_facts),
        TEST(manifest__lists_packages_by_name),
        TEST(manifest__nearly_equal_cooks_share_chunks),
        TEST(end_cook__equal_manifests_share_a_blob),
        TEST(end_cook__drops_manifests_of_old_cooks),
        TEST(dep_value_at__follows_the_changes),
        TEST(dep_value_at__change_between_cooks_is_of_the_next),
        TEST(dep_value_at__kept_as_long_as_its_cook),
        TEST(end_cook__null_cook_keeps_the_index),
        TEST(end_cook__only_a_begun_cook_can_end),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
