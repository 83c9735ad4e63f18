#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <setjmp.h>
#include <cmocka.h>

#include <string.h>

#include "cook/base/alloc.h"
#include "cook/registry/facts.h"

struct fixture {
    struct cook_arena arena;
    struct cook_facts facts;
    struct cook_error error;
};

static int set_up(void **state)
{
    *state = cook_calloc(1, sizeof(struct fixture));
    return *state ? 0 : -1;
}

static int tear_down(void **state)
{
    struct fixture *f = *state;
    cook_alloc_fail_after(-1);
    cook_arena_finish(&f->arena);
    cook_free(f);
    return 0;
}

typedef enum cook_status (*scan_function)(struct cook_scan *scan,
                                          const struct cook_source *source);

static enum cook_status run_scan(struct fixture *f, scan_function scan)
{
    struct cook_source source = { .package = "/Game/A", .path = "Content/A.png" };
    struct cook_reader reader = { .name = "test", .version = 1, .scan = scan };
    return cook_facts_scan(&f->facts, &reader, &source, &f->arena, &f->error);
}

static void assert_fault(struct fixture *f, scan_function scan, const char *fault)
{
    assert_int_equal(run_scan(f, scan), COOK_OK);
    assert_non_null(f->facts.fault);
    assert_string_equal(f->facts.fault, fault);
    assert_int_equal(f->facts.object_count, 0);
    assert_int_equal(f->facts.reference_count, 0);
}

static enum cook_status scan_all_kinds(struct cook_scan *scan, const struct cook_source *source)
{
    (void)source;
    cook_scan_object(scan, "World", "/Script/Cook.World", NULL);
    cook_scan_object(scan, "a.b/c:d", "/Script/Cook.StaticMesh", "World");
    cook_scan_reference(scan, COOK_EDGE_SOFT, "/Game/B");
    cook_scan_reference(scan, COOK_EDGE_HARD, "/Game/Z");
    cook_scan_reference(scan, COOK_EDGE_HARD, "/Game/A");
    cook_scan_reference(scan, COOK_EDGE_HARD, "/Game/Z");
    cook_scan_reference(scan, COOK_EDGE_HARD, "");
    cook_scan_tag(scan, "Width", "1");
    cook_scan_tag(scan, "Format", "RGB");
    cook_scan_tag(scan, "Width", "2");
    return COOK_OK;
}

static void scan__collects_sorted_facts(void **state)
{
    struct fixture *f = *state;
    assert_int_equal(run_scan(f, scan_all_kinds), COOK_OK);
    assert_null(f->facts.fault);
    assert_int_equal(f->facts.object_count, 2);
    assert_string_equal(f->facts.objects[1].path, "World/a_b_c_d");
    assert_int_equal(f->facts.reference_count, 3);
    assert_string_equal(f->facts.references[0].path, "/Game/A");
    assert_string_equal(f->facts.references[1].path, "/Game/Z");
    assert_int_equal(f->facts.references[2].edge, COOK_EDGE_SOFT);
    assert_int_equal(f->facts.tag_count, 2);
    assert_string_equal(f->facts.tags[0].key, "Format");
    assert_string_equal(f->facts.tags[1].value, "2");
}

static enum cook_status scan_fault(struct cook_scan *scan, const struct cook_source *source)
{
    (void)source;
    cook_scan_object(scan, "World", "/Script/Cook.World", NULL);
    enum cook_status status = cook_scan_fail(scan, 7, "bad %s", "chunk");
    (void)cook_scan_fail(scan, 8, "and more");
    return status;
}

static enum cook_status scan_fault_without_line(struct cook_scan *scan,
                                                const struct cook_source *source)
{
    (void)source;
    (void)cook_scan_fail(scan, 0, "is empty");
    return COOK_OK;
}

static enum cook_status scan_silent_failure(struct cook_scan *scan,
                                            const struct cook_source *source)
{
    (void)scan;
    (void)source;
    return COOK_E_MALFORMED;
}

static enum cook_status scan_same_names(struct cook_scan *scan,
                                        const struct cook_source *source)
{
    (void)source;
    cook_scan_object(scan, "Mesh", "/Script/Cook.World", NULL);
    cook_scan_object(scan, "Mesh", "/Script/Cook.World", "Mesh");
    cook_scan_object(scan, "Mesh", "/Script/Cook.World", NULL);
    return COOK_OK;
}

static enum cook_status scan_no_outer(struct cook_scan *scan, const struct cook_source *source)
{
    (void)source;
    cook_scan_object(scan, "Mesh", "/Script/Cook.World", "World");
    return COOK_OK;
}

static enum cook_status scan_no_class(struct cook_scan *scan, const struct cook_source *source)
{
    (void)source;
    cook_scan_object(scan, "Mesh", NULL, NULL);
    return COOK_OK;
}

static void scan__faults_name_the_file(void **state)
{
    struct fixture *f = *state;
    assert_fault(f, scan_fault, "Content/A.png:7: bad chunk");
    assert_fault(f, scan_fault_without_line, "Content/A.png: is empty");
    assert_fault(f, scan_silent_failure,
                 "Content/A.png: reader 'test' failed: malformed input");
    assert_fault(f, scan_same_names, "Content/A.png: two objects are named 'Mesh'");
    assert_fault(f, scan_no_outer,
                 "Content/A.png: the outer 'World' of object 'Mesh' does not come before it");
    assert_fault(f, scan_no_class, "Content/A.png: object 'Mesh' has no class");
}

static void scan__fails_cleanly_when_memory_is_short(void **state)
{
    struct fixture *f = *state;
    enum cook_status status = COOK_E_NO_MEMORY;
    for (long n = 0; status != COOK_OK; n++) {
        cook_arena_finish(&f->arena);
        cook_alloc_fail_after(n);
        status = run_scan(f, scan_all_kinds);
        cook_alloc_fail_after(-1);
        assert_true(status == COOK_OK || status == COOK_E_NO_MEMORY);
        assert_true(n < 1000);
    }
    assert_int_equal(f->facts.object_count, 2);
}

static void name__invalid_characters_become_underscores(void **state)
{
    char buffer[256];
    (void)state;
    assert_string_equal(cook_make_object_name(buffer, "a/b.c:d\te\x7f", "X"), "a_b_c_d_e_");
    assert_string_equal(cook_make_object_name(buffer, "", "Mesh.0"), "Mesh_0");
    assert_string_equal(cook_make_object_name(buffer, NULL, NULL), "Object");
}

static void name__long_text_is_cut_between_characters(void **state)
{
    char buffer[256];
    char text[302];
    (void)state;
    for (size_t i = 0; i < 300; i += 2)
        memcpy(text + i, "\xc3\xa4", 3);
    assert_int_equal(strlen(cook_make_object_name(buffer, text, "X")), 254);
    memset(text, 'a', 300);
    text[300] = '\0';
    assert_int_equal(strlen(cook_make_object_name(buffer, text, "X")), 255);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)
        TEST(scan__collects_sorted_facts),
        TEST(scan__faults_name_the_file),
        TEST(scan__fails_cleanly_when_memory_is_short),
        TEST(name__invalid_characters_become_underscores),
        TEST(name__long_text_is_cut_between_characters),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
