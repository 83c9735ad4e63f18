#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <setjmp.h>
#include <cmocka.h>

#include <cjson/cJSON.h>

#include "cook/cli/recording.h"
#include "support/folder.h"

struct fixture {
    struct test_folder folder;
    struct cook_project project;
    struct cook_cli cli;
    struct cook_arena arena;
    struct cook_error error;
};

static int set_up(void **context)
{
    struct fixture *fixture = calloc(1, sizeof(*fixture));
    *context = fixture;
    fixture->project.fd = -1;
    if (test_folder_open(&fixture->folder) != 0 ||
        test_folder_write(&fixture->folder, "cook.ini",
                          "[Project]\nName=T\n+ContentRoot=/Game=Content\n"
                          "[History]\nKeepRuns=2\n") != 0 ||
        test_folder_write(&fixture->folder, "Content/a.txt", "a") != 0)
        return -1;
    const struct cook_project_options options = { .folder = fixture->folder.path };
    fixture->cli.verb = "incremental-validate";
    return cook_project_open(&fixture->project, &options, &fixture->error) != COOK_OK;
}

static int tear_down(void **context)
{
    struct fixture *fixture = *context;
    cook_project_finish(&fixture->project);
    cook_arena_finish(&fixture->arena);
    int result = test_folder_close(&fixture->folder);
    free(fixture);
    return result;
}

static int64_t record(struct fixture *fixture, const char *document_text)
{
    struct cook_recording recording = { .cli = &fixture->cli,
                                        .project = &fixture->project,
                                        .started_ns = INT64_C(1000000000),
                                        .seconds = 0.5 };
    cJSON *document = cJSON_Parse(document_text);
    cook_recording_begin(&recording, NULL, 0);
    cook_recording_stamp(&recording, document);
    assert_int_equal(cook_recording_end(&recording, document, &fixture->error), COOK_OK);
    cJSON_Delete(document);
    return recording.run_id;
}

static struct cook_history *open_history(struct fixture *fixture)
{
    struct cook_history *history;
    assert_int_equal(cook_history_open_read(&history, fixture->project.fd, &fixture->error),
                     COOK_OK);
    return history;
}

static void end__the_document_and_its_findings_stand_in_the_history(void **context)
{
    struct fixture *fixture = *context;
    int64_t id = record(fixture,
                        "{\"summary\":{\"false_skips\":1},\"findings\":[{\"id\":\"ab\",\"rule\":"
                        "\"false_skip\",\"package\":\"/Game/A\",\"property\":\"P\",\"state\":\"new\","
                        "\"classes\":[\"/Script/A\",\"/Script/B\"],\"group\":null,\"causes\":"
                        "[{\"kind\":\"undeclared_input\"}]},{\"package\":\"without an id\"}]}");
    struct cook_history *history = open_history(fixture);
    struct cook_history_run run;
    struct cook_history_finding *findings;
    size_t count;
    assert_int_equal(cook_history_run(history, &run, id, &fixture->arena, NULL), COOK_OK);
    assert_string_equal(run.summary_json, "{\"false_skips\":1}");
    assert_int_equal(run.ended_ns, 1500000000);
    assert_non_null(strstr(run.document_json, "\"started\":\"1970-01-01T00:00:01Z\""));
    assert_int_equal(cook_history_findings(history, &findings, &count, id, &fixture->arena,
                                           NULL),
                     COOK_OK);
    assert_int_equal(count, 1);
    assert_string_equal(findings[0].classes, "/Script/A\n/Script/B");
    assert_string_equal(findings[0].cause, "undeclared_input");
    assert_string_equal(findings[0].group, "");
    assert_string_equal(findings[0].state, "new");
    assert_non_null(strstr(findings[0].json, "undeclared_input"));
    cook_history_close(history);
}

static void end__the_project_says_how_many_runs_are_kept(void **context)
{
    struct fixture *fixture = *context;
    struct cook_history_run *runs;
    size_t count;
    for (int i = 0; i < 4; i++)
        record(fixture, "{\"summary\":{}}");
    struct cook_history *history = open_history(fixture);
    const struct cook_history_filter all = COOK_HISTORY_FILTER_INIT;
    assert_int_equal(cook_history_runs(history, &runs, &count, &all, &fixture->arena, NULL),
                     COOK_OK);
    assert_int_equal(count, 2);
    assert_int_equal(runs[0].id, 4);
    cook_history_close(history);
}

static void finding_id__differs_with_each_part(void **context)
{
    char ids[4][COOK_HISTORY_ID_SIZE];
    (void)context;
    cook_recording_finding_id(ids[0], "false_skip", "/Game/A", "P[]");
    cook_recording_finding_id(ids[1], "both", "/Game/A", "P[]");
    cook_recording_finding_id(ids[2], "false_skip", "/Game/AP", "[]");
    cook_recording_finding_id(ids[3], "false_skip", "/Game/A", "P[]");
    assert_int_equal(strlen(ids[0]), 16);
    assert_string_not_equal(ids[0], ids[1]);
    assert_string_not_equal(ids[0], ids[2]);
    assert_string_equal(ids[0], ids[3]);
}

static void patience__a_fifth_within_bounds(void **context)
{
    (void)context;
    assert_int_equal(cook_recording_patience_ms(0.001), 500);
    assert_int_equal(cook_recording_patience_ms(20), 4000);
    assert_int_equal(cook_recording_patience_ms(3600), 10000);
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)
    const struct CMUnitTest tests[] = {
        TEST(end__the_document_and_its_findings_stand_in_the_history),
        TEST(end__the_project_says_how_many_runs_are_kept),
        cmocka_unit_test(finding_id__differs_with_each_part),
        cmocka_unit_test(patience__a_fifth_within_bounds),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
