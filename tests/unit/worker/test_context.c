#include "support/session.h"

#include "cook/base/path.h"

/* A node dereferences what it links to when it is loaded. */
struct node {
    struct cook_object base;
    struct cook_array links; /* of struct cook_ref */
    bool quiet;              /* through an unrecorded scope */
    uint32_t found;
};

static enum cook_status post_load(struct cook_context *context, void *object)
{
    struct node *node = object;
    const struct cook_ref *links = node->links.items;
    if (node->quiet)
        context = cook_enter_scope(context, COOK_SCOPE_UNRECORDED);
    for (uint32_t i = 0; i < node->links.count; i++)
        node->found += cook_dereference(context, links[i]) != NULL;
    return COOK_OK;
}

static const struct cook_property properties[] = {
    COOK_PROPERTY_ARRAY_OF(struct node, links, "Links", COOK_PROPERTY_REF, NULL),
    COOK_PROPERTY(struct node, quiet, "Quiet", COOK_PROPERTY_BOOL),
    COOK_PROPERTY_END,
};
static const struct cook_class node_class = { .name = "Node",
                                              .size = sizeof(struct node),
                                              .properties = properties,
                                              .post_load = post_load };

static int set_up(void **state)
{
    if (session_open(state) != 0)
        return -1;
    struct session_fixture *f = *state;
    cook_register_class(&f->session.types, &node_class);
    return session_link(f);
}

/* "B C": a node that links to /Game/B and /Game/C. */
static void add_node(struct session_fixture *f, const char *name, const char *links, bool quiet)
{
    struct cook_buf text = COOK_BUF_INIT;
    cook_buf_printf(&text,
                    "{\"objects\": [{\"name\": \"Main\", \"class\": \"/Script/Test.Node\", "
                    "\"properties\": {\"Quiet\": %s, \"Links\": [",
                    quiet ? "true" : "false");
    char *copy = cook_arena_strdup(&f->arena, links);
    char *rest = NULL;
    const char *comma = "";
    for (char *word = strtok_r(copy, " ", &rest); word; word = strtok_r(NULL, " ", &rest)) {
        cook_buf_printf(&text, "%s{\"$ref\": \"/Game/%s.Main\"}", comma, word);
        comma = ", ";
    }
    cook_buf_printf(&text, "]}}]}");
    (void)session_add(f, name, cook_buf_text(&text));
    cook_buf_finish(&text);
}

static const struct node *node_of(const struct cook_package *package)
{
    return (const void *)cook_package_find(package, NULL)->object;
}

/* The names of the closure of a package's load, sorted, joined by spaces. */
static const char *closure(struct session_fixture *f, struct cook_package *package)
{
    struct cook_package **packages;
    size_t count;
    char seen[27] = { 0 };
    assert_int_equal(cook_session_closure(&f->session, &package->load, true, &packages, &count),
                     COOK_OK);
    for (size_t i = 0; i < count; i++)
        seen[packages[i]->name[strlen("/Game/")] - 'A'] = 1;
    cook_free(packages);
    struct cook_buf text = COOK_BUF_INIT;
    for (unsigned i = 0; i < 26; i++)
        if (seen[i])
            cook_buf_printf(&text, "%c", 'A' + (char)i);
    const char *copy = cook_arena_strdup(&f->arena, cook_buf_text(&text));
    cook_buf_finish(&text);
    assert_int_equal(strlen(copy), count);
    return copy;
}

static void add_chain(struct session_fixture *f)
{
    add_node(f, "A", "B", false);
    add_node(f, "B", "C", false);
    add_node(f, "C", "", false);
}

static void closure__loaded_from_the_top__holds_all_below(void **state)
{
    struct session_fixture *f = *state;
    add_chain(f);
    assert_string_equal(closure(f, session_load_ok(f, "/Game/A")), "ABC");
}

static void closure__loaded_by_another_first__is_the_same(void **state)
{
    struct session_fixture *f = *state;
    add_chain(f);
    add_node(f, "D", "C", false);
    struct cook_package *d = session_load_ok(f, "/Game/D");
    struct cook_package *c = session_load_ok(f, "/Game/C");
    assert_string_equal(closure(f, session_load_ok(f, "/Game/A")), "ABC");
    assert_string_equal(closure(f, session_load_ok(f, "/Game/B")), "BC");
    assert_string_equal(closure(f, c), "C");
    assert_string_equal(closure(f, d), "CD");
}

static void closure__cycle__is_whole_from_every_member(void **state)
{
    struct session_fixture *f = *state;
    add_node(f, "A", "B", false);
    add_node(f, "B", "C", false);
    add_node(f, "C", "A D", false);
    add_node(f, "D", "", false);
    struct cook_package *a = session_load_ok(f, "/Game/A");
    assert_string_equal(closure(f, a), "ABCD");
    assert_string_equal(closure(f, session_load_ok(f, "/Game/B")), "ABCD");
    assert_string_equal(closure(f, session_load_ok(f, "/Game/C")), "ABCD");
    assert_int_equal(node_of(session_load_ok(f, "/Game/C"))->found, 2);
}

static void closure__package_links_to_itself__is_not_its_own_use(void **state)
{
    struct session_fixture *f = *state;
    add_node(f, "A", "A", false);
    struct cook_package *a = session_load_ok(f, "/Game/A");
    assert_int_equal(a->load.use_count, 0);
    assert_int_equal(node_of(a)->found, 1);
    assert_string_equal(closure(f, a), "A");
}

static void closure__no_memory__says_so(void **state)
{
    struct session_fixture *f = *state;
    struct cook_package **packages;
    size_t count;
    add_chain(f);
    struct cook_package *a = session_load_ok(f, "/Game/A");
    cook_alloc_fail_after(0);
    assert_int_equal(cook_session_closure(&f->session, &a->load, true, &packages, &count),
                     COOK_E_NO_MEMORY);
    cook_alloc_fail_after(-1);
    cook_free(packages);
}

static void evict__keeps_the_load_set_for_those_that_used_it(void **state)
{
    struct session_fixture *f = *state;
    add_chain(f);
    struct cook_package *a = session_load_ok(f, "/Game/A");
    struct cook_package *b = session_load_ok(f, "/Game/B");
    size_t reads = cook_record_count(&b->load.record);
    cook_session_evict(&f->session, b);
    assert_int_equal(b->object_count, 0);
    assert_string_equal(closure(f, a), "ABC");
    assert_int_equal(cook_record_count(&b->load.record), reads);
}

static void evict__then_load__starts_from_the_source(void **state)
{
    struct session_fixture *f = *state;
    add_chain(f);
    struct cook_package *a = session_load_ok(f, "/Game/A");
    a->load_id = 7;
    cook_session_evict(&f->session, a);
    assert_ptr_equal(session_load_ok(f, "/Game/A"), a);
    assert_int_equal(a->load_id, 0);
    assert_int_equal(node_of(a)->found, 1);
    assert_string_equal(closure(f, a), "ABC");
}

static void trim__over_the_limit__drops_all(void **state)
{
    struct session_fixture *f = *state;
    add_chain(f);
    (void)session_load_ok(f, "/Game/A");
    cook_session_trim(&f->session, 3);
    assert_int_equal(f->session.resident_names.count, 3);
    cook_session_trim(&f->session, 2);
    assert_int_equal(f->session.resident_names.count, 0);
    assert_string_equal(closure(f, session_load_ok(f, "/Game/A")), "ABC");
}

static void scope__unrecorded__notes_reads_and_uses_nothing(void **state)
{
    struct session_fixture *f = *state;
    add_node(f, "A", "B", true);
    add_node(f, "B", "", false);
    struct cook_package *a = session_load_ok(f, "/Game/A");
    assert_int_equal(node_of(a)->found, 1);
    assert_string_equal(closure(f, a), "A");
    assert_int_equal(cook_record_count(&a->load.unrecorded_reads), 1);
    assert_string_equal(a->load.unrecorded_reads.items[0].args, "/Game/B.Main");
}

static void scope__of_a_scope__shares_the_root(void **state)
{
    struct session_fixture *f = *state;
    add_node(f, "A", "", false);
    struct cook_package *a = session_load_ok(f, "/Game/A");
    struct cook_context *quiet = cook_enter_scope(&a->load, COOK_SCOPE_UNRECORDED);
    struct cook_context *inner = cook_enter_scope(quiet, COOK_SCOPE_UNKNOWN);
    assert_ptr_equal(inner->root, &a->load);
    assert_true(inner->unrecorded);
    size_t reads = cook_record_count(&a->load.record);
    cook_depend_file(inner, "nothing");
    assert_int_equal(cook_record_count(&a->load.record), reads);
    cook_log(inner, COOK_SEVERITY_ERROR, "seen");
    assert_true(cook_context_has_errors(&a->load));
}

static void dereference__missing__is_recorded(void **state)
{
    struct session_fixture *f = *state;
    add_node(f, "A", "Gone", false);
    struct cook_package *a = session_load_ok(f, "/Game/A");
    assert_int_equal(node_of(a)->found, 0);
    const struct cook_observation *last =
        &a->load.record.items[cook_record_count(&a->load.record) - 1];
    assert_int_equal(last->kind, COOK_DEP_REF);
    assert_string_equal(last->args, "/Game/Gone.Main");
    assert_string_equal(last->text, "missing");
}

static void dereference__failed_package__warns(void **state)
{
    struct session_fixture *f = *state;
    add_node(f, "A", "B", false);
    add_node(f, "B", "", false);
    assert_int_equal(test_folder_write(&f->folder, "Content/B.asset", "{"), 0);
    struct cook_package *a = session_load(f, "/Game/A");
    assert_int_equal(a->stage, COOK_LOAD_DONE);
    assert_int_equal(a->load.messages.count, 1);
    assert_int_equal(a->load.messages.items[0].severity, COOK_SEVERITY_WARNING);
    assert_string_equal(closure(f, a), "AB");
}

static void dereference__too_deep__fails_instead_of_giving_null(void **state)
{
    struct session_fixture *f = *state;
    for (unsigned i = 0; i < 300; i++) {
        char name[16], next[16];
        snprintf(name, sizeof(name), "N%u", i);
        snprintf(next, sizeof(next), "N%u", i + 1);
        add_node(f, name, i < 299 ? next : "", false);
    }
    struct cook_package *first = session_load(f, "/Game/N0");
    assert_int_equal(first->stage, COOK_LOAD_DONE);
    struct cook_package *last = session_load(f, "/Game/N255");
    assert_int_equal(last->stage, COOK_LOAD_FAILED);
    assert_non_null(strstr(last->load.messages.items[0].text, "too deeply"));
}

static void config__unset_key__is_recorded_as_absent(void **state)
{
    struct session_fixture *f = *state;
    add_node(f, "A", "", false);
    struct cook_context *context = &session_load_ok(f, "/Game/A")->load;
    size_t before = cook_record_count(&context->record);
    assert_null(cook_console_variable(context, "r.Nothing"));
    assert_null(cook_command_line(context, "Nothing"));
    assert_int_equal(cook_record_count(&context->record), before + 2);
    assert_true(cook_hash_is_zero(context->record.items[before + 1].value));
}

static void config__set_key__is_recorded_with_its_text(void **state)
{
    struct session_fixture *f = *state;
    add_node(f, "A", "", false);
    struct cook_context *context = &session_load_ok(f, "/Game/A")->load;
    size_t count;
    assert_string_equal(cook_config(context, "Test", "Key", &count), "Value");
    assert_int_equal(count, 1);
    const struct cook_observation *last =
        &context->record.items[cook_record_count(&context->record) - 1];
    assert_string_equal(last->args, "[Test] Key");
    assert_string_equal(last->text, "Value");
}

static void path__beside_and_outside(void **state)
{
    struct session_fixture *f = *state;
    add_node(f, "A", "", false);
    struct cook_context *context = &session_load_ok(f, "/Game/A")->load;
    assert_string_equal(cook_context_path(context, "./x.csv", &f->arena), "Content/x.csv");
    assert_string_equal(cook_context_path(context, "Data/x.csv", &f->arena), "Data/x.csv");
    assert_string_equal(cook_context_path(context, "../x.csv", &f->arena), "x.csv");
    assert_null(cook_context_path(context, "../../x.csv", &f->arena));
}

#define THREADS 8

struct recording {
    struct cook_context *context;
    unsigned number;
};

static void *record_many(void *argument)
{
    const struct recording *recording = argument;
    for (unsigned i = 0; i < 50; i++) {
        char name[32];
        snprintf(name, sizeof(name), "Data/%u", (i + recording->number) % 60);
        (void)cook_file_exists(recording->context, name);
        (void)cook_dereference(recording->context, (struct cook_ref){ "/Game/B.Main" });
        cook_log(recording->context, COOK_SEVERITY_INFO, "%u", i);
        (void)cook_alloc(recording->context, 8);
    }
    return NULL;
}

static void threads__recording_at_once__lose_nothing(void **state)
{
    struct session_fixture *f = *state;
    struct recording recordings[THREADS];
    pthread_t threads[THREADS];
    add_node(f, "A", "B", false); /* so that loading B is expected */
    add_node(f, "B", "", false);
    struct cook_package *a = session_load_ok(f, "/Game/A");
    size_t before = cook_record_count(&a->load.record);
    for (unsigned i = 0; i < THREADS; i++) {
        recordings[i] = (struct recording){ &a->load, i * 5 };
        assert_int_equal(pthread_create(&threads[i], NULL, record_many, &recordings[i]), 0);
    }
    for (unsigned i = 0; i < THREADS; i++)
        pthread_join(threads[i], NULL);
    assert_int_equal(cook_record_count(&a->load.record), before + 60);
    assert_int_equal(a->load.messages.count, THREADS * 50);
    assert_int_equal(a->load.use_count, 1);
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, session_close)
    const struct CMUnitTest tests[] = {
        TEST(closure__loaded_from_the_top__holds_all_below),
        TEST(closure__loaded_by_another_first__is_the_same),
        TEST(closure__cycle__is_whole_from_every_member),
        TEST(closure__package_links_to_itself__is_not_its_own_use),
        TEST(closure__no_memory__says_so),
        TEST(evict__keeps_the_load_set_for_those_that_used_it),
        TEST(evict__then_load__starts_from_the_source),
        TEST(trim__over_the_limit__drops_all),
        TEST(scope__unrecorded__notes_reads_and_uses_nothing),
        TEST(scope__of_a_scope__shares_the_root),
        TEST(dereference__missing__is_recorded),
        TEST(dereference__failed_package__warns),
        TEST(dereference__too_deep__fails_instead_of_giving_null),
        TEST(config__unset_key__is_recorded_as_absent),
        TEST(config__set_key__is_recorded_with_its_text),
        TEST(path__beside_and_outside),
        TEST(threads__recording_at_once__lose_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
