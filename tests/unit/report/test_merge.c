#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <setjmp.h>

#include <cmocka.h>

#include "report/report.h"
#include "support/folder.h"

struct fixture {
    struct test_folder folder;
    struct report report;
    struct cook_error error;
    char paths[4][128];
    const char *given[5];
    char output[128];
};

static int setup(void **state)
{
    struct fixture *f = calloc(1, sizeof(*f));
    *state = f;
    int failed = test_folder_open(&f->folder);
    (void)snprintf(f->output, sizeof(f->output), "%s/merged.json", f->folder.path);
    f->report.output = f->output;
    f->report.cli.out = stdout;
    f->report.cli.out_fd = 1;
    f->report.cli.quiet = 1;
    return failed;
}

static int teardown(void **state)
{
    struct fixture *f = *state;
    cook_arena_finish(&f->report.arena);
    cook_arena_finish(&f->report.cli.arena);
    int failed = test_folder_close(&f->folder);
    free(f);
    return failed;
}

/* A shard's document with one finding, and three packages validated. */
static void add_shard(struct fixture *f, size_t place, int index, int count, const char *of,
                      const char *project)
{
    char name[16], text[1024], folder[sizeof(f->folder.path)];
    memcpy(folder, f->folder.path, sizeof(folder));
    (void)snprintf(name, sizeof(name), "%u.json", (unsigned)place % 10);
    (void)snprintf(f->paths[place], sizeof(f->paths[place]), "%s/%s", folder, name);
    (void)snprintf(text, sizeof(text),
                   "{\"schema\":\"cookproof/incremental-validate/1\",\"project\":\"%s\",\"target\":\"T\","
                   "\"content_revision\":\"c\",\"code_revision\":\"d\","
                   "\"shard\":{\"index\":%d,\"count\":%d,\"of\":\"%s\"},"
                   "\"summary\":{\"validated\":3,\"false_skips\":1},"
                   "\"findings\":[{\"id\":\"000000000000000%d\",\"verdict\":\"false_skip\"}]}",
                   project, index, count, of, index);
    assert_int_equal(test_folder_write(&f->folder, name, text), 0);
    f->given[place] = f->paths[place];
    f->given[place + 1] = NULL;
}

static void refuses(struct fixture *f, const char *says)
{
    assert_int_equal(report_merge(&f->report, f->given, &f->error), COOK_E_USAGE);
    assert_non_null(strstr(f->error.message, says));
    assert_int_not_equal(access(f->output, F_OK), 0); /* nothing is written */
}

static void merge__all_shards_in_any_order__are_one_document(void **state)
{
    struct fixture *f = *state;
    cJSON *merged;
    add_shard(f, 0, 3, 3, "x", "P");
    add_shard(f, 1, 1, 3, "x", "P");
    add_shard(f, 2, 2, 3, "x", "P");
    assert_int_equal(report_merge(&f->report, f->given, &f->error), COOK_OK);
    assert_int_equal(report_read_document(&merged, f->output, &f->error), COOK_OK);
    const cJSON *findings = cJSON_GetObjectItem(merged, "findings");
    assert_int_equal(cJSON_GetArraySize(findings), 3);
    const cJSON *summary = cJSON_GetObjectItem(merged, "summary");
    assert_true(report_number(summary, "validated") == 9);
    assert_true(report_number(summary, "false_skips") == 3);
    cJSON_Delete(merged);
}

static void merge__one_missing__is_refused(void **state)
{
    struct fixture *f = *state;
    add_shard(f, 0, 1, 3, "x", "P");
    add_shard(f, 1, 3, 3, "x", "P");
    refuses(f, "shard 2 of 3 is missing");
    add_shard(f, 1, 2, 3, "x", "P");
    refuses(f, "shard 3 of 3 is missing");
}

static void merge__one_there_twice__is_refused(void **state)
{
    struct fixture *f = *state;
    add_shard(f, 0, 1, 2, "x", "P");
    add_shard(f, 1, 2, 2, "x", "P");
    add_shard(f, 2, 2, 2, "x", "P");
    refuses(f, "are both shard 2");
}

static void merge__other_validations__are_refused(void **state)
{
    struct fixture *f = *state;
    add_shard(f, 0, 1, 2, "x", "P");
    add_shard(f, 1, 2, 2, "y", "P");
    refuses(f, "they shared out other packages");
    add_shard(f, 1, 2, 3, "x", "P");
    refuses(f, "they shared out other packages");
    add_shard(f, 1, 2, 2, "x", "Q");
    refuses(f, "their project differs");
}

static void merge__what_is_no_shard__is_refused(void **state)
{
    struct fixture *f = *state;
    add_shard(f, 0, 0, 2, "x", "P");
    refuses(f, "made without --shard");
    add_shard(f, 0, 3, 2, "x", "P");
    refuses(f, "made without --shard");
    f->given[0] = NULL;
    refuses(f, "takes the documents of all shards");
}

#define CASE(name) cmocka_unit_test_setup_teardown(name, setup, teardown)

int main(void)
{
    const struct CMUnitTest tests[] = {
        CASE(merge__all_shards_in_any_order__are_one_document),
        CASE(merge__one_missing__is_refused),
        CASE(merge__one_there_twice__is_refused),
        CASE(merge__other_validations__are_refused),
        CASE(merge__what_is_no_shard__is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
