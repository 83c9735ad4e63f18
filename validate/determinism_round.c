/* One round: packages to workers that are started in a given way, and prints of what comes
 * back. */
#include <string.h>

#include "cook/deps/dep.h"
#include "cook/plan/dispatch.h"
#include "validate/determinism.h"
#include "validate/validate.h"

#define MAX_LINES 20

struct cooking {
    struct determinism *determinism;
    const struct determinism_round *round;
    struct cook_dispatch *dispatch;
};

/* ---- prints ---- */

static void hash_texts(struct cook_hasher *hasher, const char **texts, size_t count)
{
    uint64_t number = count;
    cook_hasher_update(hasher, &number, sizeof(number));
    for (size_t i = 0; i < count; i++)
        cook_hasher_update_string(hasher, texts[i]);
}

static struct cook_hash hash_files(const struct cook_result *result)
{
    struct cook_hasher hasher;
    cook_hasher_init(&hasher);
    for (size_t i = 0; i < result->file_count; i++) {
        struct cook_hash hash = cook_hash_bytes(result->files[i].bytes, result->files[i].size);
        cook_hasher_update_string(&hasher, result->files[i].name);
        cook_hasher_update(&hasher, &hash, sizeof(hash));
    }
    return cook_hasher_digest(&hasher);
}

static enum cook_status make_print(struct determinism_print *print,
                                   struct determinism *determinism, unsigned worker,
                                   const struct cook_result *result, struct cook_error *error)
{
    struct cook_buf messages = COOK_BUF_INIT;
    struct cook_hasher hasher;
    *print = (struct determinism_print){ .have = true, .ok = result->ok };
    enum cook_status status = cook_intake_result(&determinism->intake, worker, result,
                                                 &print->bundle, &print->key, error);
    if (status == COOK_OK)
        status = cook_intake_messages(result, &messages, error);
    print->bytes = cook_hash_bytes(result->bytes, result->size);
    print->parts = cook_hash_bytes(result->parts, result->parts_size);
    print->messages = cook_hash_bytes(messages.data, messages.size);
    print->files = hash_files(result);
    cook_hasher_init(&hasher);
    hash_texts(&hasher, result->hard, result->hard_count);
    hash_texts(&hasher, result->soft, result->soft_count);
    print->edges = cook_hasher_digest(&hasher);
    cook_buf_finish(&messages);
    return status;
}

static void mark_bundle(const struct cook_state *state, uint32_t bundle, uint8_t *marks,
                        uint8_t bit)
{
    if (bundle >= state->bundles_count)
        return;
    const struct cook_state_bundle *b = &state->bundles[bundle];
    for (uint32_t i = 0; i < b->count; i++) {
        const struct cook_state_set *set = &state->sets[state->ids[b->first + i]];
        for (uint32_t k = 0; k < set->count; k++)
            marks[state->ids[set->first + k]] |= bit;
    }
}

/* The same dependencies may be cut into sets otherwise. */
uint8_t *determinism_marks(const struct cook_state *state, uint32_t old, uint32_t new)
{
    uint8_t *marks = cook_calloc((size_t)state->deps_count + 1, 1);
    if (marks) {
        mark_bundle(state, old, marks, 1);
        mark_bundle(state, new, marks, 2);
    }
    return marks;
}

static bool same_dependencies(const struct cook_state *state, uint32_t old, uint32_t new)
{
    if (old == new)
        return true;
    uint8_t *marks = determinism_marks(state, old, new);
    bool same = marks != NULL;
    for (uint32_t i = 0; same && i < state->deps_count; i++)
        same = marks[i] == 0 || marks[i] == 3;
    cook_free(marks);
    return same;
}

void determinism_name_dependencies(const struct cook_state *state, uint32_t old, uint32_t new,
                                   struct cook_buf *out)
{
    uint8_t *marks = determinism_marks(state, old, new);
    unsigned lines = 0;
    for (uint32_t i = 0; marks && i < state->deps_count && lines < MAX_LINES; i++) {
        if (marks[i] == 0 || marks[i] == 3)
            continue;
        cook_buf_printf(out, "%s: %s %s\n",
                        marks[i] == 1 ? "recorded only by the unperturbed cook"
                                      : "recorded only by the perturbed cook",
                        cook_dep_kind_text(state->deps[i].kind),
                        cook_state_text(state, state->deps[i].args));
        lines++;
    }
    cook_free(marks);
}

uint32_t determinism_compare(const struct determinism *determinism,
                             const struct determinism_print *a,
                             const struct determinism_print *b, bool *declared)
{
    uint32_t parts = 0;
    *declared = false;
    if (a->ok != b->ok)
        return VALIDATE_BYTES;
    if (!a->ok)
        return 0;
    if (!cook_hash_equal(a->bytes, b->bytes))
        parts |= VALIDATE_BYTES;
    if (!cook_hash_equal(a->edges, b->edges))
        parts |= VALIDATE_EDGES;
    if (!cook_hash_equal(a->messages, b->messages))
        parts |= VALIDATE_MESSAGES;
    if (!cook_hash_equal(a->files, b->files))
        parts |= VALIDATE_FILES;
    if (!cook_hash_equal(a->parts, b->parts))
        parts |= VALIDATE_ARTIFACTS;
    if (!same_dependencies(determinism->run->state, a->bundle, b->bundle))
        return parts | VALIDATE_DEPENDENCIES;
    /* The same dependencies with other values: a variable, say, that the class declared. */
    *declared = parts && !cook_hash_equal(a->key, b->key);
    return *declared ? 0 : parts;
}

/* ---- workers ---- */

static enum cook_status visit_all(struct cooking *cooking, struct cook_error *error)
{
    struct determinism *determinism = cooking->determinism;
    enum cook_status status = COOK_OK;
    uint32_t package;
    while (status == COOK_OK && cook_search_pop(&determinism->search, &package))
        status = cook_dispatch_add(cooking->dispatch, package, error);
    return status;
}

/* The search goes where the new result leads: there may be no kept one. */
static enum cook_status follow(struct cooking *cooking, uint32_t package,
                               const struct cook_result *result, struct cook_error *error)
{
    struct determinism *determinism = cooking->determinism;
    struct cook_state *state = determinism->run->state;
    if (determinism->options.package_count)
        return COOK_OK;
    uint32_t edges = cook_edges_add(determinism->run, result);
    cook_state_touch(state, COOK_TABLE_packages, package);
    state->packages[package].edges = edges;
    enum cook_status status = cook_search_push_edges(&determinism->search, package, error);
    return status == COOK_OK ? visit_all(cooking, error) : status;
}

static enum cook_status on_frame(void *user, unsigned worker, uint32_t package,
                                 enum cook_frame_type type, const struct cook_buf *payload,
                                 struct cook_error *error)
{
    struct cooking *cooking = user;
    struct determinism *determinism = cooking->determinism;
    const struct determinism_round *round = cooking->round;
    if (type == COOK_FRAME_LOAD_SET)
        return cook_intake_load_set(&determinism->intake, worker, payload, error);
    struct cook_arena arena = COOK_ARENA_INIT;
    struct cook_result result;
    struct determinism_print print;
    enum cook_status status =
        cook_dispatch_result(&result, determinism->run, package, payload, &arena, error);
    if (status == COOK_OK)
        status = make_print(&print, determinism, worker, &result, error);
    if (status == COOK_OK)
        status = round->on_result(round->user, package, &result, &print, NULL, error);
    if (status == COOK_OK && !round->packages && result.ok)
        status = follow(cooking, package, &result, error);
    cook_arena_finish(&arena);
    return status;
}

static enum cook_status on_lost(void *user, uint32_t package, const char *reason,
                                struct cook_error *error)
{
    struct cooking *cooking = user;
    struct determinism_print print = { .have = true };
    return cooking->round->on_result(cooking->round->user, package, NULL, &print, reason,
                                     error);
}

static void on_worker_gone(void *user, unsigned worker)
{
    struct cooking *cooking = user;
    cook_intake_forget_worker(&cooking->determinism->intake, worker);
}

/* Some packages (the search's for NULL) in workers of one start. */
static enum cook_status cook_some(struct determinism *determinism,
                                  const struct determinism_round *round,
                                  const uint32_t *packages, size_t count,
                                  const struct cook_pool_start *start, struct cook_error *error)
{
    struct cooking cooking = { .determinism = determinism, .round = round };
    struct cook_dispatch_operations operations = { .type = COOK_FRAME_COOK,
                                                   .capture = round->capture,
                                                   .on_frame = on_frame,
                                                   .on_lost = on_lost,
                                                   .on_worker_gone = on_worker_gone,
                                                   .user = &cooking };
    enum cook_status status = cook_pool_restart_as(determinism->run->pool, start, error);
    cook_intake_finish(&determinism->intake);
    if (status == COOK_OK)
        status = cook_intake_init(&determinism->intake, determinism->run, error);
    if (status == COOK_OK)
        status = cook_dispatch_create(&cooking.dispatch, determinism->run, &operations, error);
    for (size_t i = 0; status == COOK_OK && packages && i < count; i++)
        status = cook_dispatch_add(cooking.dispatch, packages[i], error);
    if (status == COOK_OK && !packages)
        status = visit_all(&cooking, error);
    if (status == COOK_OK)
        status = cook_dispatch_run(cooking.dispatch, error);
    cook_dispatch_destroy(cooking.dispatch);
    return status;
}

/* "under aslr+clock: …", where the set is to blame for an error. */
static enum cook_status blame(uint32_t set, struct cook_arena *arena, enum cook_status status,
                              struct cook_error *error)
{
    struct determinism_finding all = {
        .guilty = set & ~DETERMINISM_CONTROL,
        .together = true,
        .bisected = true,
        .reproduced = true,
    };
    const char *text = all.guilty ? determinism_guilty_text(&all, arena) : NULL;
    char *message = error && text ? cook_arena_strdup(arena, error->message) : NULL;
    return message ? cook_error_set(error, status, "under %s: %s", text, message) : status;
}

enum cook_status determinism_cook(struct determinism *determinism,
                                  const struct determinism_round *round,
                                  struct cook_error *error)
{
    struct cook_arena arena = COOK_ARENA_INIT;
    const struct cook_pool_start *start =
        round->start ? round->start
                     : determinism_start(&determinism->machine, round->set, &arena);
    enum cook_status status = COOK_OK;
    if (!start)
        status = cook_error_no_memory(error);
    for (size_t i = 0; status == COOK_OK && round->alone && i < round->count; i++)
        status = cook_some(determinism, round, &round->packages[i], 1, start, error);
    if (status == COOK_OK && !round->alone)
        status = cook_some(determinism, round, round->packages, round->count, start, error);
    if (status != COOK_OK)
        status = blame(round->set, &arena, status, error);
    /* The pool borrows the start. */
    enum cook_status restarted = cook_pool_restart_as(determinism->run->pool, NULL, NULL);
    cook_arena_finish(&arena);
    return status == COOK_OK ? restarted : status;
}
