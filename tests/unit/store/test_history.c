#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <setjmp.h>
#include <cmocka.h>

#include <sqlite3.h>

#include "cook/store/history.h"
#include "store_fixture.h"

static struct cook_history *open_history(struct fixture *fixture)
{
    struct cook_history *history;
    assert_int_equal(cook_history_open(&history, fixture->project_fd, &fixture->error),
                     COOK_OK);
    return history;
}

static int64_t add_run(struct cook_history *history, int64_t ended_ns)
{
    int64_t id;
    const struct cook_history_run run = {
        .verb = "full", .target = "Desktop", .cook_id = 3, .started_ns = 1, .ended_ns = ended_ns
    };
    assert_int_equal(cook_history_add_run(history, &id, &run, NULL, NULL), COOK_OK);
    return id;
}

static const struct cook_history_finding finding = {
    .id = "0123456789abcdef",
    .rule = "false_skip",
    .package = "/Game/A",
    .property = "Mesh:Vertices[]",
    .verdict = "false_skip",
    .json = "{}",
};

static void first_seen__stays_with_the_first_run(void **context)
{
    struct fixture *fixture = *context;
    struct cook_history *history = open_history(fixture);
    int64_t seen_ns;
    int64_t run;
    assert_int_equal(cook_history_first_seen(history, finding.id, &seen_ns, &run, NULL),
                     COOK_OK);
    assert_int_equal(seen_ns, 0);
    assert_int_equal(run, 0);
    int64_t first = add_run(history, 1000);
    assert_int_equal(cook_history_add_findings(history, first, &finding, 1, NULL), COOK_OK);
    int64_t second = add_run(history, 2000);
    assert_int_not_equal(first, second);
    assert_int_equal(cook_history_add_findings(history, second, &finding, 1, NULL), COOK_OK);
    cook_history_close(history);

    history = open_history(fixture);
    assert_int_equal(cook_history_first_seen(history, finding.id, &seen_ns, &run, NULL),
                     COOK_OK);
    assert_int_equal(seen_ns, 1000);
    assert_int_equal(run, first);
    cook_history_close(history);
}

static void add_findings__need_a_run(void **context)
{
    struct cook_history *history = open_history(*context);
    assert_int_equal(cook_history_add_findings(history, 5, &finding, 1, NULL), COOK_E_INVALID);
    int64_t id = add_run(history, 1);
    assert_int_equal(cook_history_add_findings(history, id, NULL, 0, NULL), COOK_OK);
    cook_history_close(history);
}

static void open__two_at_once_may_both_write(void **context)
{
    struct cook_history *a = open_history(*context);
    struct cook_history *b = open_history(*context);
    assert_int_not_equal(add_run(a, 1), add_run(b, 2));
    cook_history_close(a);
    cook_history_close(b);
}

static void open__damaged_says_what_to_do(void **context)
{
    struct fixture *fixture = *context;
    cook_history_close(open_history(fixture));
    fixture_patch(fixture, "Saved/History/history.db", 0, "no database of ours", 19);
    unlinkat(fixture->project_fd, "Saved/History/history.db-wal", 0);
    struct cook_history *history;
    assert_int_equal(cook_history_open(&history, fixture->project_fd, &fixture->error),
                     COOK_E_DAMAGED);
    assert_non_null(strstr(fixture->error.message, "move Saved/History away"));
}

static void open__survives_allocation_failures(void **context)
{
    struct fixture *fixture = *context;
    enum cook_status status = COOK_E_NO_MEMORY;
    for (long after = 0; status != COOK_OK; after++) {
        struct cook_history *history;
        cook_alloc_fail_after(after);
        status = cook_history_open(&history, fixture->project_fd, &fixture->error);
        cook_alloc_fail_after(-1);
        assert_true(status == COOK_OK || status == COOK_E_NO_MEMORY);
        cook_history_close(history);
    }
}

/* ---- runs ---- */

static int64_t add_named(struct cook_history *history, const char *verb, const char *target,
                         const char *document, const struct cook_history_limits *limits)
{
    int64_t id;
    const struct cook_history_run run = { .verb = verb,
                                          .target = target,
                                          .summary_json = "{\"false_skips\":2}",
                                          .content_revision = "c0ffee-dirty",
                                          .code_revision = "abc",
                                          .document_json = document };
    assert_int_equal(cook_history_add_run(history, &id, &run, limits, NULL), COOK_OK);
    return id;
}

static size_t list(struct fixture *fixture, struct cook_history *history,
                   struct cook_history_run **runs, const char *verb, const char *target,
                   int64_t before, uint32_t limit)
{
    const struct cook_history_filter filter = { verb, target, before, limit };
    size_t count;
    assert_int_equal(cook_history_runs(history, runs, &count, &filter, &fixture->arena,
                                       &fixture->error),
                     COOK_OK);
    return count;
}

static void runs__newest_first_and_filtered(void **context)
{
    struct fixture *fixture = *context;
    struct cook_history *history = open_history(fixture);
    struct cook_history_run *runs;
    int64_t a = add_named(history, "full", "Desktop", NULL, NULL);
    int64_t b = add_named(history, "incremental", "Desktop", NULL, NULL);
    int64_t c = add_named(history, "incremental", "Mobile", NULL, NULL);
    assert_int_equal(list(fixture, history, &runs, NULL, NULL, 0, 0), 3);
    assert_int_equal(runs[0].id, c);
    assert_int_equal(runs[2].id, a);
    assert_string_equal(runs[0].content_revision, "c0ffee-dirty");
    assert_string_equal(runs[0].summary_json, "{\"false_skips\":2}");
    assert_null(runs[0].document_json);
    assert_int_equal(list(fixture, history, &runs, "incremental", NULL, 0, 1), 1);
    assert_int_equal(runs[0].id, c);
    assert_int_equal(list(fixture, history, &runs, NULL, "Desktop", c, 0), 2);
    assert_int_equal(runs[0].id, b);
    assert_int_equal(list(fixture, history, &runs, "churn", NULL, 0, 0), 0);
    cook_history_close(history);
}

static void run__gives_its_document_back(void **context)
{
    struct fixture *fixture = *context;
    struct cook_history *history = open_history(fixture);
    struct cook_history_run run;
    char large[5000];
    memset(large, 'x', sizeof(large) - 1);
    large[sizeof(large) - 1] = '\0';
    int64_t packed = add_named(history, "full", "Desktop", large, NULL);
    int64_t plain = add_named(history, "full", "Desktop", "{}", NULL);
    int64_t none = add_named(history, "full", "Desktop", NULL, NULL);
    assert_int_equal(cook_history_run(history, &run, packed, &fixture->arena, NULL), COOK_OK);
    assert_string_equal(run.document_json, large);
    assert_in_range(run.document_bytes, 1, 200); /* as stored */
    assert_int_equal(cook_history_run(history, &run, plain, &fixture->arena, NULL), COOK_OK);
    assert_string_equal(run.document_json, "{}");
    assert_int_equal(cook_history_run(history, &run, none, &fixture->arena, NULL), COOK_OK);
    assert_null(run.document_json);
    assert_int_equal(cook_history_run(history, &run, 99, &fixture->arena, NULL),
                     COOK_E_NOT_FOUND);
    cook_history_close(history);
}

static void add_run__keeps_so_many_of_each_verb_and_target(void **context)
{
    struct fixture *fixture = *context;
    struct cook_history *history = open_history(fixture);
    const struct cook_history_limits limits = { .runs = 2 };
    struct cook_history_run *runs;
    struct cook_history_finding *findings;
    size_t count;
    int64_t validation = add_named(history, "incremental-validate", "Desktop", "{}", &limits);
    int64_t first = add_named(history, "full", "Desktop", "{}", &limits);
    assert_int_equal(cook_history_add_findings(history, first, &finding, 1, NULL), COOK_OK);
    for (int i = 0; i < 3; i++)
        add_named(history, "full", "Desktop", "{}", &limits);
    assert_int_equal(list(fixture, history, &runs, "full", NULL, 0, 0), 2);
    assert_int_equal(list(fixture, history, &runs, NULL, NULL, 0, 0), 3);
    assert_int_equal(runs[2].id, validation);
    assert_int_equal(cook_history_finding(history, &findings, &count, finding.id, 0,
                                          &fixture->arena, NULL),
                     COOK_OK);
    assert_int_equal(count, 0);
    int64_t seen_ns;
    int64_t run;
    assert_int_equal(cook_history_first_seen(history, finding.id, &seen_ns, &run, NULL),
                     COOK_OK);
    assert_int_equal(run, first); /* … though the run itself is forgotten */
    cook_history_close(history);
}

static void add_run__drops_the_oldest_documents_over_the_limit(void **context)
{
    struct fixture *fixture = *context;
    struct cook_history *history = open_history(fixture);
    const struct cook_history_limits limits = { .document_bytes = 8 };
    struct cook_history_run run;
    struct cook_history_finding *findings;
    size_t count;
    int64_t first = add_named(history, "full", "Desktop", "[1]", &limits);
    assert_int_equal(cook_history_add_findings(history, first, &finding, 1, NULL), COOK_OK);
    int64_t second = add_named(history, "full", "Desktop", "[22]", &limits);
    assert_int_equal(cook_history_run(history, &run, first, &fixture->arena, NULL), COOK_OK);
    assert_null(run.document_json); /* 3 + 2 of its finding + 4 are more than 8 */
    assert_int_equal(run.document_bytes, 0);
    assert_int_equal(cook_history_findings(history, &findings, &count, first, &fixture->arena,
                                           NULL),
                     COOK_OK);
    assert_int_equal(count, 1);
    assert_string_equal(findings[0].json, "");
    assert_int_equal(cook_history_run(history, &run, second, &fixture->arena, NULL), COOK_OK);
    assert_string_equal(run.document_json, "[22]");
    cook_history_close(history);
}

/* ---- findings ---- */

static void finding__in_all_its_runs(void **context)
{
    struct fixture *fixture = *context;
    struct cook_history *history = open_history(fixture);
    struct cook_history_finding row = finding;
    struct cook_history_finding *found;
    size_t count;
    int64_t first = add_named(history, "incremental-validate", "Desktop", NULL, NULL);
    int64_t second = add_named(history, "incremental-validate", "Desktop", NULL, NULL);
    int64_t other = add_named(history, "incremental-validate", "Mobile", NULL, NULL);
    row.state = "new";
    row.classes = "/Script/A.B";
    row.cause = "undeclared_input";
    assert_int_equal(cook_history_add_findings(history, first, &row, 1, NULL), COOK_OK);
    row.state = "masked";
    assert_int_equal(cook_history_add_findings(history, second, &row, 1, NULL), COOK_OK);
    row.state = "known";
    assert_int_equal(cook_history_add_findings(history, other, &row, 1, NULL), COOK_OK);
    assert_int_equal(cook_history_finding(history, &found, &count, row.id, 2, &fixture->arena,
                                          NULL),
                     COOK_OK);
    assert_int_equal(count, 2);
    assert_int_equal(found[0].run, other);
    assert_string_equal(found[1].state, "masked");
    assert_string_equal(found[1].classes, "/Script/A.B");
    assert_string_equal(found[1].cause, "undeclared_input");
    assert_int_equal(cook_history_latest(history, &found, &count, "incremental-validate",
                                         "Desktop", &fixture->arena, NULL),
                     COOK_OK);
    assert_int_equal(count, 1);
    assert_int_equal(found[0].run, second);
    assert_string_equal(found[0].state, "masked");
    cook_history_close(history);
}

static void resolve__takes_the_beginning_of_an_id(void **context)
{
    struct fixture *fixture = *context;
    struct cook_history *history = open_history(fixture);
    struct cook_history_finding rows[2] = { finding, finding };
    char id[COOK_HISTORY_ID_SIZE];
    rows[1].id = "0123ffffffffffff";
    assert_int_equal(cook_history_add_findings(history, add_run(history, 1), rows, 2, NULL),
                     COOK_OK);
    assert_int_equal(cook_history_resolve(history, id, "01234", NULL), COOK_OK);
    assert_string_equal(id, finding.id);
    assert_int_equal(cook_history_resolve(history, id, rows[1].id, NULL), COOK_OK);
    assert_string_equal(id, rows[1].id);
    assert_int_equal(cook_history_resolve(history, id, "0123", NULL), COOK_E_USAGE);
    assert_int_equal(cook_history_resolve(history, id, "a", NULL), COOK_E_NOT_FOUND);
    assert_int_equal(cook_history_resolve(history, id, "", NULL), COOK_E_USAGE);
    assert_int_equal(cook_history_resolve(history, id, "0%", NULL), COOK_E_USAGE);
    cook_history_close(history);
}

/* ---- versions ---- */

/* As version 1 of the program left it. */
static void make_version_1(struct fixture *fixture)
{
    char path[128];
    sqlite3 *sql;
    snprintf(path, sizeof(path), "%s/Saved/History", fixture->path);
    assert_int_equal(cook_fs_make_folders(fixture->project_fd, "Saved/History", NULL), COOK_OK);
    snprintf(path, sizeof(path), "%s/Saved/History/history.db", fixture->path);
    assert_int_equal(sqlite3_open(path, &sql), SQLITE_OK);
    assert_int_equal(
        sqlite3_exec(
            sql,
            "PRAGMA application_id=1129009224; PRAGMA user_version=1;"
            "CREATE TABLE runs(id INTEGER PRIMARY KEY, verb TEXT NOT NULL, target TEXT NOT NULL,"
            " cook INTEGER NOT NULL, started_ns INTEGER NOT NULL, ended_ns INTEGER NOT NULL,"
            " exit_status INTEGER NOT NULL, summary TEXT NOT NULL);"
            "CREATE TABLE findings(run INTEGER NOT NULL, id TEXT NOT NULL, rule TEXT NOT NULL,"
            " package TEXT NOT NULL, property TEXT NOT NULL, verdict TEXT NOT NULL,"
            " json TEXT NOT NULL, PRIMARY KEY(run, id)) WITHOUT ROWID;"
            "CREATE TABLE seen(id TEXT PRIMARY KEY, first_ns INTEGER NOT NULL,"
            " run INTEGER NOT NULL) WITHOUT ROWID;"
            "INSERT INTO runs VALUES(1,'incremental-validate','Desktop',0,5,6,1,'{}');"
            "INSERT INTO runs VALUES(2,'incremental-validate','Desktop',0,7,8,1,'{}');"
            "INSERT INTO findings VALUES(1,'aa','false_skip','/Game/A','P','false_skip','{}');"
            "INSERT INTO findings VALUES(2,'aa','false_skip','/Game/A','P','false_skip','{}');"
            "INSERT INTO seen VALUES('aa',6,1);",
            NULL, NULL, NULL),
        SQLITE_OK);
    sqlite3_close(sql);
}

static void open__brings_version_1_up_to_date(void **context)
{
    struct fixture *fixture = *context;
    struct cook_history *history;
    struct cook_history_run *runs;
    struct cook_history_finding *found;
    size_t count;
    make_version_1(fixture);
    assert_int_equal(cook_history_open_read(&history, fixture->project_fd, &fixture->error),
                     COOK_E_UNSUPPORTED);
    history = open_history(fixture);
    int64_t added = add_named(history, "full", "Desktop", "{}", NULL);
    assert_int_equal(added, 3);
    cook_history_close(history);
    assert_int_equal(cook_history_open_read(&history, fixture->project_fd, &fixture->error),
                     COOK_OK);
    assert_int_equal(list(fixture, history, &runs, NULL, NULL, 0, 0), 3);
    assert_int_equal(runs[2].ended_ns, 6);
    assert_string_equal(runs[2].content_revision, "");
    assert_int_equal(cook_history_finding(history, &found, &count, "aa", 0, &fixture->arena,
                                          NULL),
                     COOK_OK);
    assert_int_equal(count, 2);
    assert_string_equal(found[0].state, "known");
    assert_string_equal(found[1].state, "new");
    cook_history_close(history);
}

static void open_read__nothing_recorded_writes_nothing(void **context)
{
    struct fixture *fixture = *context;
    struct cook_history *history;
    struct cook_file_stat stat;
    assert_int_equal(cook_history_open_read(&history, fixture->project_fd, &fixture->error),
                     COOK_E_NOT_FOUND);
    assert_int_equal(cook_fs_stat(&stat, fixture->project_fd, "Saved", NULL), COOK_OK);
    assert_int_equal(stat.kind, COOK_FILE_ABSENT);
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, fixture_set_up, fixture_tear_down)
    const struct CMUnitTest tests[] = {
        TEST(first_seen__stays_with_the_first_run), TEST(add_findings__need_a_run),
        TEST(open__two_at_once_may_both_write),     TEST(open__damaged_says_what_to_do),
        TEST(open__survives_allocation_failures),
        TEST(runs__newest_first_and_filtered),
        TEST(run__gives_its_document_back),
        TEST(add_run__keeps_so_many_of_each_verb_and_target),
        TEST(add_run__drops_the_oldest_documents_over_the_limit),
        TEST(finding__in_all_its_runs),
        TEST(resolve__takes_the_beginning_of_an_id),
        TEST(open__brings_version_1_up_to_date),
        TEST(open_read__nothing_recorded_writes_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
