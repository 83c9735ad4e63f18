#include "validate/select.h"

#include <stdlib.h>
#include <string.h>

#include "cook/base/intern.h"
#include "cook/registry/facts.h"

#define MAX_SHARDS 1000

static const char *name_of(const struct validate *validate, uint32_t package)
{
    const struct cook_state *state = validate->run->state;
    return cook_state_text(state, state->packages[package].name);
}

static uint64_t cost_of(const struct validate *validate, uint32_t package)
{
    return (uint64_t)validate->run->state->results[package].duration_us + 1; /* none is free */
}

enum cook_status validate_read_shard(struct validate_selection *selection, const char *text,
                                     struct cook_error *error)
{
    unsigned numbers[2] = { 0, 0 };
    const char *at = text;
    for (int i = 0; i < 2; i++) {
        for (; *at >= '0' && *at <= '9' && numbers[i] <= MAX_SHARDS; at++)
            numbers[i] = numbers[i] * 10 + (unsigned)(*at - '0');
        if (i == 0 && *at != '/')
            break;
        at += i == 0;
    }
    if (*at || numbers[0] == 0 || numbers[0] > numbers[1] || numbers[1] > MAX_SHARDS)
        return cook_error_set(error, COOK_E_USAGE,
                              "--shard takes I/N with 1 <= I <= N <= %d, as in 2/8, not '%s'",
                              MAX_SHARDS, text);
    selection->shard = numbers[0];
    selection->shards = numbers[1];
    return COOK_OK;
}

bool validate_selects(const struct validate_selection *selection)
{
    return selection->shards || selection->seconds > 0;
}

/* ---- shards ---- */

static int by_cost(const void *a, const void *b, void *user)
{
    const struct validate *validate = user;
    uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
    uint64_t x_cost = cost_of(validate, x), y_cost = cost_of(validate, y);
    if (x_cost != y_cost)
        return x_cost < y_cost ? 1 : -1;
    return strcmp(name_of(validate, x), name_of(validate, y));
}

static int by_name(const void *a, const void *b, void *user)
{
    return strcmp(name_of(user, *(const uint32_t *)a), name_of(user, *(const uint32_t *)b));
}

/* All shards of one validation have the same mark: it is of all packages that are shared out. */
static void mark_shards(struct validate *validate)
{
    struct cook_hasher hasher;
    cook_hasher_init(&hasher);
    for (size_t i = 0; i < validate->candidate_count; i++) {
        uint32_t package = validate->candidates[i];
        uint64_t cost = cost_of(validate, package);
        cook_hasher_update_string(&hasher, name_of(validate, package));
        cook_hasher_update(&hasher, &validate->run->state->packages[package].key,
                           sizeof(struct cook_hash));
        cook_hasher_update(&hasher, &cost, sizeof(cost));
    }
    cook_hash_to_text(cook_hasher_digest(&hasher), validate->shard_mark);
}

/* Keeps those of this shard among the candidates. */
static enum cook_status share_out(struct validate *validate, struct cook_error *error)
{
    unsigned shards = validate->options.selection->shards;
    uint64_t *loads = cook_calloc(shards, sizeof(*loads));
    size_t kept = 0;
    if (!loads)
        return cook_error_no_memory(error);
    mark_shards(validate);
    for (size_t i = 0; i < validate->candidate_count; i++) {
        uint32_t package = validate->candidates[i];
        unsigned least = 0;
        for (unsigned k = 1; k < shards; k++)
            if (loads[k] < loads[least])
                least = k;
        loads[least] += cost_of(validate, package);
        if (least + 1 == validate->options.selection->shard)
            validate->candidates[kept++] = package;
    }
    validate->candidate_count = kept;
    cook_free(loads);
    return COOK_OK;
}

/* ---- time ---- */

/* The candidates, sorted by name, from the one behind `after` on and around; as many as fit, one at least. */
static enum cook_status fit_time(struct validate *validate, struct cook_error *error)
{
    const struct validate_selection *selection = validate->options.selection;
    size_t count = validate->candidate_count, first = 0, fits = 0;
    double limit_us = selection->seconds * 1e6 * cook_pool_count(validate->run->pool), spent_us = 0;
    uint32_t *chosen = cook_malloc((count + 1) * sizeof(*chosen));
    if (!chosen)
        return cook_error_no_memory(error);
    while (selection->after && first < count &&
           strcmp(name_of(validate, validate->candidates[first]), selection->after) <= 0)
        first++;
    while (fits < count) {
        uint32_t package = validate->candidates[(first + fits) % count];
        spent_us += (double)cost_of(validate, package);
        if (fits && spent_us > limit_us)
            break;
        chosen[fits++] = package;
    }
    /* Copied: names move when the state grows. */
    if (fits < count && !(validate->next = cook_arena_strdup(&validate->arena,
                                                            name_of(validate, chosen[fits - 1])))) {
        cook_free(chosen);
        return cook_error_no_memory(error);
    }
    cook_free(validate->candidates);
    validate->candidates = chosen;
    validate->candidate_count = fits;
    return COOK_OK;
}

enum cook_status validate_select(struct validate *validate, struct cook_error *error)
{
    const struct validate_selection *selection = validate->options.selection;
    enum cook_status status = COOK_OK;
    validate->all_candidates = validate->candidate_count;
    if (validate->candidate_count == 0)
        return COOK_OK;
    if (selection->shards) {
        qsort_r(validate->candidates, validate->candidate_count, sizeof(uint32_t), by_cost, validate);
        status = share_out(validate, error);
    }
    if (validate->candidate_count)
        qsort_r(validate->candidates, validate->candidate_count, sizeof(uint32_t), by_name, validate);
    if (status == COOK_OK && selection->seconds > 0 && validate->candidate_count)
        status = fit_time(validate, error);
    for (size_t i = 0; status == COOK_OK && i < validate->candidate_count; i++) {
        validate->left++;
        status = cook_dispatch_add(validate->dispatch, validate->candidates[i], error);
    }
    return status;
}

void validate_select_finish(struct validate *validate)
{
    cook_free(validate->candidates);
    validate->candidates = NULL;
}

/* ---- coverage ---- */

struct coverage {
    struct cook_intern names;
    size_t *skippable, *covered; /* by class */
    size_t skippable_capacity, covered_capacity;
    bool failed;
};

static void count_class(struct coverage *coverage, const char *name, bool covered)
{
    size_t before = coverage->names.count;
    uint32_t id = cook_intern_add(&coverage->names, name);
    if (id == COOK_INTERN_NONE ||
        !cook_grow(&coverage->skippable, &coverage->skippable_capacity, (size_t)id + 1,
                   sizeof(size_t)) ||
        !cook_grow(&coverage->covered, &coverage->covered_capacity, (size_t)id + 1, sizeof(size_t))) {
        coverage->failed = true;
        return;
    }
    if (coverage->names.count != before)
        coverage->skippable[id] = coverage->covered[id] = 0;
    coverage->skippable[id]++;
    coverage->covered[id] += covered;
}

static void count_package(struct coverage *coverage, const struct validate *validate,
                          uint32_t package, bool covered)
{
    const struct cook_state *state = validate->run->state;
    struct cook_arena arena = COOK_ARENA_INIT;
    struct cook_intern own = { 0 };
    struct cook_facts facts;
    size_t size;
    const uint8_t *blob = cook_state_blob(state, state->results[package].facts, &size);
    if (blob && cook_facts_decode(&facts, blob, size, &arena, NULL) == COOK_OK)
        for (size_t i = 0; i < facts.object_count; i++) {
            size_t before = own.count;
            (void)cook_intern_add(&own, facts.objects[i].class_name);
            if (own.count != before)
                count_class(coverage, facts.objects[i].class_name, covered);
        }
    cook_intern_finish(&own);
    cook_arena_finish(&arena);
}

static int compare_texts(const void *a, const void *b)
{
    return strcmp(*(const char *const *)a, *(const char *const *)b);
}

static void add_classes(struct coverage *coverage, cJSON *document)
{
    size_t count = coverage->names.count;
    const char **names = cook_malloc((count + 1) * sizeof(*names));
    cJSON *list = cJSON_AddArrayToObject(document, "classes");
    for (uint32_t i = 0; names && i < count; i++)
        names[i] = cook_intern_text(&coverage->names, i);
    if (names && count)
        qsort(names, count, sizeof(*names), compare_texts);
    for (size_t i = 0; names && i < count; i++) {
        uint32_t id = cook_intern_find(&coverage->names, names[i]);
        cJSON *class = cJSON_CreateObject();
        cJSON_AddStringToObject(class, "name", names[i]);
        cJSON_AddNumberToObject(class, "skippable", (double)coverage->skippable[id]);
        cJSON_AddNumberToObject(class, "validated", (double)coverage->covered[id]);
        cJSON_AddItemToArray(list, class);
    }
    cook_free(names);
}

void validate_add_coverage(const struct validate *validate, cJSON *document)
{
    const struct validate_selection *selection = validate->options.selection;
    struct coverage coverage = { 0 };
    uint8_t *found = cook_calloc((size_t)validate->search.package_count + 1, 1);
    for (size_t i = 0; found && i < validate->finding_count; i++)
        if (validate->findings[i]->package < validate->search.package_count)
            found[validate->findings[i]->package] = 1;
    for (uint32_t i = 0; found && i < validate->search.package_count; i++)
        if (validate->search.visited[i] && !validate->modified[i])
            count_package(&coverage, validate, i, validate->validated[i] || found[i]);
    if (!coverage.failed && found)
        add_classes(&coverage, document);
    if (selection && selection->shards) {
        cJSON *shard = cJSON_AddObjectToObject(document, "shard");
        cJSON_AddNumberToObject(shard, "index", selection->shard);
        cJSON_AddNumberToObject(shard, "count", selection->shards);
        cJSON_AddStringToObject(shard, "of", validate->shard_mark);
    }
    if (selection && selection->seconds > 0) {
        if (validate->next)
            cJSON_AddStringToObject(document, "next", validate->next);
        else
            cJSON_AddNullToObject(document, "next");
    }
    cook_intern_finish(&coverage.names);
    cook_free(coverage.skippable);
    cook_free(coverage.covered);
    cook_free(found);
}
