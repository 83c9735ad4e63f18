/* The registry step: what changed on disk, and its facts from the workers' scans. */
#include <string.h>

#include "cook/plan/dispatch.h"
#include "cook/registry/redirects.h"

struct scanning {
    struct cook_run *run;
    size_t done, total;
};

static void put_scan_item(void *user, uint32_t package, struct cook_buf *out)
{
    struct scanning *scanning = user;
    struct cook_state *state = scanning->run->state;
    struct cook_arena arena = COOK_ARENA_INIT;
    const char *path = cook_state_file_path(state, state->packages[package].file, &arena);
    cook_buf_put_string(out, cook_state_text(state, state->packages[package].name));
    cook_buf_put_string(out, path);
    out->failed |= !path;
    cook_arena_finish(&arena);
}

static enum cook_status on_scanned(void *user, unsigned worker, uint32_t package,
                                   enum cook_frame_type type, const struct cook_buf *payload,
                                   struct cook_error *error)
{
    struct scanning *scanning = user;
    struct cook_arena arena = COOK_ARENA_INIT;
    struct cook_reader_buf in = cook_read_init(payload->data, payload->size);
    (void)worker;
    scanning->done++;
    const char *name = cook_read_string(&in, &arena);
    const char *reader = cook_read_string(&in, &arena);
    struct cook_hash source = cook_read_hash(&in);
    size_t size;
    const uint8_t *facts = cook_read_bytes(&in, &size);
    const char *expected =
        cook_state_text(scanning->run->state, scanning->run->state->packages[package].name);
    enum cook_status status;
    if (type != COOK_FRAME_SCANNED || !cook_read_at_end(&in) || strcmp(name, expected) != 0)
        status = cook_error_set(error, COOK_E_PROTOCOL, "a worker sent a malformed scan");
    else
        status = cook_registry_set_facts(scanning->run->state, package, reader, source, facts, size,
                                         error);
    cook_arena_finish(&arena);
    return status;
}

/* A reader that dies on a file fails its package in this cook; as what killed the worker may have come
 * from outside, the facts are kept as of no content, and the next cook scans the file again. */
static enum cook_status on_scan_lost(void *user, uint32_t package, const char *reason,
                                     struct cook_error *error)
{
    struct scanning *scanning = user;
    struct cook_state *state = scanning->run->state;
    struct cook_arena arena = COOK_ARENA_INIT;
    struct cook_buf encoded = COOK_BUF_INIT;
    const char *path = cook_state_file_path(state, state->packages[package].file, &arena);
    struct cook_facts facts = { .fault = cook_arena_printf(&arena, "%s: in its reader: %s", path,
                                                           reason) };
    const char *reader =
        cook_registry_reader_text(&scanning->run->registry_options, path, &arena);
    cook_facts_encode(&facts, &encoded);
    enum cook_status status =
        cook_registry_set_facts(state, package, reader ? reader : "",
                                (struct cook_hash){ 0, 0 }, encoded.data, encoded.size, error);
    cook_buf_finish(&encoded);
    cook_arena_finish(&arena);
    return status;
}

static enum cook_status on_scan_tick(void *user, struct cook_error *error)
{
    const struct scanning *scanning = user;
    (void)error;
    cook_progress_count(&scanning->run->progress, scanning->done, scanning->total);
    return COOK_OK;
}

static enum cook_status scan(struct cook_run *run, const struct cook_registry_changes *changes,
                             struct cook_error *error)
{
    struct scanning scanning = { .run = run, .total = changes->to_scan_count };
    struct cook_dispatch_operations operations = { .type = COOK_FRAME_SCAN,
                                                   .put_item = put_scan_item,
                                                   .on_frame = on_scanned,
                                                   .on_lost = on_scan_lost,
                                                   .on_tick = on_scan_tick,
                                                   .user = &scanning };
    struct cook_dispatch *dispatch;
    enum cook_status status = cook_dispatch_create(&dispatch, run, &operations, error);
    for (size_t i = 0; status == COOK_OK && i < changes->to_scan_count; i++)
        status = cook_dispatch_add(dispatch, changes->to_scan[i], error);
    if (status == COOK_OK)
        status = cook_dispatch_run(dispatch, error);
    cook_dispatch_destroy(dispatch);
    return status;
}

enum cook_status cook_run_refresh(struct cook_run *run, struct cook_error *error)
{
    struct cook_registry_changes changes = { 0 };
    double started = cook_trace_now();
    enum cook_status status = COOK_OK;
    cook_progress_phase(&run->progress, "scan");
    bool adopted = run->options.registry && run->state->packages_count == 0;
    if (adopted)
        status = cook_registry_adopt(run->state, run->options.registry, error);
    if (status == COOK_OK)
        status = cook_registry_refresh(&changes, run->state, &run->project,
                                                    &run->registry_options, error);
    if (status == COOK_OK) {
        run->content_changed = adopted || changes.content_changed || changes.to_scan_count;
        run->index_stale |= adopted || changes.stat_changed || changes.content_changed;
        for (size_t i = 0; i < changes.warning_count; i++)
            cook_run_warn(run, "%s", changes.warnings[i]);
    }
    if (status == COOK_OK && changes.to_scan_count)
        status = scan(run, &changes, error);
    if (status == COOK_OK)
        status = cook_run_apply_policy(run, changes.to_scan, changes.to_scan_count, error);
    bool redirects_changed = false;
    if (status == COOK_OK)
        status = cook_run_note_policy(run, "redirects", cook_redirects_hash(run->project.config),
                                      &redirects_changed, error);
    run->content_changed |= redirects_changed;
    cook_registry_changes_finish(&changes);
    cook_trace_add(run->trace, 0, "phase", "refresh", started);
    return status;
}
