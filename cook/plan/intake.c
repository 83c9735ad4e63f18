#include "cook/plan/intake.h"

#include <stdlib.h>
#include <string.h>

#include "cook/deps/dep.h"
#include "cook/deps/value.h"
#include "cook/plan/causes.h"
#include "cook/plan/write_maps.h"
#include "cook/worker/session.h"

#define MAX_LOAD_SETS (1u << 26)

enum cook_status cook_intake_init(struct cook_intake *intake, struct cook_run *run,
                                  struct cook_error *error)
{
    *intake = (struct cook_intake){ .run = run, .worker_count = cook_pool_count(run->pool) };
    intake->workers = cook_calloc(intake->worker_count, sizeof(*intake->workers));
    return intake->workers ? COOK_OK : cook_error_no_memory(error);
}

void cook_intake_finish(struct cook_intake *intake)
{
    for (unsigned i = 0; intake->workers && i < intake->worker_count; i++)
        cook_free(intake->workers[i].sets);
    cook_free(intake->workers);
    cook_free(intake->pending);
    *intake = (struct cook_intake){ 0 };
}

void cook_intake_forget_worker(struct cook_intake *intake, unsigned worker)
{
    cook_free(intake->workers[worker].sets);
    intake->workers[worker] = (struct cook_intake_worker){ 0 };
}

/* ---- dependencies ---- */

static enum cook_status fill_dep(struct cook_run *run, uint32_t dep,
                                 const struct cook_observation *observation,
                                 struct cook_error *error)
{
    struct cook_state *state = run->state;
    uint32_t target = COOK_ID_NONE;
    if (observation->kind == COOK_DEP_SOURCE || observation->kind == COOK_DEP_PACKAGE) {
        target = cook_state_find_package(state, observation->args);
    } else if (observation->kind == COOK_DEP_FILE) {
        enum cook_status status = cook_registry_track_file(state, &target, run->project.fd,
                                                           observation->args, error);
        if (status != COOK_OK)
            return status;
    }
    struct cook_arena arena = COOK_ARENA_INIT;
    const char *kept = observation->text;
    if (cook_dep_has_place(observation->kind) && !cook_hash_is_zero(observation->value)) {
        const char *place =
            cook_run_value_place(run, observation->kind, observation->args, &arena);
        kept = cook_arena_printf(&arena, "%s" COOK_VALUE_PLACE "%s", observation->text,
                                 place ? place : "");
    }
    uint32_t text = cook_state_add_text(state, kept ? kept : observation->text);
    cook_arena_finish(&arena);
    state->deps[dep].target = target;
    state->deps[dep].value = observation->value;
    state->deps[dep].text = text;
    cook_state_touch(state, COOK_TABLE_deps, dep);
    return COOK_OK;
}

/* The row of an observed dependency. A new row takes the value that was seen; an old one keeps what
 * the evaluation found, and a value that moved in between shows in the key alone, so that the next
 * cook does this package again. */
static enum cook_status intern_dep(struct cook_run *run, const struct cook_observation *observation,
                                   uint32_t *dep, struct cook_error *error)
{
    struct cook_state *state = run->state;
    *dep = cook_state_find_dep(state, observation->kind, observation->args);
    if (*dep != COOK_ID_NONE)
        return COOK_OK;
    *dep = cook_state_add_dep(state, observation->kind, observation->args);
    if (*dep == COOK_ID_NONE)
        return cook_error_no_memory(error);
    run->index_stale = true;
    return fill_dep(run, *dep, observation, error);
}

/* The dependencies of a record that make one set. */
struct members {
    struct member {
        uint32_t dep;
        struct cook_dep_origin origin;
    } *items;
    size_t count;
};

static int compare_members(const void *a, const void *b)
{
    const struct member *x = a;
    const struct member *y = b;
    return (x->dep > y->dep) - (x->dep < y->dep);
}

/* The row of the set, with the origins in the order of its members. */
static enum cook_status intern_set(struct cook_run *run, struct members *members, uint32_t *set,
                                   struct cook_error *error)
{
    size_t count = members->count;
    uint32_t *ids = cook_malloc((count + 1) * sizeof(*ids));
    struct cook_dep_origin *origins = cook_malloc((count + 1) * sizeof(*origins));
    struct cook_buf bytes = COOK_BUF_INIT;
    *set = COOK_ID_NONE;
    if (ids && origins) {
        qsort(members->items, count, sizeof(*members->items), compare_members);
        for (size_t i = 0; i < count; i++) {
            ids[i] = members->items[i].dep;
            origins[i] = members->items[i].origin;
        }
        cook_origins_encode(origins, count, &bytes);
        if (!bytes.failed)
            *set = cook_state_add_set(run->state, ids, (uint32_t)count, bytes.data, bytes.size);
    }
    cook_free(ids);
    cook_free(origins);
    cook_buf_finish(&bytes);
    return *set == COOK_ID_NONE ? cook_error_no_memory(error) : COOK_OK;
}

/* Dependencies on whole packages are a set of their own: their values are known only at the end. */
static enum cook_status intern_sets(struct cook_intake *intake, const struct cook_observation *items,
                                    size_t count, struct members *members,
                                    struct cook_intake_set *out, struct cook_error *error)
{
    struct cook_run *run = intake->run;
    struct cook_hash sum = { 0, 0 };
    enum cook_status status = COOK_OK;
    for (int whole = 0; status == COOK_OK && whole < 2; whole++) {
        members->count = 0;
        for (size_t i = 0; status == COOK_OK && i < count; i++) {
            /* Records are sorted by kind, but the split must not lean on what a worker says. */
            if ((items[i].kind == COOK_DEP_PACKAGE) != (whole == 1))
                continue;
            struct member *member = &members->items[members->count++];
            member->origin = items[i].origin;
            status = intern_dep(run, &items[i], &member->dep, error);
            if (!whole)
                sum = cook_key_sum(sum, cook_dep_hash(items[i].kind, items[i].args, items[i].value));
        }
        if (status == COOK_OK && !whole)
            status = intern_set(run, members, &out->set, error);
        else if (status == COOK_OK && members->count)
            status = intern_set(run, members, &out->package_set, error);
    }
    out->hash = cook_key_finish(sum);
    return status;
}

/* What follows a record: the origins of its items. */
static enum cook_status take_origins(struct cook_observation *items, size_t count,
                                     struct cook_reader_buf *in, struct cook_arena *arena)
{
    struct cook_dep_origin *origins = cook_arena_alloc(arena, (count + 1) * sizeof(*origins));
    if (!origins)
        return COOK_E_NO_MEMORY;
    size_t rest = in->size - in->offset;
    enum cook_status status =
        cook_origins_decode(origins, count, cook_read_raw(in, rest), rest, arena);
    for (size_t i = 0; status == COOK_OK && i < count; i++)
        items[i].origin = origins[i];
    return status;
}

/* Decode a record into a set row and the hash of its values. `engine`: add the dependency that every
 * package has. */
static enum cook_status intern_record(struct cook_intake *intake, struct cook_reader_buf *in,
                                      bool engine, struct cook_intake_set *out,
                                      struct cook_error *error)
{
    struct cook_arena arena = COOK_ARENA_INIT;
    struct cook_observation *items;
    size_t count;
    enum cook_status status = cook_record_decode(&items, &count, in, &arena);
    if (status == COOK_OK)
        status = take_origins(items, count, in, &arena);
    if (status != COOK_OK)
        (void)cook_error_set(error, status, "a worker sent a malformed dependency record");
    struct members members = { NULL, 0 };
    if (status == COOK_OK && !(members.items = cook_malloc((count + 1) * sizeof(*members.items))))
        status = cook_error_no_memory(error);
    if (status == COOK_OK && engine)
        items[count++] = (struct cook_observation){ .kind = COOK_DEP_ENGINE,
                                                    .args = "",
                                                    .value = cook_run_engine_value(intake->run),
                                                    .text = "" };
    if (status == COOK_OK)
        status = intern_sets(intake, items, count, &members, out, error);
    cook_free(members.items);
    cook_arena_finish(&arena);
    return status;
}

enum cook_status cook_intake_load_set(struct cook_intake *intake, unsigned worker,
                                      const struct cook_buf *payload, struct cook_error *error)
{
    struct cook_intake_worker *w = &intake->workers[worker];
    struct cook_reader_buf in = cook_read_init(payload->data, payload->size);
    uint32_t id = cook_read_u32(&in);
    if (in.failed || id >= MAX_LOAD_SETS)
        return cook_error_set(error, COOK_E_PROTOCOL, "a worker sent a malformed load set");
    size_t before = w->capacity;
    if (!cook_grow(&w->sets, &w->capacity, (size_t)id + 1, sizeof(*w->sets)))
        return cook_error_no_memory(error);
    for (size_t i = before; i < w->capacity; i++)
        w->sets[i].set = COOK_ID_NONE;
    struct cook_intake_set set = { COOK_ID_NONE, { 0, 0 }, COOK_ID_NONE };
    enum cook_status status = intern_record(intake, &in, false, &set, error);
    if (status == COOK_OK)
        w->sets[id] = set;
    intake->load_count++;
    return status;
}

static int compare_sets(const void *a, const void *b)
{
    const struct cook_intake_set *x = a;
    const struct cook_intake_set *y = b;
    return (x->set > y->set) - (x->set < y->set);
}

/* Sums over each set once, as evaluation does. */
static enum cook_status make_bundle(struct cook_intake *intake, struct cook_intake_set *sets,
                                    size_t count, uint32_t *bundle, struct cook_hash *key,
                                    struct cook_error *error)
{
    uint32_t *ids = cook_malloc((2 * count + 1) * sizeof(*ids));
    if (!ids)
        return cook_error_no_memory(error);
    qsort(sets, count, sizeof(*sets), compare_sets);
    uint32_t found = 0;
    bool waits = false;
    struct cook_hash sum = { 0, 0 };
    for (size_t i = 0; i < count; i++) {
        if (sets[i].package_set != COOK_ID_NONE) {
            ids[found++] = sets[i].package_set;
            waits = true;
        }
        if (i && sets[i].set == sets[i - 1].set)
            continue;
        ids[found++] = sets[i].set;
        sum = cook_key_sum(sum, sets[i].hash);
    }
    *bundle = cook_state_add_bundle(intake->run->state, ids, found);
    *key = waits ? (struct cook_hash){ 0, 0 } : cook_key_finish(sum);
    intake->waiting_sum = sum;
    cook_free(ids);
    return *bundle == COOK_ID_NONE ? cook_error_no_memory(error) : COOK_OK;
}

enum cook_status cook_intake_result(struct cook_intake *intake, unsigned worker,
                                    const struct cook_result *result, uint32_t *bundle,
                                    struct cook_hash *key, struct cook_error *error)
{
    const struct cook_intake_worker *w = &intake->workers[worker];
    struct cook_intake_set *sets = cook_malloc((result->load_set_count + 1) * sizeof(*sets));
    if (!sets)
        return cook_error_no_memory(error);
    enum cook_status status = COOK_OK;
    for (size_t i = 0; status == COOK_OK && i < result->load_set_count; i++) {
        uint32_t id = result->load_sets[i];
        if (id >= w->capacity || w->sets[id].set == COOK_ID_NONE)
            status = cook_error_set(error, COOK_E_PROTOCOL, "a worker used an undefined load set");
        else
            sets[i] = w->sets[id];
    }
    struct cook_reader_buf in = cook_read_init(result->save_record, result->save_record_size);
    struct cook_intake_set *save = &sets[result->load_set_count];
    *save = (struct cook_intake_set){ COOK_ID_NONE, { 0, 0 }, COOK_ID_NONE };
    if (status == COOK_OK)
        status = intern_record(intake, &in, true, save, error);
    if (status == COOK_OK)
        status = make_bundle(intake, sets, result->load_set_count + 1, bundle, key, error);
    cook_free(sets);
    return status;
}

static bool is_package_set(const struct cook_state *state, uint32_t set)
{
    return state->sets[set].count &&
           state->deps[state->ids[state->sets[set].first]].kind == COOK_DEP_PACKAGE;
}

enum cook_status cook_intake_finalize(struct cook_intake *intake, struct cook_error *error)
{
    struct cook_state *state = intake->run->state;
    if (intake->pending_count == 0)
        return COOK_OK;
    enum cook_status status = cook_run_evaluate_keys(intake->run, error);
    for (size_t i = 0; status == COOK_OK && i < intake->pending_count; i++) {
        uint32_t package = intake->pending[i].package;
        const struct cook_state_bundle *bundle =
            &state->bundles[state->packages[package].bundle];
        struct cook_hash sum = intake->pending[i].sum;
        for (uint32_t k = 0; k < bundle->count; k++) {
            uint32_t set = state->ids[bundle->first + k];
            if (is_package_set(state, set))
                sum = cook_key_sum(sum, intake->run->set_hashes[set]);
        }
        cook_state_touch(state, COOK_TABLE_packages, package);
        state->packages[package].key = cook_key_finish(sum);
    }
    intake->pending_count = 0;
    return status;
}

/* ---- keeping ---- */

enum cook_status cook_intake_messages(const struct cook_result *result, struct cook_buf *out,
                                      struct cook_error *error)
{
    struct cook_messages all = { 0 };
    struct cook_messages kept = { 0 };
    struct cook_reader_buf in = cook_read_init(result->messages, result->messages_size);
    enum cook_status status = cook_messages_decode(&all, &in);
    for (size_t i = 0; status == COOK_OK && i < all.count; i++)
        if (all.items[i].severity >= COOK_SEVERITY_WARNING)
            cook_messages_add(&kept, all.items[i].severity, all.items[i].text);
    if (status == COOK_OK && kept.count)
        cook_messages_encode(&kept, out);
    cook_messages_finish(&all);
    cook_messages_finish(&kept);
    if (status != COOK_OK)
        return cook_error_set(error, status, "a worker sent malformed messages");
    return out->failed ? cook_error_no_memory(error) : COOK_OK;
}

static enum cook_status add_pending(struct cook_intake *intake, uint32_t package,
                                    struct cook_error *error)
{
    if (!cook_grow(&intake->pending, &intake->pending_capacity, intake->pending_count + 1,
                   sizeof(*intake->pending)))
        return cook_error_no_memory(error);
    intake->pending[intake->pending_count++] =
        (struct cook_intake_pending){ package, intake->waiting_sum };
    return COOK_OK;
}

static enum cook_status take_blob(struct cook_hash *hash, struct cook_store *store,
                                  const void *bytes, size_t size, struct cook_error *error)
{
    *hash = cook_hash_bytes(bytes, size);
    return store ? cook_store_put_blob(store, hash, bytes, size, error) : COOK_OK;
}

enum cook_status cook_intake_details(struct cook_details *details, struct cook_store *store,
                                     const struct cook_result *result, struct cook_arena *arena,
                                     struct cook_error *error)
{
    *details = (struct cook_details){ 0 };
    details->files = cook_arena_alloc(arena, (result->file_count + 1) * sizeof(*details->files));
    enum cook_status status = details->files ? COOK_OK : cook_error_no_memory(error);
    for (size_t i = 0; status == COOK_OK && i < result->file_count; i++) {
        struct cook_details_file *file = &details->files[i];
        file->name = result->files[i].name;
        file->size_bytes = result->files[i].size;
        status = take_blob(&file->hash, store, result->files[i].bytes, result->files[i].size, error);
        details->file_count = i + 1;
    }
    if (status == COOK_OK && result->parts_size)
        status = take_blob(&details->parts, store, result->parts, result->parts_size, error);
    return status;
}

/* Into the pool; the offset out. */
static enum cook_status keep_details(struct cook_run *run, const struct cook_result *result,
                                     uint32_t *offset, struct cook_error *error)
{
    struct cook_arena arena = COOK_ARENA_INIT;
    struct cook_buf out = COOK_BUF_INIT;
    struct cook_details details;
    enum cook_status status = cook_intake_details(&details, run->store, result, &arena, error);
    if (status == COOK_OK) {
        cook_details_encode(&details, &out);
        *offset = out.failed ? COOK_ID_NONE : cook_state_add_blob(run->state, out.data, out.size);
        if (*offset == COOK_ID_NONE)
            status = cook_error_no_memory(error);
    }
    cook_buf_finish(&out);
    cook_arena_finish(&arena);
    return status;
}

enum cook_status cook_intake_keep(struct cook_intake *intake, uint32_t package, uint32_t cook,
                                  const struct cook_result *result, uint32_t bundle,
                                  struct cook_hash key, enum cook_op op, struct cook_error *error)
{
    struct cook_run *run = intake->run;
    struct cook_state *state = run->state;
    struct cook_buf messages = COOK_BUF_INIT;
    struct cook_hash bytes;
    struct cook_hash tokens;
    enum cook_status status =
        cook_store_put_blob(run->store, &bytes, result->bytes, result->size, error);
    if (status == COOK_OK)
        status = cook_write_maps_keep(&tokens, run, result, error);
    if (status == COOK_OK)
        status = cook_intake_messages(result, &messages, error);
    uint32_t details = 0;
    if (status == COOK_OK)
        status = keep_details(run, result, &details, error);
    if (status == COOK_OK) {
        uint32_t edges = cook_edges_add(run, result);
        uint32_t offset = cook_state_add_blob(state, messages.data, messages.size);
        cook_state_touch(state, COOK_TABLE_packages, package);
        struct cook_state_package *row = &state->packages[package];
        row->bundle = bundle;
        row->edges = edges;
        row->key = key;
        row->flags |= COOK_PACKAGE_HAS_RESULT;
        row->flags &= ~(uint32_t)(COOK_PACKAGE_FAILED | COOK_PACKAGE_FORCED |
                                  COOK_PACKAGE_HAS_MESSAGES | COOK_PACKAGE_OMITTED);
        row->flags |= result->omitted ? COOK_PACKAGE_OMITTED : 0;
        row->flags |= messages.size ? COOK_PACKAGE_HAS_MESSAGES : 0;
        struct cook_state_result *kept = &state->results[package];
        kept->bytes = bytes;
        kept->tokens = tokens;
        kept->size_bytes = result->size;
        kept->messages = offset;
        kept->details = details;
        kept->cook = cook;
        kept->duration_us =
            result->duration_us > UINT32_MAX ? UINT32_MAX : (uint32_t)result->duration_us;
        run->index_stale = true;
        status = cook_store_append_op(run->store, package, op, error);
    }
    if (status == COOK_OK && cook_hash_is_zero(key))
        status = add_pending(intake, package, error);
    cook_buf_finish(&messages);
    return status;
}

enum cook_status cook_intake_fail(struct cook_intake *intake, uint32_t package,
                                  struct cook_error *error)
{
    struct cook_state *state = intake->run->state;
    if (!(state->packages[package].flags & COOK_PACKAGE_FAILED)) {
        cook_state_touch(state, COOK_TABLE_packages, package);
        state->packages[package].flags |= COOK_PACKAGE_FAILED;
        intake->run->index_stale = true;
    }
    return cook_store_append_op(intake->run->store, package, COOK_OP_FAILED, error);
}
