#include <fcntl.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <setjmp.h>
#include <unistd.h>
/* cmocka needs the headers above first */
#include <cmocka.h>

#include "cook/base/alloc.h"
#include "cook/plan/graph.h"
#include "cook/plan/rules.h"
#include "cook/registry/facts.h"

enum { PACKAGES = 5 };

struct fixture {
    struct cook_state state;
    struct cook_run run;
    struct cook_rules rules;
    uint32_t rule_of[PACKAGES];
    uint32_t rows[PACKAGES]; /* /Game/A to /Game/E */
};

static uint32_t add_package(struct fixture *f, const char *name)
{
    struct cook_fact_object object = { "Main", "/Script/T.Thing" };
    struct cook_facts facts = { .objects = &object, .object_count = 1 };
    struct cook_buf blob = COOK_BUF_INIT;
    cook_facts_encode(&facts, &blob);
    uint32_t id = cook_state_add_package(&f->state, name);
    f->state.packages[id].flags |= COOK_PACKAGE_PRESENT;
    assert_int_equal(cook_registry_set_facts(&f->state, id, "asset/1", (struct cook_hash){ 1, 1 },
                                             blob.data, blob.size, NULL),
                     COOK_OK);
    cook_buf_finish(&blob);
    return id;
}

static void add_edge(struct fixture *f, uint32_t from, const char *to)
{
    struct cook_result result = { .hard = &to, .hard_count = 1 };
    f->state.packages[f->rows[from]].edges = cook_edges_add(&f->run, &result);
}

/* Rows in another order than names: A -> B -> C -> B, D -> A; E is not reached. */
static void runtime_graph__has_rings_layers_and_a_chain(void **state)
{
    (void)state;
    struct fixture f = { .rules = { .package_count = PACKAGES } };
    cook_state_init(&f.state);
    f.run.state = &f.state;
    f.run.rules = &f.rules;
    f.rules.rule_of = f.rule_of;
    char name[] = "/tmp/cook-graph-XXXXXX";
    assert_non_null(mkdtemp(name));
    int folder = open(name, O_RDONLY | O_DIRECTORY);
    (void)close(openat(folder, "empty.ini", O_WRONLY | O_CREAT, 0600));
    assert_int_equal(cook_config_load_file(&f.run.project.config, folder, "empty.ini", NULL), COOK_OK);
    (void)unlinkat(folder, "empty.ini", 0);
    (void)close(folder);
    (void)rmdir(name);
    for (uint32_t i = PACKAGES; i-- > 0;)
        f.rows[i] = add_package(&f, (const char *[]){ "/Game/A", "/Game/B", "/Game/C", "/Game/D",
                                                      "/Game/E" }[i]);
    add_edge(&f, 0, "/Game/B.Main");
    add_edge(&f, 1, "/Game/C.Main");
    add_edge(&f, 2, "/Game/B.Main");
    add_edge(&f, 3, "/Game/A.Main");
    struct cook_roots roots = { .packages = &f.rows[3], .count = 1 };
    struct cook_runtime_graph graph;
    assert_int_equal(cook_runtime_graph_find(&graph, &f.run, &roots, NULL), COOK_OK);
    assert_int_equal(graph.graph.count, 4);
    for (uint32_t i = 0; i < 4; i++)
        assert_int_equal(graph.graph.packages[i], f.rows[i]);
    assert_int_equal(graph.components.count, 3);
    assert_int_equal(graph.components.layer_count, 3);
    assert_int_equal(graph.largest_count, 2);
    assert_int_equal(graph.largest[0], 1);
    assert_int_equal(graph.largest[1], 2);
    assert_int_equal(graph.chain_count, 3);
    assert_int_equal(graph.chain[0], 3);
    assert_int_equal(graph.chain[1], 0);
    assert_int_equal(graph.chain[2], 1);
    cook_runtime_graph_finish(&graph);
    cook_config_destroy(f.run.project.config);
    cook_state_finish(&f.state);
    cook_arena_finish(&f.run.arena);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(runtime_graph__has_rings_layers_and_a_chain),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
