#include "cook/plan/artifacts.h"

#include <string.h>

#include "cook/artifacts/builtin.h"
#include "cook/artifacts/fold.h"
#include "cook/plan/chunk_plan.h"
#include "cook/store/details.h"
#include "cook/store/outputs.h"

/* One artifact that is being brought up to date. */
struct target {
    const struct cook_hello_artifact *info;
    const struct cook_output_artifact *previous; /* to start from; NULL: from nothing */
    bool plugin;
    struct cook_fold fold;
    struct cook_buf removals; /* for the evaluator */
    struct cook_buf additions;
    size_t removal_count;
    enum cook_status status; /* of the artifact, not of the cook */
};

struct update {
    struct cook_run *run;
    struct cook_arena arena;
    struct cook_outputs last;
    struct cook_outputs next;
    struct cook_index now, before; /* of the group at hand */
    size_t failed;
};

static enum cook_status no_memory(struct cook_error *error)
{
    return cook_error_set(error, COOK_E_NO_MEMORY, "out of memory for the artifacts");
}

static enum cook_output_group group_of(const struct cook_hello_artifact *info)
{
    return info->makes_parts ? COOK_OUTPUT_WORKERS : COOK_OUTPUT_PLAN;
}

/* ---- what has changed ---- */

static enum cook_status mark(struct cook_hash *out, const struct update *update,
                             const uint32_t *packages, uint32_t count, struct cook_error *error)
{
    struct cook_run *run = update->run;
    struct cook_hasher hasher;
    cook_hasher_init(&hasher);
    for (uint32_t i = 0; i < count; i++) {
        uint32_t words[2] = { packages[i], run->state->results[packages[i]].sequence };
        cook_hasher_update(&hasher, words, sizeof(words));
    }
    for (size_t i = 0; i < run->hello.artifact_count; i++)
        cook_hasher_update(&hasher, &run->hello.artifacts[i].identity,
                           sizeof(struct cook_hash));
    struct cook_hash rules;
    enum cook_status status = cook_chunk_rules_hash(&rules, run, packages, count, error);
    if (status != COOK_OK)
        return status;
    cook_hasher_update(&hasher, &rules, sizeof(rules));
    *out = cook_hasher_digest(&hasher);
    return COOK_OK;
}

/* A version and settings equal to the last cook's, and all that a fold needs to go on. */
static const struct cook_output_artifact *find_previous(const struct update *update,
                                                        const struct cook_hello_artifact *info)
{
    for (size_t i = 0; i < update->last.artifact_count; i++) {
        const struct cook_output_artifact *last = &update->last.artifacts[i];
        if (strcmp(last->name, info->name) == 0)
            return cook_hash_equal(last->identity, info->identity) &&
                           !cook_hash_is_zero(last->state) && last->group == group_of(info)
                       ? last
                       : NULL;
    }
    return NULL;
}

/* ---- one target ---- */

static void target_finish(struct target *target)
{
    cook_fold_finish(&target->fold);
    cook_buf_finish(&target->removals);
    cook_buf_finish(&target->additions);
}

static void target_begin(struct target *target, struct cook_run *run)
{
    const struct cook_artifact *const *builtin = cook_builtin_artifacts();
    target->fold =
        (struct cook_fold){ .config = run->project.config, .target = run->project.target };
    target->status = COOK_OK;
    while (*builtin && strcmp((*builtin)->name, target->info->name) != 0)
        builtin++;
    target->plugin = target->info->project || !*builtin;
    target->fold.artifact = *builtin;
    if (target->previous)
        target->status =
            cook_store_get_blob(run->store, &target->fold.input, target->previous->state, NULL);
    if (target->status == COOK_OK && !target->plugin)
        target->status = cook_fold_run_begin(&target->fold);
}

static void target_remove(struct target *target, const char *package)
{
    if (target->status != COOK_OK)
        return;
    if (!target->plugin) {
        target->status = target->fold.artifact->remove(target->fold.user, package);
        return;
    }
    cook_buf_put_string(&target->removals, package);
    target->removal_count++;
}

static void target_add(struct target *target, const struct cook_index_entry *entry,
                       const struct cook_buf *parts)
{
    const uint8_t *bytes = entry->bytes;
    size_t size = entry->size;
    if (target->status != COOK_OK)
        return;
    if (!bytes &&
        !(bytes = cook_parts_find(parts->data, parts->size, target->info->name, &size)))
        return;
    if (!target->plugin) {
        target->status =
            target->fold.artifact->add(target->fold.user, entry->name, bytes, size);
        return;
    }
    cook_buf_put_string(&target->additions, entry->name);
    cook_buf_put_bytes(&target->additions, bytes, size);
}

/* ---- the evaluator ---- */

static void take_folded(struct target *target, const struct cook_buf *payload)
{
    struct cook_reader_buf in = cook_read_init(payload->data, payload->size);
    struct cook_arena arena = COOK_ARENA_INIT;
    size_t size;
    int32_t status = (int32_t)cook_read_u32(&in);
    const uint8_t *state = cook_read_bytes(&in, &size);
    size_t count = cook_read_count(&in, 2);
    cook_fold_put_state(&target->fold, state, size);
    for (size_t i = 0; i < count && !in.failed; i++) {
        const char *name = cook_read_string(&in, &arena);
        const uint8_t *bytes = cook_read_bytes(&in, &size);
        if (!in.failed)
            cook_fold_put_file(&target->fold, name, bytes, size);
    }
    cook_arena_finish(&arena);
    target->status = status != COOK_OK ? COOK_E_FAILED : target->fold.failed;
    if (target->status == COOK_OK && !cook_read_at_end(&in))
        target->status = COOK_E_PROTOCOL;
}

static enum cook_status ask_evaluator(struct target *target, struct cook_run *run,
                                      struct cook_error *error)
{
    struct cook_buf payload = COOK_BUF_INIT;
    cook_buf_put_string(&payload, target->info->name);
    cook_buf_put_bytes(&payload, target->fold.input.data, target->fold.input.size);
    cook_buf_put_varint(&payload, target->removal_count);
    cook_buf_put(&payload, target->removals.data, target->removals.size);
    cook_buf_put(&payload, target->additions.data, target->additions.size);
    payload.failed |= target->removals.failed || target->additions.failed;
    enum cook_status status = cook_pool_send(run->pool, 0, COOK_FRAME_FOLD, &payload, error);
    cook_buf_finish(&payload);
    bool waiting = true;
    target->status = COOK_E_CRASHED;
    while (status == COOK_OK && waiting) {
        struct cook_pool_event event;
        status = cook_pool_wait(run->pool, &event, -1, error);
        if (status != COOK_OK || event.worker != 0)
            continue;
        waiting = event.type != COOK_FRAME_IDLE && event.type != COOK_FRAME_UNKNOWN;
        if (event.type == COOK_FRAME_FOLDED)
            take_folded(target, event.payload);
    }
    return status;
}

static enum cook_status target_end(struct target *target, struct cook_run *run,
                                   struct cook_error *error)
{
    if (target->status != COOK_OK)
        return COOK_OK;
    if (target->plugin)
        return ask_evaluator(target, run, error);
    target->status = cook_fold_run_finish(&target->fold);
    return COOK_OK;
}

/* ---- feeding targets ---- */

/* Walk both indexes by name: what is gone, what is new, what is another now. */
static enum cook_status feed(struct update *update, struct target *targets, size_t count,
                             struct cook_error *error)
{
    struct cook_buf parts = COOK_BUF_INIT;
    enum cook_status status = COOK_OK;
    size_t old = 0;
    for (size_t i = 0;
         status == COOK_OK && (i < update->now.count || old < update->before.count);) {
        const struct cook_index_entry *now =
            i < update->now.count ? &update->now.entries[i] : NULL;
        const struct cook_index_entry *before =
            old < update->before.count ? &update->before.entries[old] : NULL;
        int order = !now ? 1 : !before ? -1 : strcmp(now->name, before->name);
        bool same = order == 0 && cook_hash_equal(now->hash, before->hash);
        bool loaded = false;
        for (size_t t = 0; status == COOK_OK && t < count; t++) {
            bool fresh = !targets[t].previous;
            if (order >= 0 && !same && !fresh)
                target_remove(&targets[t], before->name);
            if (order > 0 || (same && !fresh))
                continue;
            if (!loaded && !now->bytes) {
                cook_buf_clear(&parts);
                status = cook_store_get_blob(update->run->store, &parts, now->parts, error);
                loaded = true;
            }
            if (status == COOK_OK)
                target_add(&targets[t], now, &parts);
        }
        i += order <= 0;
        old += order >= 0;
    }
    cook_buf_finish(&parts);
    return status;
}

static enum cook_status run_targets(struct update *update, struct target *targets, size_t count,
                                    struct cook_error *error)
{
    for (size_t i = 0; i < count; i++)
        target_begin(&targets[i], update->run);
    enum cook_status status = feed(update, targets, count, error);
    for (size_t i = 0; status == COOK_OK && i < count; i++)
        status = target_end(&targets[i], update->run, error);
    return status;
}

/* A kept state that does not do is as good as none. */
static enum cook_status run_again(struct update *update, struct target *target,
                                  struct cook_error *error)
{
    if (target->status == COOK_OK || !target->previous)
        return COOK_OK;
    target_finish(target);
    *target = (struct target){ .info = target->info };
    return run_targets(update, target, 1, error);
}

/* ---- keeping ---- */

static enum cook_status keep(struct update *update, struct target *target,
                             struct cook_error *error)
{
    struct cook_store *store = update->run->store;
    struct cook_output_artifact *out =
        &update->next.artifacts[target->info - update->run->hello.artifacts];
    *out = (struct cook_output_artifact){ .name = target->info->name,
                                          .identity = target->info->identity,
                                          .group = group_of(target->info) };
    if (target->status != COOK_OK) {
        cook_run_warn(update->run, "artifact %s cannot be made, its files are left out: %s",
                      target->info->name, cook_status_text(target->status));
        out->identity = (struct cook_hash){ 0, 0 };
        update->failed++;
        return COOK_OK;
    }
    out->files =
        cook_arena_alloc(&update->arena, (target->fold.file_count + 1) * sizeof(*out->files));
    if (!out->files)
        return no_memory(error);
    enum cook_status status = COOK_OK;
    if (target->fold.state.size) /* without one the next fold starts from nothing */
        status = cook_store_put_blob(store, &out->state, target->fold.state.data,
                                     target->fold.state.size, error);
    for (size_t i = 0; status == COOK_OK && i < target->fold.file_count; i++) {
        const struct cook_fold_file *file = &target->fold.files[i];
        struct cook_output_file *kept = &out->files[out->file_count++];
        kept->name = cook_arena_strdup(&update->arena, file->name);
        kept->size_bytes = file->bytes.size;
        status = kept->name ? cook_store_put_blob(store, &kept->hash, file->bytes.data,
                                                  file->bytes.size, error)
                            : no_memory(error);
    }
    return status;
}

/* ---- a group ---- */

/* The last index, where it can be had; without it everything starts from nothing. */
static bool read_before(struct update *update, enum cook_output_group group)
{
    struct cook_buf bytes = COOK_BUF_INIT;
    update->before = (struct cook_index){ 0 };
    bool ok =
        !cook_hash_is_zero(update->last.index[group]) &&
        cook_store_get_blob(update->run->store, &bytes, update->last.index[group], NULL) ==
            COOK_OK &&
        cook_index_decode(&update->before, bytes.data, bytes.size, &update->arena) == COOK_OK;
    cook_buf_finish(&bytes);
    if (!ok)
        update->before = (struct cook_index){ 0 };
    return ok;
}

static enum cook_status put_index(struct update *update, enum cook_output_group group,
                                  struct cook_error *error)
{
    struct cook_buf out = COOK_BUF_INIT;
    cook_index_encode(&update->now, &out);
    enum cook_status status = out.failed ? no_memory(error) : COOK_OK;
    if (status == COOK_OK)
        status = cook_store_put_blob(update->run->store, &update->next.index[group], out.data,
                                     out.size, error);
    cook_buf_finish(&out);
    return status;
}

static enum cook_status update_group(struct update *update, enum cook_output_group group,
                                     struct cook_error *error)
{
    const struct cook_hello *hello = &update->run->hello;
    struct target *targets = cook_calloc(hello->artifact_count + 1, sizeof(*targets));
    size_t count = 0;
    enum cook_status status = targets ? put_index(update, group, error) : no_memory(error);
    bool same = status == COOK_OK &&
                cook_hash_equal(update->next.index[group], update->last.index[group]);
    bool before = status == COOK_OK && !same && read_before(update, group);
    for (size_t i = 0; status == COOK_OK && i < hello->artifact_count; i++) {
        const struct cook_hello_artifact *info = &hello->artifacts[i];
        const struct cook_output_artifact *previous = find_previous(update, info);
        if (group_of(info) != group)
            continue;
        if (same && previous)
            update->next.artifacts[i] = *previous;
        else
            targets[count++] =
                (struct target){ .info = info, .previous = before ? previous : NULL };
    }
    if (status == COOK_OK && count)
        status = run_targets(update, targets, count, error);
    for (size_t i = 0; status == COOK_OK && i < count; i++) {
        status = run_again(update, &targets[i], error);
        if (status == COOK_OK)
            status = keep(update, &targets[i], error);
    }
    for (size_t i = 0; i < count; i++)
        target_finish(&targets[i]);
    cook_free(targets);
    return status;
}

/* ---- the whole ---- */

static enum cook_status update_all(struct update *update, const uint32_t *packages,
                                   uint32_t count, struct cook_error *error)
{
    struct cook_run *run = update->run;
    update->next.artifact_count = run->hello.artifact_count;
    update->next.artifacts = cook_arena_alloc(
        &update->arena, (run->hello.artifact_count + 1) * sizeof(*update->next.artifacts));
    if (!update->next.artifacts)
        return no_memory(error);
    enum cook_status status =
        cook_index_of_workers(&update->now, run, packages, count, &update->arena, error);
    if (status == COOK_OK)
        status = update_group(update, COOK_OUTPUT_WORKERS, error);
    if (status == COOK_OK)
        status = cook_index_of_plan(&update->now, run, packages, count, &update->arena, error);
    if (status == COOK_OK)
        status = update_group(update, COOK_OUTPUT_PLAN, error);
    return status;
}

static bool has_blob(struct cook_store *store, struct cook_hash hash)
{
    return cook_hash_is_zero(hash) || cook_store_has_blob(store, hash);
}

/* Whether all is there that the outputs name; a damaged blob is given up by `store verify`. */
static bool has_all(struct cook_store *store, const struct cook_outputs *outputs)
{
    for (size_t i = 0; i < COOK_OUTPUT_GROUPS; i++)
        if (!has_blob(store, outputs->index[i]))
            return false;
    for (size_t i = 0; i < outputs->artifact_count; i++) {
        const struct cook_output_artifact *artifact = &outputs->artifacts[i];
        if (!has_blob(store, artifact->state))
            return false;
        for (size_t k = 0; k < artifact->file_count; k++)
            if (!has_blob(store, artifact->files[k].hash))
                return false;
    }
    return true;
}

enum cook_status cook_artifacts_update(struct cook_run *run, const uint32_t *packages,
                                       uint32_t count, struct cook_hash *outputs,
                                       size_t *failed, struct cook_error *error)
{
    struct update update = { .run = run, .arena = COOK_ARENA_INIT };
    struct cook_buf out = COOK_BUF_INIT;
    *failed = 0;
    enum cook_status status = cook_store_last_outputs(run->store, outputs, error);
    /* Damaged outputs are none: what they named is made anew. */
    if (status == COOK_OK &&
        (cook_store_outputs(run->store, &update.last, *outputs, &update.arena, NULL) != COOK_OK ||
         !has_all(run->store, &update.last)))
        update.last = (struct cook_outputs){ 0 };
    if (status == COOK_OK)
        status = mark(&update.next.mark, &update, packages, count, error);
    /* Files that changed without a recook may have moved what soft references lead to. */
    if (status != COOK_OK ||
        (!run->content_changed && cook_hash_equal(update.next.mark, update.last.mark)))
        goto done;
    status = update_all(&update, packages, count, error);
    if (update.failed)
        update.next.mark = (struct cook_hash){ 0, 0 }; /* try again next time */
    if (status == COOK_OK) {
        cook_outputs_encode(&update.next, &out);
        status = out.failed
                     ? no_memory(error)
                     : cook_store_put_blob(run->store, outputs, out.data, out.size, error);
    }
    *failed = update.failed;
done:
    cook_buf_finish(&out);
    cook_arena_finish(&update.arena);
    return status;
}
