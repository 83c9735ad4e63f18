#include "cook/plan/dispatch.h"

#include <string.h>

#include "cook/plan/graph.h"
#include "cook/plan/locality.h"
#include "cook/plan/pending.h"

#define MAX_BATCH COOK_PENDING_MOST
#define TICK_MS 100
#define MAX_IDLE_DEATHS 3 /* workers that die before their first package */

struct lane {
    uint32_t batch[MAX_BATCH];
    uint32_t count;
    uint32_t done;
    bool begun; /* batch[done] was begun */
    double begun_at;
};

struct cook_dispatch {
    struct cook_run *run;
    struct cook_dispatch_operations operations;
    struct cook_pending pending;
    struct lane *lanes;
    unsigned lane_count;
    unsigned idle_deaths;
};

enum cook_status cook_dispatch_create(struct cook_dispatch **out, struct cook_run *run,
                                      const struct cook_dispatch_operations *operations,
                                      struct cook_error *error)
{
    *out = NULL;
    struct cook_dispatch *dispatch = cook_calloc(1, sizeof(*dispatch));
    unsigned count = cook_pool_count(run->pool);
    if (!dispatch || !(dispatch->lanes = cook_calloc(count, sizeof(*dispatch->lanes))) ||
        cook_pending_init(&dispatch->pending, count) != COOK_OK) {
        cook_dispatch_destroy(dispatch);
        return cook_error_no_memory(error);
    }
    dispatch->run = run;
    dispatch->operations = *operations;
    dispatch->lane_count = count;
    *out = dispatch;
    return COOK_OK;
}

void cook_dispatch_destroy(struct cook_dispatch *dispatch)
{
    if (!dispatch)
        return;
    cook_pending_finish(&dispatch->pending);
    cook_free(dispatch->lanes);
    cook_free(dispatch);
}

enum cook_status cook_dispatch_add(struct cook_dispatch *dispatch, uint32_t package,
                                   struct cook_error *error)
{
    return cook_pending_add(&dispatch->pending, package) == COOK_OK ? COOK_OK
                                                                    : cook_error_no_memory(error);
}

enum cook_status cook_dispatch_arrange(struct cook_dispatch *dispatch, const uint32_t *packages,
                                       size_t count, bool full, struct cook_error *error)
{
    struct cook_run *run = dispatch->run;
    struct cook_package_graph graph;
    struct cook_locality locality = { 0 };
    enum cook_status status = cook_load_graph(&graph, run, packages, count, full, error);
    if (status != COOK_OK)
        return status;
    struct cook_graph view = cook_package_graph_view(&graph);
    status = cook_locality_find(&locality, &view, dispatch->lane_count);
    for (uint32_t i = 0; status == COOK_OK && i < graph.count; i++)
        locality.order[i] = graph.packages[locality.order[i]];
    if (status == COOK_OK)
        status = cook_pending_arrange(&dispatch->pending, locality.order, locality.group,
                                      graph.count, run->state->packages_count);
    cook_locality_finish(&locality);
    cook_package_graph_finish(&graph);
    return status == COOK_OK ? COOK_OK : cook_error_no_memory(error);
}

uint32_t cook_dispatch_current(const struct cook_dispatch *dispatch, unsigned worker,
                               double *seconds)
{
    const struct lane *lane = &dispatch->lanes[worker];
    *seconds = 0;
    if (!lane->begun || lane->done >= lane->count)
        return COOK_ID_NONE;
    *seconds = cook_trace_now() - lane->begun_at;
    return lane->batch[lane->done];
}

static const char *name_of(const struct cook_run *run, uint32_t package)
{
    return cook_state_text(run->state, run->state->packages[package].name);
}

enum cook_status cook_dispatch_result(struct cook_result *result, const struct cook_run *run,
                                      uint32_t package, const struct cook_buf *payload,
                                      struct cook_arena *arena, struct cook_error *error)
{
    enum cook_status status = cook_result_decode(result, payload, arena, error);
    if (status == COOK_OK && strcmp(result->package, name_of(run, package)) != 0)
        status = cook_error_set(error, COOK_E_PROTOCOL, "a worker sent a result out of turn");
    return status;
}

/* Small batches near the end and at the start, so that no worker waits for another's leftovers. */
static uint32_t batch_size(const struct cook_dispatch *dispatch)
{
    size_t size = dispatch->pending.count / ((size_t)dispatch->lane_count * 4);
    return size < 1 ? 1 : size > MAX_BATCH ? MAX_BATCH : (uint32_t)size;
}

static enum cook_status feed(struct cook_dispatch *dispatch, unsigned worker,
                             struct cook_error *error)
{
    struct lane *lane = &dispatch->lanes[worker];
    uint32_t count =
        cook_pending_take(&dispatch->pending, worker, lane->batch, batch_size(dispatch));
    struct cook_buf payload = COOK_BUF_INIT;
    if (dispatch->operations.type == COOK_FRAME_COOK)
        cook_buf_put_u8(&payload, dispatch->operations.resave    ? COOK_MODE_RESAVE
                                  : dispatch->operations.capture ? COOK_MODE_CAPTURE
                                                                 : COOK_MODE_PLAIN);
    cook_buf_put_varint(&payload, count);
    for (uint32_t i = 0; i < count; i++) {
        if (dispatch->operations.put_item)
            dispatch->operations.put_item(dispatch->operations.user, lane->batch[i], &payload);
        else
            cook_buf_put_string(&payload, name_of(dispatch->run, lane->batch[i]));
    }
    lane->count = count;
    lane->done = 0;
    lane->begun = false;
    enum cook_status status =
        cook_pool_send(dispatch->run->pool, worker, dispatch->operations.type, &payload, error);
    cook_buf_finish(&payload);
    return status;
}

static enum cook_status feed_all(struct cook_dispatch *dispatch, bool *waiting,
                                 struct cook_error *error)
{
    *waiting = false;
    for (unsigned i = 0; i < dispatch->lane_count; i++) {
        if (dispatch->lanes[i].count == 0 && dispatch->pending.count) {
            enum cook_status status = feed(dispatch, i, error);
            if (status != COOK_OK)
                return status;
        }
        *waiting |= dispatch->lanes[i].count != 0;
    }
    return COOK_OK;
}

static void trace_package(struct cook_dispatch *dispatch, unsigned worker, uint32_t package)
{
    const struct cook_run *run = dispatch->run;
    cook_trace_add(run->trace, worker + 1,
                   dispatch->operations.type == COOK_FRAME_SCAN ? "scan" : "cook",
                   name_of(run, package),
                   dispatch->lanes[worker].begun_at);
}

static enum cook_status take_death(struct cook_dispatch *dispatch,
                                   const struct cook_pool_event *event, struct cook_error *error)
{
    struct lane *lane = &dispatch->lanes[event->worker];
    const struct cook_dispatch_operations *operations = &dispatch->operations;
    enum cook_status status = COOK_OK;
    if (lane->begun && lane->done < lane->count) {
        struct cook_arena arena = COOK_ARENA_INIT;
        trace_package(dispatch, event->worker, lane->batch[lane->done]);
        const char *reason = cook_death_text(dispatch->run, event, &arena);
        status = operations->on_lost(operations->user, lane->batch[lane->done++],
                                     reason ? reason : "its worker died", error);
        cook_arena_finish(&arena);
        dispatch->idle_deaths = 0;
    } else if (lane->done < lane->count && ++dispatch->idle_deaths > MAX_IDLE_DEATHS) {
        return cook_error_set(error, COOK_E_CRASHED, "workers die before their first package");
    }
    for (uint32_t i = lane->done; status == COOK_OK && i < lane->count; i++)
        status = cook_dispatch_add(dispatch, lane->batch[i], error);
    lane->count = 0;
    lane->begun = false;
    if (operations->on_worker_gone)
        operations->on_worker_gone(operations->user, event->worker);
    return status;
}

static enum cook_status take_event(struct cook_dispatch *dispatch,
                                   const struct cook_pool_event *event, struct cook_error *error)
{
    struct lane *lane = &dispatch->lanes[event->worker];
    const struct cook_dispatch_operations *operations = &dispatch->operations;
    bool ends = event->type == COOK_FRAME_RESULT || event->type == COOK_FRAME_SCANNED;
    switch ((int)event->type) {
    case COOK_FRAME_UNKNOWN:
        return take_death(dispatch, event, error);
    case COOK_FRAME_BEGIN:
        lane->begun = true;
        lane->begun_at = cook_trace_now();
        return COOK_OK;
    case COOK_FRAME_IDLE:
        if (lane->done < lane->count)
            break; /* it would lose the rest of its batch */
        lane->count = 0;
        return COOK_OK;
    case COOK_FRAME_RESULT:
    case COOK_FRAME_SCANNED:
    case COOK_FRAME_LOAD_SET:
        if (lane->done >= lane->count)
            break;
        uint32_t package = lane->batch[lane->done];
        if (ends) {
            trace_package(dispatch, event->worker, package);
            lane->done++;
            lane->begun = false;
            dispatch->idle_deaths = 0;
        }
        return operations->on_frame(operations->user, event->worker, package, event->type,
                                    event->payload, error);
    case COOK_FRAME_FAILED: {
        struct cook_arena arena = COOK_ARENA_INIT;
        struct cook_reader_buf in = cook_read_init(event->payload->data, event->payload->size);
        (void)cook_read_u32(&in);
        enum cook_status status = cook_error_set(error, COOK_E_FAILED, "a worker gave up: %s",
                                                 cook_read_string(&in, &arena));
        cook_arena_finish(&arena);
        return status;
    }
    default:
        break;
    }
    return cook_error_set(error, COOK_E_PROTOCOL, "a worker sent an unexpected frame");
}

enum cook_status cook_dispatch_run(struct cook_dispatch *dispatch, struct cook_error *error)
{
    double last_tick = 0;
    for (;;) {
        bool waiting;
        enum cook_status status = feed_all(dispatch, &waiting, error);
        if (status != COOK_OK || !waiting)
            return status;
        struct cook_pool_event event;
        status = cook_pool_wait(dispatch->run->pool, &event, TICK_MS, error);
        if (status == COOK_OK)
            status = take_event(dispatch, &event, error);
        else if (status == COOK_E_TIMEOUT)
            status = COOK_OK;
        double now = cook_trace_now();
        if (status == COOK_OK && dispatch->operations.on_tick &&
            now - last_tick >= TICK_MS / 1000.0) {
            last_tick = now;
            status = dispatch->operations.on_tick(dispatch->operations.user, error);
        }
        if (status != COOK_OK)
            return status;
    }
}
