#include "cook/plan/explaining.h"

#include <stdlib.h>
#include <string.h>

#include "cook/deps/dep.h"
#include "cook/deps/value.h"
#include "cook/plan/causes.h"

enum cook_status cook_explaining_init(struct cook_explaining *explaining, struct cook_run *run,
                                      struct cook_error *error)
{
    *explaining = (struct cook_explaining){ .run = run };
    explaining->first_dep =
        cook_calloc((size_t)run->state->deps_count + 1, sizeof(*explaining->first_dep));
    return explaining->first_dep ? COOK_OK : cook_error_no_memory(error);
}

void cook_explaining_finish(struct cook_explaining *explaining)
{
    cook_free(explaining->deps);
    cook_free(explaining->first_dep);
    cook_free(explaining->packages);
    cook_free(explaining->rows);
    cook_free(explaining->entry_of);
    cook_arena_finish(&explaining->arena);
    *explaining = (struct cook_explaining){ 0 };
}

const char *cook_set_through(const struct cook_state *state, uint32_t set, const char *own)
{
    const struct cook_state_set *row = &state->sets[set];
    for (uint32_t i = 0; i < row->count; i++) {
        const struct cook_state_dep *dep = &state->deps[state->ids[row->first + i]];
        if (dep->kind != COOK_DEP_SOURCE) /* each load set has that of its own package */
            continue;
        const char *package = cook_state_text(state, dep->args);
        return strcmp(package, own) == 0 ? NULL : package;
    }
    return NULL;
}

/* ---- changed dependencies ---- */

/* Texts may be the same where values are not: then their hashes tell them apart. */
static void set_texts(struct cook_explained_dep *explained, const struct cook_state *state,
                      const struct cook_state_dep *row, bool known, struct cook_hash old,
                      const char *old_text, struct cook_arena *arena)
{
    const char *text = cook_state_text(state, row->text);
    explained->old_text =
        known ? cook_dep_value_text(row->kind, old, old_text, arena) : "no longer known";
    explained->new_text = cook_dep_value_text(row->kind, row->value, text, arena);
    if (!explained->old_text || !explained->new_text ||
        strcmp(explained->old_text, explained->new_text) != 0)
        return;
    char hex[COOK_HASH_TEXT_SIZE];
    cook_hash_to_text(old, hex);
    explained->old_text = cook_arena_printf(arena, "%s [%s]", explained->old_text, hex);
    cook_hash_to_text(row->value, hex);
    explained->new_text = cook_arena_printf(arena, "%s [%s]", explained->new_text, hex);
}

/* The entry of a dependency with its value as of `cook`; asked of the database once. `*changed` false: the
 * value is what it was then. */
static enum cook_status find_dep(uint32_t *index, bool *changed, struct cook_explaining *explaining,
                                 uint32_t dep, uint32_t cook, struct cook_error *error)
{
    struct cook_run *run = explaining->run;
    const struct cook_state_dep *row = &run->state->deps[dep];
    struct cook_hash old = { 0, 0 };
    char *old_text = NULL;
    *changed = true;
    for (uint32_t at = explaining->first_dep[dep]; at; at = explaining->deps[at - 1].next)
        if (explaining->deps[at - 1].cook == cook) {
            *index = at - 1;
            return COOK_OK;
        }
    enum cook_status status =
        cook_store_dep_value_at(run->store, &old, &old_text, dep, cook, &explaining->arena, error);
    bool known = status == COOK_OK;
    if (status != COOK_OK && status != COOK_E_NOT_FOUND)
        return status;
    *changed = !known || !cook_hash_equal(old, row->value);
    if (!*changed)
        return COOK_OK;
    if (!cook_grow(&explaining->deps, &explaining->dep_capacity, explaining->dep_count + 1,
                   sizeof(*explaining->deps)))
        return cook_error_no_memory(error);
    const char *args = cook_state_text(run->state, row->args);
    struct cook_arena *arena = &explaining->arena;
    struct cook_explained_dep explained = {
        .kind = row->kind,
        .key = cook_arena_strdup(arena, args),
        .where = cook_run_value_place(run, row->kind, args, arena),
        .old_where = cook_dep_has_place(row->kind) && old_text ? cook_value_place(old_text) : "",
    };
    set_texts(&explained, run->state, row, known, old, old_text, arena);
    if (!explained.key || !explained.old_text || !explained.new_text || !explained.where)
        return cook_error_no_memory(error);
    explaining->deps[explaining->dep_count] =
        (struct cook_explaining_dep){ explained, dep, cook, explaining->first_dep[dep] };
    explaining->first_dep[dep] = (uint32_t)explaining->dep_count + 1;
    *index = (uint32_t)explaining->dep_count++;
    return COOK_OK;
}

/* A dependency may stand in several sets: a use by the package itself wins over one through another. */
static enum cook_status add_use(struct cook_explained_package *package, size_t *capacity,
                                uint32_t dep, const char *through, struct cook_error *error)
{
    for (size_t i = 0; i < package->use_count; i++)
        if (package->uses[i].dep == dep) {
            if (!*through)
                package->uses[i].through = "";
            return COOK_OK;
        }
    if (!cook_grow(&package->uses, capacity, package->use_count + 1, sizeof(*package->uses)))
        return cook_error_no_memory(error);
    package->uses[package->use_count++] = (struct cook_explained_use){ dep, through };
    return COOK_OK;
}

/* `all`: look at each dependency, and not only at those that this evaluation found changed. */
static enum cook_status add_uses(struct cook_explaining *explaining,
                                 struct cook_explained_package *package, uint32_t row, bool all,
                                 struct cook_error *error)
{
    const struct cook_run *run = explaining->run;
    const struct cook_state *state = run->state;
    const struct cook_state_bundle *bundle = &state->bundles[state->packages[row].bundle];
    enum cook_status status = COOK_OK;
    size_t capacity = 0;
    for (uint32_t i = 0; status == COOK_OK && i < bundle->count; i++) {
        uint32_t id = state->ids[bundle->first + i];
        const char *through = NULL;
        for (uint32_t k = 0; status == COOK_OK && k < state->sets[id].count; k++) {
            uint32_t dep = state->ids[state->sets[id].first + k];
            uint32_t index = 0;
            bool changed = false;
            if (dep >= run->dep_count || (!all && !run->dep_changed[dep]))
                continue;
            status = find_dep(&index, &changed, explaining, dep, state->results[row].cook, error);
            if (status != COOK_OK || !changed)
                continue;
            if (!through) {
                const char *package_name = cook_set_through(state, id, package->name);
                through = package_name ? cook_arena_strdup(&explaining->arena, package_name) : "";
            }
            status = through ? add_use(package, &capacity, index, through, error)
                             : cook_error_no_memory(error);
        }
    }
    return status;
}

/* ---- packages ---- */

static int compare_texts(const void *a, const void *b)
{
    return strcmp(*(const char *const *)a, *(const char *const *)b);
}

static const char *classes_of(struct cook_explaining *explaining, uint32_t package)
{
    const struct cook_state *state = explaining->run->state;
    struct cook_arena scratch = COOK_ARENA_INIT;
    struct cook_facts facts;
    struct cook_buf text = COOK_BUF_INIT;
    size_t size;
    const uint8_t *blob = cook_state_blob(state, state->results[package].facts, &size);
    const char **names = NULL;
    if (blob && cook_facts_decode(&facts, blob, size, &scratch, NULL) == COOK_OK)
        names = cook_arena_alloc(&scratch, (facts.object_count + 1) * sizeof(*names));
    for (size_t i = 0; names && i < facts.object_count; i++)
        names[i] = facts.objects[i].class_name;
    if (names && facts.object_count)
        qsort(names, facts.object_count, sizeof(*names), compare_texts);
    for (size_t i = 0; names && i < facts.object_count; i++)
        if (i == 0 || strcmp(names[i], names[i - 1]) != 0)
            cook_buf_printf(&text, "%s%s", text.size ? "\n" : "", names[i]);
    const char *copy = cook_arena_strdup(&explaining->arena, cook_buf_text(&text));
    cook_buf_finish(&text);
    cook_arena_finish(&scratch);
    return copy ? copy : "";
}

static bool note_entry(struct cook_explaining *explaining, uint32_t package)
{
    size_t before = explaining->entry_capacity;
    if (!cook_grow(&explaining->entry_of, &explaining->entry_capacity, (size_t)package + 1,
                   sizeof(*explaining->entry_of)))
        return false;
    memset(explaining->entry_of + before, 0,
           (explaining->entry_capacity - before) * sizeof(*explaining->entry_of));
    explaining->entry_of[package] = (uint32_t)explaining->package_count + 1;
    return true;
}

enum cook_status cook_explaining_add(struct cook_explaining *explaining, uint32_t package,
                                     enum cook_reason reason, struct cook_error *error)
{
    struct cook_run *run = explaining->run;
    const char *class = "";
    if (reason == COOK_REASON_OPTED_OUT)
        class = cook_run_opted_out_class(run, package, &explaining->arena);
    struct cook_explained_package explained = {
        .name = cook_arena_strdup(&explaining->arena,
                                  cook_state_text(run->state, run->state->packages[package].name)),
        .reason = cook_reason_text(reason),
        .opted_out = class ? class : "",
        .classes = classes_of(explaining, package),
    };
    if (!explained.name ||
        !cook_grow(&explaining->packages, &explaining->package_capacity,
                   explaining->package_count + 1, sizeof(*explaining->packages)) ||
        !cook_grow(&explaining->rows, &explaining->row_capacity, explaining->package_count + 1,
                   sizeof(*explaining->rows)) ||
        !note_entry(explaining, package))
        return cook_error_no_memory(error);
    enum cook_status status = COOK_OK;
    if (reason == COOK_REASON_KEY_CHANGED)
        status = add_uses(explaining, &explained, package, false, error);
    if (status == COOK_OK && reason == COOK_REASON_KEY_CHANGED && explained.use_count == 0)
        status = add_uses(explaining, &explained, package, true, error);
    /* Uses move to the arena, where they live as long as the rest. */
    struct cook_explained_use *uses = cook_arena_dup(&explaining->arena, explained.uses,
                                                     explained.use_count * sizeof(*uses));
    cook_free(explained.uses);
    explained.uses = uses;
    if (status == COOK_OK && explained.use_count && !uses)
        status = cook_error_no_memory(error);
    if (status != COOK_OK)
        return status;
    explaining->rows[explaining->package_count] = package;
    explaining->packages[explaining->package_count++] = explained;
    return COOK_OK;
}

/* ---- outcomes ---- */

static void hash_blob(struct cook_hasher *hasher, const struct cook_state *state, uint32_t offset)
{
    size_t size;
    const uint8_t *bytes = cook_state_blob(state, offset, &size);
    uint64_t length = size;
    cook_hasher_update(hasher, &length, sizeof(length));
    if (size)
        cook_hasher_update(hasher, bytes, size);
}

/* References as paths: which rows they led to is no part of the result. */
static void hash_edges(struct cook_hasher *hasher, const struct cook_state *state, uint32_t package)
{
    struct cook_arena arena = COOK_ARENA_INIT;
    struct cook_edge_row *edges;
    size_t count;
    if (cook_edges_read(&edges, &count, state, package, &arena) != COOK_OK)
        count = 0;
    for (size_t i = 0; i < count; i++) {
        uint32_t kind = (uint32_t)edges[i].kind;
        cook_hasher_update(hasher, &kind, sizeof(kind));
        cook_hasher_update_string(hasher, edges[i].path);
    }
    cook_arena_finish(&arena);
}

/* Sets come in the order of their rows, which is that in which they were first seen: an order of no meaning,
 * so that their members are summed. */
static void hash_dependencies(struct cook_hasher *hasher, const struct cook_state *state,
                              uint32_t package)
{
    struct cook_hash sum = { 0, 0 };
    uint32_t id = state->packages[package].bundle;
    const struct cook_state_bundle *bundle = id < state->bundles_count ? &state->bundles[id] : NULL;
    for (uint32_t i = 0; bundle && i < bundle->count; i++) {
        const struct cook_state_set *set = &state->sets[state->ids[bundle->first + i]];
        for (uint32_t k = 0; k < set->count; k++) {
            uint32_t dep = state->ids[set->first + k];
            sum = cook_key_sum(sum, cook_hash_bytes(&dep, sizeof(dep)));
        }
    }
    cook_hasher_update(hasher, &sum, sizeof(sum));
}

struct cook_hash cook_explaining_result(const struct cook_state *state, uint32_t package)
{
    const struct cook_state_result *result = &state->results[package];
    uint32_t omitted = state->packages[package].flags & COOK_PACKAGE_OMITTED;
    struct cook_hasher hasher;
    if (!(state->packages[package].flags & COOK_PACKAGE_HAS_RESULT))
        return (struct cook_hash){ 0, 0 };
    cook_hasher_init(&hasher);
    cook_hasher_update(&hasher, &result->bytes, sizeof(result->bytes));
    cook_hasher_update(&hasher, &omitted, sizeof(omitted));
    hash_blob(&hasher, state, result->details);
    hash_blob(&hasher, state, result->messages);
    hash_edges(&hasher, state, package);
    hash_dependencies(&hasher, state, package);
    return cook_hasher_digest(&hasher);
}

void cook_explaining_cooked(struct cook_explaining *explaining, uint32_t package,
                            struct cook_hash before)
{
    uint32_t entry = package < explaining->entry_capacity ? explaining->entry_of[package] : 0;
    if (!entry)
        return;
    const struct cook_state *state = explaining->run->state;
    struct cook_explained_package *explained = &explaining->packages[entry - 1];
    explained->duration_us = state->results[package].duration_us;
    if (!cook_hash_is_zero(before))
        explained->outcome = cook_hash_equal(before, cook_explaining_result(state, package))
                                 ? COOK_EXPLAINED_IDENTICAL
                                 : COOK_EXPLAINED_CHANGED;
}

/* ---- the end ---- */

static int compare_packages(const void *a, const void *b)
{
    return strcmp(((const struct cook_explained_package *)a)->name,
                  ((const struct cook_explained_package *)b)->name);
}

static int compare_deps(const void *a, const void *b, void *user)
{
    const struct cook_explaining *explaining = user;
    const struct cook_explaining_dep *x = &explaining->deps[*(const uint32_t *)a];
    const struct cook_explaining_dep *y = &explaining->deps[*(const uint32_t *)b];
    if (x->explained.kind != y->explained.kind)
        return x->explained.kind < y->explained.kind ? -1 : 1;
    int order = strcmp(x->explained.key, y->explained.key);
    return order ? order : (x->cook > y->cook) - (x->cook < y->cook);
}

static int compare_uses(const void *a, const void *b)
{
    const struct cook_explained_use *x = a;
    const struct cook_explained_use *y = b;
    return (x->dep > y->dep) - (x->dep < y->dep);
}

/* Dependencies by kind and key, packages by name: the order of the visits is that of the workers. */
static bool sort_all(struct cook_explaining *explaining, struct cook_explained_dep *deps)
{
    size_t count = explaining->dep_count;
    uint32_t *order = cook_arena_alloc(&explaining->arena, (count + 1) * sizeof(*order));
    uint32_t *rank = cook_arena_alloc(&explaining->arena, (count + 1) * sizeof(*rank));
    if (!order || !rank)
        return false;
    for (uint32_t i = 0; i < count; i++)
        order[i] = i;
    if (count)
        qsort_r(order, count, sizeof(*order), compare_deps, explaining);
    for (uint32_t i = 0; i < count; i++) {
        rank[order[i]] = i;
        deps[i] = explaining->deps[order[i]].explained;
    }
    for (size_t i = 0; i < explaining->package_count; i++) {
        struct cook_explained_package *package = &explaining->packages[i];
        for (size_t k = 0; k < package->use_count; k++)
            package->uses[k].dep = rank[package->uses[k].dep];
        if (package->use_count)
            qsort(package->uses, package->use_count, sizeof(*package->uses), compare_uses);
    }
    qsort(explaining->packages, explaining->package_count, sizeof(*explaining->packages),
          compare_packages);
    return true;
}

enum cook_status cook_explaining_put(struct cook_explaining *explaining, struct cook_hash *hash,
                                     struct cook_error *error)
{
    struct cook_buf bytes = COOK_BUF_INIT;
    *hash = (struct cook_hash){ 0, 0 };
    struct cook_explained_dep *deps =
        cook_arena_alloc(&explaining->arena, (explaining->dep_count + 1) * sizeof(*deps));
    if (!deps)
        return cook_error_no_memory(error);
    if (explaining->package_count && !sort_all(explaining, deps))
        return cook_error_no_memory(error);
    const struct cook_explanation explanation = { .deps = deps,
                                                  .dep_count = explaining->dep_count,
                                                  .packages = explaining->packages,
                                                  .package_count = explaining->package_count };
    cook_explanation_encode(&explanation, &bytes);
    enum cook_status status = bytes.failed ? cook_error_no_memory(error)
                                           : cook_store_put_blob(explaining->run->store, hash,
                                                                 bytes.data, bytes.size, error);
    cook_buf_finish(&bytes);
    return status;
}
