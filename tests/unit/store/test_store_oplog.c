#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <setjmp.h>
#include <cmocka.h>

#include <sqlite3.h>

#include "store_fixture.h"

#define PACKAGES     40
#define COLUMN_BYTES 1024

/* The flags that a result brings; presence and scans are the registry's. */
#define RESULT_FLAGS                                                                           \
    (COOK_PACKAGE_HAS_RESULT | COOK_PACKAGE_FAILED | COOK_PACKAGE_OPTED_OUT |                  \
     COOK_PACKAGE_HAS_MESSAGES | COOK_PACKAGE_FORCED)

/* What replay rebuilds of one package, as text. */
struct replayed {
    char columns[COLUMN_BYTES];
};

static sqlite3 *open_database(struct fixture *fixture)
{
    char path[160];
    sqlite3 *database;
    snprintf(path, sizeof(path), "%s/" FIXTURE_FOLDER "cook.db", fixture->path);
    assert_int_equal(sqlite3_open(path, &database), SQLITE_OK);
    return database;
}

/* Run a query of (package, columns…) and keep the last row of each package. */
static void replay(sqlite3 *database, const char *text, struct replayed *packages)
{
    sqlite3_stmt *statement;
    assert_int_equal(sqlite3_prepare_v2(database, text, -1, &statement, NULL), SQLITE_OK);
    while (sqlite3_step(statement) == SQLITE_ROW) {
        int id = sqlite3_column_int(statement, 0);
        assert_in_range(id, 0, PACKAGES - 1);
        snprintf(packages[id].columns, COLUMN_BYTES, "%s", sqlite3_column_text(statement, 1));
    }
    sqlite3_finalize(statement);
}

/* One change of a random kind, with its record, as plan and validate make them. */
static void change_one(struct cook_store *store, uint32_t random, uint32_t cook)
{
    struct cook_state *state = cook_store_state(store);
    char bytes[64];
    uint32_t id = (random >> 8) % state->packages_count;
    enum cook_op op = (enum cook_op)(1 + (random >> 20) % 4);
    snprintf(bytes, sizeof(bytes), "bytes %u", random);
    cook_state_touch(state, COOK_TABLE_packages, id);
    if (op == COOK_OP_FORGOTTEN) {
        state->packages[id].flags |= COOK_PACKAGE_FORCED;
    } else if (op == COOK_OP_FAILED) {
        state->packages[id].flags |= COOK_PACKAGE_FAILED;
    } else {
        struct cook_hash hash;
        assert_int_equal(cook_store_put_blob(store, &hash, bytes, strlen(bytes), NULL),
                         COOK_OK);
        state->packages[id].flags = COOK_PACKAGE_PRESENT | COOK_PACKAGE_HAS_RESULT |
                                    (random & 1 ? COOK_PACKAGE_HAS_MESSAGES : 0);
        state->packages[id].key = cook_hash_bytes(&random, sizeof(random));
        uint32_t edges = cook_state_add_blob(state, bytes, random % 8);
        uint32_t messages = cook_state_add_blob(state, bytes, random % 5);
        state->packages[id].edges = edges;
        state->results[id].messages = messages;
        state->results[id].bytes = hash;
        state->results[id].tokens = hash;
        state->results[id].size_bytes = strlen(bytes);
        state->results[id].cook = cook;
        state->results[id].duration_us = random % 1000;
    }
    assert_int_equal(cook_store_append_op(store, id, op, NULL), COOK_OK);
}

static void make_churn(struct fixture *fixture)
{
    char name[32];
    uint32_t random = 7;
    uint32_t cook = 0;
    struct cook_store *store = fixture_open(fixture, COOK_STORE_WRITE);
    for (int i = 0; i < PACKAGES; i++) {
        snprintf(name, sizeof(name), "/Game/P%d", i);
        fixture_add_package(store, name, name);
    }
    for (int i = 0; i < 500; i++) {
        random = random * 1664525u + 1013904223u;
        if (i % 50 == 0)
            assert_int_equal(cook_store_begin_cook(store, &cook, "full", "", NULL), COOK_OK);
        change_one(store, random, cook);
        if (random % 16 == 0)
            assert_int_equal(cook_store_commit(store, NULL), COOK_OK);
        if (i % 100 == 99) {
            assert_int_equal(cook_store_write_index(store, NULL), COOK_OK);
            cook_store_close(store);
            store = fixture_open(fixture, COOK_STORE_WRITE);
        }
    }
    cook_store_close(store);
}

static void replay__equals_the_package_rows(void **context)
{
    char records[512];
    char rows[512];
    make_churn(*context);
    sqlite3 *database = open_database(*context);
    static const char columns[] =
        "format('%%d|%%s|%%s|%%s|%%d|%%s|%%s|%%s|%%d|%%d|%%d', flags & %d, hex(key), "
        "hex(bytes), hex(tokens), size, bundle, hex(edges), hex(messages), %s, duration_us, "
        "%s)";
    char expression[320];
    snprintf(expression, sizeof(expression), columns, RESULT_FLAGS, "result_cook", "seq");
    snprintf(records, sizeof(records), "SELECT package, %s FROM ops ORDER BY seq", expression);
    snprintf(expression, sizeof(expression), columns, RESULT_FLAGS, "cook", "sequence");
    snprintf(rows, sizeof(rows), "SELECT id, %s FROM packages", expression);

    struct replayed *replayed = calloc(PACKAGES, sizeof(*replayed));
    struct replayed *stored = calloc(PACKAGES, sizeof(*stored));
    replay(database, records, replayed);
    replay(database, rows, stored);
    for (int i = 0; i < PACKAGES; i++) {
        assert_true(stored[i].columns[0] != '\0');
        assert_string_equal(replayed[i].columns, stored[i].columns);
    }
    free(replayed);
    free(stored);
    sqlite3_close(database);
}

static void log__newest_first_with_names(void **context)
{
    struct fixture *fixture = *context;
    struct cook_store *store = fixture_open(fixture, COOK_STORE_WRITE);
    uint32_t cook;
    assert_int_equal(cook_store_begin_cook(store, &cook, "full", "", NULL), COOK_OK);
    fixture_add_package(store, "/Game/A", "a");
    uint32_t b = fixture_add_package(store, "/Game/B", "b");
    assert_int_equal(cook_store_append_op(store, b, COOK_OP_FAILED, NULL), COOK_OK);
    assert_int_equal(cook_store_commit(store, NULL), COOK_OK);
    struct cook_store_op *ops;
    size_t count;
    assert_int_equal(cook_store_log(store, &ops, &count, 2, &fixture->arena, NULL), COOK_OK);
    assert_int_equal(count, 2);
    assert_int_equal(ops[0].sequence, 3);
    assert_int_equal(ops[0].op, COOK_OP_FAILED);
    assert_string_equal(ops[0].package, "/Game/B");
    assert_int_equal(ops[1].sequence, 2);
    assert_int_equal(ops[1].op, COOK_OP_COOKED);
    assert_int_equal(ops[1].cook, cook);
    assert_true(cook_hash_equal(ops[1].bytes, cook_hash_bytes("b", 1)));
    cook_store_close(store);
}

static void append_op__refuses_rows_that_do_not_exist(void **context)
{
    struct cook_store *store = fixture_open(*context, COOK_STORE_WRITE);
    assert_int_equal(cook_store_append_op(store, 0, COOK_OP_COOKED, NULL), COOK_E_INVALID);
    assert_int_equal(cook_store_append_op(store, COOK_ID_NONE, COOK_OP_COOKED, NULL),
                     COOK_E_INVALID);
    cook_store_close(store);
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, fixture_set_up, fixture_tear_down)
    const struct CMUnitTest tests[] = {
        TEST(replay__equals_the_package_rows),
        TEST(log__newest_first_with_names),
        TEST(append_op__refuses_rows_that_do_not_exist),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
