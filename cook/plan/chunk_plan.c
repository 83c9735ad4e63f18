#include "cook/plan/chunk_plan.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "cook/base/path.h"
#include "cook/deps/dep.h"
#include "cook/plan/rules.h"
#include "cook/registry/redirects.h"

#define SECTION   "Chunks"
#define MAX_CHUNK 1000000

struct planning {
    struct cook_run *run;
    const uint32_t *packages;
    uint32_t count;
    uint32_t *index_of; /* package row -> index, COOK_ID_NONE */
    struct cook_chunk_input input;
    uint32_t *edge_first;
    uint32_t *edges;
    size_t edge_count, edge_capacity;
    struct cook_chunk_root *roots;
    size_t root_capacity;
    struct cook_chunk_parent *parents;
    size_t parent_capacity;
    uint32_t *startup;
    size_t startup_capacity;
    uint8_t *single;
};

static enum cook_status no_memory(struct cook_error *error)
{
    return cook_error_set(error, COOK_E_NO_MEMORY, "out of memory for the chunks");
}

static const char *name_of(const struct planning *plan, uint32_t index)
{
    const struct cook_state *state = plan->run->state;
    return cook_state_text(state, state->packages[plan->packages[index]].name);
}

/* ---- edges ---- */

static bool add_edge(struct planning *plan, uint32_t from, uint32_t package)
{
    uint32_t to =
        package < plan->run->state->packages_count ? plan->index_of[package] : COOK_ID_NONE;
    if (to == COOK_ID_NONE || to == from)
        return true;
    if (!cook_grow(&plan->edges, &plan->edge_capacity, plan->edge_count + 1, sizeof(uint32_t)))
        return false;
    plan->edges[plan->edge_count++] = to;
    return true;
}

/* Packages that shaped the bytes: their sources are dependencies. */
static bool add_build_edges(struct planning *plan, uint32_t index)
{
    const struct cook_state *state = plan->run->state;
    uint32_t bundle_id = state->packages[plan->packages[index]].bundle;
    if (bundle_id == COOK_ID_NONE)
        return true;
    const struct cook_state_bundle *bundle = &state->bundles[bundle_id];
    for (uint32_t i = 0; i < bundle->count; i++) {
        const struct cook_state_set *set = &state->sets[state->ids[bundle->first + i]];
        for (uint32_t k = 0; k < set->count; k++) {
            const struct cook_state_dep *dep = &state->deps[state->ids[set->first + k]];
            if ((dep->kind == COOK_DEP_SOURCE || dep->kind == COOK_DEP_PACKAGE) &&
                !add_edge(plan, index, dep->target))
                return false;
        }
    }
    return true;
}

static enum cook_status add_edges(struct planning *plan, struct cook_error *error)
{
    for (uint32_t i = 0; i < plan->count; i++) {
        struct cook_arena arena = COOK_ARENA_INIT;
        uint32_t *targets;
        size_t count;
        plan->edge_first[i] = (uint32_t)plan->edge_count;
        bool ok = cook_edges_targets(plan->run, plan->packages[i], &targets, &count, &arena) ==
                  COOK_OK;
        for (size_t k = 0; ok && k < count; k++)
            ok = add_edge(plan, i, targets[k]);
        cook_arena_finish(&arena);
        if (!ok || !add_build_edges(plan, i))
            return no_memory(error);
    }
    plan->edge_first[plan->count] = (uint32_t)plan->edge_count;
    return plan->edge_count < UINT32_MAX ? COOK_OK : no_memory(error);
}

/* ---- rules ---- */

static enum cook_status bad_rule(const char *key, const struct cook_config_value *value,
                                 const char *form, struct cook_error *error)
{
    return cook_error_set(error, COOK_E_CONFIG, "%s:%u: [Chunks] %s=%s: expected %s",
                          value->source, value->line, key, value->text, form);
}

/* The whole text is a number of the range. */
static bool parse_number(const char *text, long low, long high, long *out)
{
    char *end;
    errno = 0;
    *out = strtol(text, &end, 10);
    return *text && !*end && errno == 0 && *out >= low && *out <= high;
}

static bool add_root(struct planning *plan, uint32_t index, int32_t chunk, int32_t priority)
{
    if (!cook_grow(&plan->roots, &plan->root_capacity, plan->input.root_count + 1,
                   sizeof(*plan->roots)))
        return false;
    plan->roots[plan->input.root_count++] = (struct cook_chunk_root){ index, chunk, priority };
    return true;
}

static enum cook_status add_rule(struct planning *plan, const struct cook_config_value *value,
                                 struct cook_error *error)
{
    struct cook_arena arena = COOK_ARENA_INIT;
    char *text = cook_arena_strdup(&arena, value->text);
    char *priority = text ? strrchr(text, ':') : NULL;
    long numbers[2] = { 0, 0 };
    enum cook_status status = text ? COOK_OK : no_memory(error);
    if (priority)
        *priority++ = '\0';
    char *chunk = priority ? strrchr(text, ':') : NULL;
    if (chunk)
        *chunk++ = '\0';
    if (status == COOK_OK && (!chunk || !parse_number(chunk, 0, MAX_CHUNK, &numbers[0]) ||
                              !parse_number(priority, INT32_MIN, INT32_MAX, &numbers[1])))
        status = bad_rule("Rule", value, "GLOB:CHUNK:PRIORITY", error);
    for (uint32_t i = 0; status == COOK_OK && i < plan->count; i++)
        if (cook_glob_match(text, name_of(plan, i)) &&
            !add_root(plan, i, (int32_t)numbers[0], (int32_t)numbers[1]))
            status = no_memory(error);
    cook_arena_finish(&arena);
    return status;
}

static enum cook_status add_parent(struct planning *plan, const struct cook_config_value *value,
                                   struct cook_error *error)
{
    struct cook_arena arena = COOK_ARENA_INIT;
    char *text = cook_arena_strdup(&arena, value->text);
    char *parent = text ? strchr(text, ':') : NULL;
    long numbers[2] = { 0, 0 };
    if (parent)
        *parent++ = '\0';
    bool valid = parent && parse_number(text, 1, MAX_CHUNK, &numbers[0]) &&
                 parse_number(parent, 0, MAX_CHUNK, &numbers[1]);
    cook_arena_finish(&arena);
    if (!valid)
        return bad_rule("Parent", value, "CHILD:PARENT", error);
    if (!cook_grow(&plan->parents, &plan->parent_capacity, plan->input.parent_count + 1,
                   sizeof(*plan->parents)))
        return no_memory(error);
    plan->parents[plan->input.parent_count++] =
        (struct cook_chunk_parent){ (uint32_t)numbers[0], (uint32_t)numbers[1] };
    return COOK_OK;
}

static enum cook_status add_single(struct planning *plan, const struct cook_config_value *value,
                                   struct cook_error *error)
{
    (void)error;
    for (uint32_t i = 0; i < plan->count; i++)
        if (cook_glob_match(value->text, name_of(plan, i)))
            plan->single[i] = 1;
    return COOK_OK;
}

static enum cook_status add_startup(struct planning *plan,
                                    const struct cook_config_value *value,
                                    struct cook_error *error)
{
    uint32_t package = cook_state_find_package(plan->run->state, value->text);
    if (package == COOK_ID_NONE || plan->index_of[package] == COOK_ID_NONE)
        return COOK_OK;
    if (!cook_grow(&plan->startup, &plan->startup_capacity, plan->input.startup_count + 1,
                   sizeof(*plan->startup)))
        return no_memory(error);
    plan->startup[plan->input.startup_count++] = plan->index_of[package];
    return COOK_OK;
}

/* What a package loads with itself joins the startup packages, unless it is one. */
static bool add_loaded(struct planning *plan, uint32_t index, uint8_t *marks)
{
    const struct cook_state *state = plan->run->state;
    uint32_t offset = state->packages[plan->packages[index]].edges;
    size_t size = 0;
    const uint8_t *blob = offset ? cook_state_blob(state, offset, &size) : NULL;
    struct cook_reader_buf in = cook_read_init(blob, size);
    size_t count = size ? cook_read_count(&in, 3) : 0;
    for (size_t i = 0; i < count && !in.failed; i++) {
        uint8_t kind = cook_read_u8(&in);
        uint64_t row = cook_read_varint(&in);
        size_t length;
        (void)cook_read_bytes(&in, &length);
        if (in.failed || kind != COOK_EDGE_HARD || row == 0 || row > state->packages_count)
            continue;
        uint32_t target = plan->index_of[row - 1];
        if (target == COOK_ID_NONE || marks[target])
            continue;
        marks[target] = 1;
        if (!cook_grow(&plan->startup, &plan->startup_capacity, plan->input.startup_count + 1,
                       sizeof(*plan->startup)))
            return false;
        plan->startup[plan->input.startup_count++] = target;
    }
    return true;
}

/* The list grows while it is walked. */
static enum cook_status add_all_loaded(struct planning *plan, struct cook_error *error)
{
    uint8_t *marks = cook_calloc((size_t)plan->count + 1, 1);
    bool ok = marks != NULL;
    for (size_t i = 0; ok && i < plan->input.startup_count; i++)
        marks[plan->startup[i]] = 1;
    for (size_t i = 0; ok && i < plan->input.startup_count; i++)
        ok = add_loaded(plan, plan->startup[i], marks);
    cook_free(marks);
    return ok ? COOK_OK : no_memory(error);
}

typedef enum cook_status (*add_function)(struct planning *plan,
                                         const struct cook_config_value *value,
                                         struct cook_error *error);

static enum cook_status add_each(struct planning *plan, const char *section, const char *key,
                                 add_function add, struct cook_error *error)
{
    const struct cook_config_value *values;
    size_t count = cook_config_values(plan->run->project.config, section, key, &values);
    enum cook_status status = COOK_OK;
    for (size_t i = 0; status == COOK_OK && i < count; i++)
        status = add(plan, &values[i], error);
    return status;
}

/* What labels and root rules say: each of them, as the assignment weighs them against each other. */
static enum cook_status add_primary_assets(struct planning *plan, struct cook_error *error)
{
    const struct cook_rules *rules = plan->run->rules;
    for (size_t i = 0; rules && i < rules->chunk_count; i++) {
        const struct cook_rule_source *source = &rules->sources[rules->chunks[i].source];
        uint32_t index = plan->index_of[rules->chunks[i].package];
        if (index != COOK_ID_NONE && !add_root(plan, index, source->chunk, source->priority))
            return no_memory(error);
    }
    return COOK_OK;
}

/* ---- the whole ---- */

static enum cook_status prepare(struct planning *plan, struct cook_error *error)
{
    uint32_t rows = plan->run->state->packages_count;
    plan->index_of = cook_malloc(((size_t)rows + 1) * sizeof(uint32_t));
    plan->edge_first = cook_malloc(((size_t)plan->count + 1) * sizeof(uint32_t));
    plan->single = cook_calloc((size_t)plan->count + 1, 1);
    if (!plan->index_of || !plan->edge_first || !plan->single)
        return no_memory(error);
    for (uint32_t i = 0; i < rows; i++)
        plan->index_of[i] = COOK_ID_NONE;
    for (uint32_t i = 0; i < plan->count; i++)
        plan->index_of[plan->packages[i]] = i;
    return COOK_OK;
}

enum cook_status cook_chunk_plan(struct cook_chunk_assignment *out, struct cook_run *run,
                                 const uint32_t *packages, uint32_t count,
                                 struct cook_error *error)
{
    struct planning plan = { .run = run, .packages = packages, .count = count };
    *out = (struct cook_chunk_assignment){ 0 };
    enum cook_status status = prepare(&plan, error);
    if (status == COOK_OK)
        status = add_each(&plan, SECTION, "Rule", add_rule, error);
    if (status == COOK_OK)
        status = add_primary_assets(&plan, error);
    if (status == COOK_OK)
        status = add_each(&plan, SECTION, "Parent", add_parent, error);
    if (status == COOK_OK)
        status = add_each(&plan, SECTION, "Single", add_single, error);
    if (status == COOK_OK)
        status = add_each(&plan, "Cook", "Startup", add_startup, error);
    if (status == COOK_OK && plan.input.root_count)
        status = add_all_loaded(&plan, error);
    /* Without an owner the edges are of no interest. */
    if (status == COOK_OK && plan.input.root_count)
        status = add_edges(&plan, error);
    else if (plan.edge_first)
        memset(plan.edge_first, 0, ((size_t)count + 1) * sizeof(uint32_t));
    plan.input.package_count = count;
    plan.input.edge_first = plan.edge_first;
    plan.input.edges = plan.edges;
    plan.input.roots = plan.roots;
    plan.input.startup = plan.startup;
    plan.input.single = plan.single;
    plan.input.parents = plan.parents;
    if (status == COOK_OK)
        status = cook_chunks_assign(out, &plan.input, error);
    cook_free(plan.index_of);
    cook_free(plan.edge_first);
    cook_free(plan.edges);
    cook_free(plan.roots);
    cook_free(plan.parents);
    cook_free(plan.startup);
    cook_free(plan.single);
    return status;
}

struct said {
    uint32_t index; /* of the package in the manifest */
    int32_t chunk;
    int32_t priority;
};

static int compare_said(const void *a, const void *b)
{
    const struct said *x = a;
    const struct said *y = b;
    if (x->index != y->index)
        return x->index < y->index ? -1 : 1;
    if (x->chunk != y->chunk)
        return x->chunk < y->chunk ? -1 : 1;
    return (x->priority > y->priority) - (x->priority < y->priority);
}

/* Sorted, so that it does not matter who said it, or when. */
static enum cook_status hash_said(struct cook_hasher *hasher, const struct cook_run *run,
                                  const uint32_t *packages, uint32_t count,
                                  struct cook_error *error)
{
    const struct cook_rules *rules = run->rules;
    if (!rules || rules->chunk_count == 0)
        return COOK_OK;
    uint32_t *index_of = cook_malloc(((size_t)rules->package_count + 1) * sizeof(*index_of));
    struct said *said = cook_malloc(rules->chunk_count * sizeof(*said));
    size_t n = 0;
    for (uint32_t i = 0; index_of && i < rules->package_count; i++)
        index_of[i] = COOK_ID_NONE;
    for (uint32_t i = 0; index_of && i < count; i++)
        if (packages[i] < rules->package_count)
            index_of[packages[i]] = i;
    for (size_t i = 0; index_of && said && i < rules->chunk_count; i++) {
        const struct cook_rule_source *source = &rules->sources[rules->chunks[i].source];
        if (index_of[rules->chunks[i].package] != COOK_ID_NONE)
            said[n++] = (struct said){ index_of[rules->chunks[i].package], source->chunk,
                                       source->priority };
    }
    if (n) {
        qsort(said, n, sizeof(*said), compare_said);
        cook_hasher_update(hasher, said, n * sizeof(*said));
    }
    bool ok = index_of && said;
    cook_free(index_of);
    cook_free(said);
    return ok ? COOK_OK : no_memory(error);
}

enum cook_status cook_chunk_rules_hash(struct cook_hash *hash, struct cook_run *run,
                                       const uint32_t *packages, uint32_t count,
                                       struct cook_error *error)
{
    static const char *const keys[] = { "Rule", "Parent", "Single" };
    struct cook_hasher hasher;
    cook_hasher_init(&hasher);
    for (size_t i = 0; i < sizeof(keys) / sizeof(keys[0]); i++) {
        struct cook_hash value = cook_config_hash(run->project.config, SECTION, keys[i]);
        cook_hasher_update(&hasher, &value, sizeof(value));
    }
    struct cook_hash startup = cook_config_hash(run->project.config, "Cook", "Startup");
    cook_hasher_update(&hasher, &startup, sizeof(startup));
    struct cook_hash redirects = cook_redirects_hash(run->project.config);
    cook_hasher_update(&hasher, &redirects, sizeof(redirects));
    enum cook_status status = hash_said(&hasher, run, packages, count, error);
    *hash = cook_hasher_digest(&hasher);
    return status;
}
