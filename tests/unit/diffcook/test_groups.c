#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <setjmp.h>

#include <cmocka.h>

#include <stdlib.h>

#include <cjson/cJSON.h>

#include "diffcook/groups.h"

/* Stack N is function "write_N" of a plugin. */
static size_t give_frames(void *user, bool is_new, uint32_t stack,
                          struct cook_symbol_frame *frames, size_t max)
{
    static const char *const names[] = { "write_0", "write_1" };
    (void)user;
    (void)is_new;
    assert_true(max > 0 && stack < 2);
    frames[0] = (struct cook_symbol_frame){ .function = names[stack], .module = "rock.so" };
    return 1;
}
static const struct diff_print_options print = { .frames = give_frames };

static struct diff_difference difference(const char *property, uint32_t stack)
{
    return (struct diff_difference){ .kind = DIFF_CHANGED,
                                     .property = property,
                                     .property_normalized = property,
                                     .old_stack = COOK_STACK_NONE,
                                     .new_stack = stack,
                                     .consequence_of = -1 };
}

static void add(struct diff_groups *groups, const char *package,
                struct diff_difference *differences, uint32_t count)
{
    struct diff_result result = { .differences = differences, .count = count };
    assert_true(diff_groups_add(groups, package, &result, &print));
}

static void add__same_write_in_412_packages__is_one_group(void **state)
{
    struct diff_groups groups = DIFF_GROUPS_INIT;
    (void)state;
    for (int i = 0; i < 412; i++) {
        char name[32];
        char property[32];
        (void)snprintf(name, sizeof(name), "/Game/P%03d", i);
        (void)snprintf(property, sizeof(property), "Rock%d:Health", i);
        struct diff_difference both[2] = { difference(property, 1), difference(property, 1) };
        add(&groups, name, both, 2);
    }
    char *text = NULL;
    size_t size = 0;
    FILE *file = open_memstream(&text, &size);
    diff_groups_print(file, &groups);
    fclose(file);
    assert_string_equal(text, "this write differs in 412 packages: Health\n"
                              "    at write_1 (rock.so+0x0)\n"
                              "    in /Game/P000, /Game/P001, /Game/P002 and 409 more\n\n");
    free(text);
    diff_groups_finish(&groups);
}

static void add__other_stack_or_consequence_or_single__is_no_group(void **state)
{
    struct diff_groups groups = DIFF_GROUPS_INIT;
    (void)state;
    struct diff_difference one[2] = { difference("A:Health", 0), difference("A:Size", 0) };
    struct diff_difference two[2] = { difference("A:Health", 1), difference("A:Size", 0) };
    one[1].consequence_of = two[1].consequence_of = 0;
    add(&groups, "/Game/A", one, 2);
    add(&groups, "/Game/B", two, 2);
    cJSON *json = diff_groups_to_json(&groups);
    assert_int_equal(cJSON_GetArraySize(json), 0);
    cJSON_Delete(json);
    diff_groups_finish(&groups);
}

static void to_json__groups__largest_first(void **state)
{
    struct diff_groups groups = DIFF_GROUPS_INIT;
    (void)state;
    struct diff_difference health = difference("A:Health", 0);
    struct diff_difference size = difference("A:Size", COOK_STACK_NONE);
    add(&groups, "/Game/A", &health, 1);
    add(&groups, "/Game/B", &health, 1);
    add(&groups, "/Game/C", &size, 1);
    add(&groups, "/Game/D", &size, 1);
    add(&groups, "/Game/E", &size, 1);
    cJSON *json = diff_groups_to_json(&groups);
    assert_int_equal(cJSON_GetArraySize(json), 2);
    const cJSON *first = cJSON_GetArrayItem(json, 0);
    assert_string_equal(cJSON_GetObjectItem(first, "property")->valuestring, "Size");
    assert_int_equal(cJSON_GetObjectItem(first, "packages")->valueint, 3);
    assert_int_equal(cJSON_GetArraySize(cJSON_GetObjectItem(first, "frames")), 0);
    cJSON_Delete(json);
    diff_groups_finish(&groups);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(add__same_write_in_412_packages__is_one_group),
        cmocka_unit_test(add__other_stack_or_consequence_or_single__is_no_group),
        cmocka_unit_test(to_json__groups__largest_first),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
