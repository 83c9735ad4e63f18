#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <setjmp.h>

#include <cmocka.h>

#include <cjson/cJSON.h>

#include "cook/base/alloc.h"
#include "cook/plan/trace.h"
#include "support/folder.h"

struct fixture {
    struct test_folder folder;
    struct cook_trace trace;
    struct cook_buf text;
    cJSON *document;
    const cJSON *events;
    char path[128];
};

static int set_up(void **state)
{
    struct fixture *f = cook_calloc(1, sizeof(*f));
    *state = f;
    if (!f || test_folder_open(&f->folder) != 0)
        return -1;
    snprintf(f->path, sizeof(f->path), "%s/trace.json", f->folder.path);
    cook_trace_init(&f->trace);
    return 0;
}

static int tear_down(void **state)
{
    struct fixture *f = *state;
    cJSON_Delete(f->document);
    cook_buf_finish(&f->text);
    cook_trace_finish(&f->trace);
    int result = test_folder_close(&f->folder);
    cook_free(f);
    return result;
}

/* Write the trace and read it back. */
static void write_trace(struct fixture *f, unsigned lanes)
{
    assert_int_equal(cook_trace_write(&f->trace, lanes, f->path, NULL), COOK_OK);
    assert_int_equal(cook_fs_read(&f->text, NULL, AT_FDCWD, f->path, 1 << 20, NULL), COOK_OK);
    f->document = cJSON_Parse(cook_buf_text(&f->text));
    f->events = cJSON_GetObjectItem(f->document, "traceEvents");
    assert_true(cJSON_IsArray(f->events));
}

static const cJSON *field(const struct fixture *f, int event, const char *name)
{
    return cJSON_GetObjectItem(cJSON_GetArrayItem(f->events, event), name);
}

static void write__nothing_happened__names_the_lanes(void **state)
{
    struct fixture *f = *state;
    write_trace(f, 2);
    assert_int_equal(cJSON_GetArraySize(f->events), 3);
    assert_string_equal(field(f, 0, "ph")->valuestring, "M");
    assert_string_equal(cJSON_GetObjectItem(field(f, 2, "args"), "name")->valuestring,
                        "worker 2");
}

static void add__span__is_in_microseconds_of_the_run(void **state)
{
    struct fixture *f = *state;
    cook_trace_add(&f->trace, 1, "cook", "/Game/A", f->trace.started);
    write_trace(f, 1);
    assert_string_equal(field(f, 0, "ph")->valuestring, "X");
    assert_string_equal(field(f, 0, "cat")->valuestring, "cook");
    assert_int_equal(field(f, 0, "tid")->valueint, 1);
    assert_true(field(f, 0, "ts")->valuedouble == 0);
    assert_true(field(f, 0, "dur")->valuedouble >= 0);
}

static void add__any_text__is_escaped(void **state)
{
    struct fixture *f = *state;
    cook_trace_add(&f->trace, 0, "phase", "a \"quoted\"\n\\name", f->trace.started);
    write_trace(f, 0);
    assert_string_equal(field(f, 0, "name")->valuestring, "a \"quoted\"\n\\name");
}

static void add__no_trace__does_nothing(void **state)
{
    (void)state;
    cook_trace_add(NULL, 0, "phase", "open", 0);
}

static void write__no_such_folder__is_an_error(void **state)
{
    struct fixture *f = *state;
    assert_int_not_equal(cook_trace_write(&f->trace, 0, "/nowhere/trace.json", NULL), COOK_OK);
}

static void write__event_lost__is_an_error(void **state)
{
    struct fixture *f = *state;
    f->trace.events.failed = true;
    assert_int_equal(cook_trace_write(&f->trace, 0, f->path, NULL), COOK_E_NO_MEMORY);
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)
    const struct CMUnitTest tests[] = {
        TEST(write__nothing_happened__names_the_lanes),
        TEST(add__span__is_in_microseconds_of_the_run),
        TEST(add__any_text__is_escaped),
        TEST(add__no_trace__does_nothing),
        TEST(write__no_such_folder__is_an_error),
        TEST(write__event_lost__is_an_error),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
