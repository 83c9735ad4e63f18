/* Cooking one package after another, and telling the director of each. */
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "cook/trace/tracer.h"
#include "cook/worker/traced.h"
#include "cook/worker/worker_private.h"

#define MAX_RESIDENT_PACKAGES 20000

static uint64_t now_us(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (uint64_t)now.tv_sec * 1000000u + (uint64_t)now.tv_nsec / 1000u;
}

/* Send the load sets that the director does not know yet; collect all ids. */
static enum cook_status send_load_sets(struct cook_worker *worker, struct cook_context *context,
                                       uint32_t **ids, size_t *count)
{
    struct cook_package **packages;
    *ids = NULL;
    enum cook_status status =
        cook_session_closure(&worker->session, context, true, &packages, count);
    if (status == COOK_OK)
        *ids = cook_malloc((*count + 1) * sizeof(**ids));
    if (status == COOK_OK && !*ids)
        status = COOK_E_NO_MEMORY;
    for (size_t i = 0; status == COOK_OK && i < *count; i++) {
        struct cook_package *package = packages[i];
        if (!package->load_id) {
            package->load_id = worker->session.next_load_id++;
            struct cook_buf out = COOK_BUF_INIT;
            cook_buf_put_u32(&out, package->load_id);
            cook_record_encode(&package->load.record, &out);
            cook_record_encode_origins(&package->load.record, &out);
            status = cook_worker_send(worker, COOK_FRAME_LOAD_SET, &out);
            cook_buf_finish(&out);
        }
        (*ids)[i] = package->load_id;
    }
    cook_free(packages);
    return status;
}

static int compare_texts(const void *a, const void *b)
{
    return strcmp(*(const char *const *)a, *(const char *const *)b);
}

/* Edges in an order of their own, not of harvest. */
static const char **sorted_texts(const struct cook_intern *table, struct cook_arena *arena)
{
    const char **texts = cook_arena_alloc(arena, (table->count + 1) * sizeof(*texts));
    for (uint32_t i = 0; texts && i < table->count; i++)
        texts[i] = cook_intern_text(table, i);
    if (texts)
        qsort(texts, table->count, sizeof(*texts), compare_texts);
    return texts;
}

/* The parts of a result that own memory while it is sent. */
struct outgoing {
    struct cook_save_result save;
    struct cook_buf tokens, messages, record, unrecorded, stacks, reads, frame;
    struct cook_arena arena;
    uint32_t *load_sets;
};

static void outgoing_finish(struct outgoing *out)
{
    cook_save_result_finish(&out->save);
    cook_buf_finish(&out->tokens);
    cook_buf_finish(&out->messages);
    cook_buf_finish(&out->record);
    cook_buf_finish(&out->unrecorded);
    cook_buf_finish(&out->stacks);
    cook_buf_finish(&out->reads);
    cook_buf_finish(&out->frame);
    cook_arena_finish(&out->arena);
    cook_free(out->load_sets);
}

/* Load messages come first: they were logged first, whoever loaded the package. */
static void encode_messages(struct outgoing *out, struct cook_package *package,
                            struct cook_context *context)
{
    struct cook_messages all = { 0 };
    for (size_t i = 0; i < package->load.messages.count; i++)
        cook_messages_add(&all, package->load.messages.items[i].severity,
                          package->load.messages.items[i].text);
    for (size_t i = 0; i < context->messages.count; i++)
        cook_messages_add(&all, context->messages.items[i].severity,
                          context->messages.items[i].text);
    cook_messages_encode(&all, &out->messages);
    cook_messages_finish(&all);
}

/* What scopes hid from both records of the package. */
static void encode_unrecorded(struct outgoing *out, const struct cook_package *package,
                              struct cook_context *context)
{
    const struct cook_record *load = &package->load.unrecorded_reads;
    for (size_t i = 0; i < cook_record_count(load); i++)
        cook_record_add(&context->unrecorded_reads, load->items[i].kind, load->items[i].args,
                        load->items[i].value, load->items[i].text, load->items[i].origin);
    if (cook_record_count(&context->unrecorded_reads))
        cook_record_encode(&context->unrecorded_reads, &out->unrecorded);
}

static struct cook_result_file *result_files(const struct cook_context *context,
                                             struct cook_arena *arena)
{
    struct cook_result_file *files =
        cook_arena_alloc(arena, (context->file_count + 1) * sizeof(*files));
    for (size_t i = 0; files && i < context->file_count; i++)
        files[i] = (struct cook_result_file){ context->files[i].name, context->files[i].bytes,
                                              context->files[i].size };
    return files;
}

static enum cook_status send_result(struct cook_worker *worker, struct cook_package *package,
                                    struct cook_context *context, struct outgoing *out,
                                    uint64_t started_us)
{
    size_t load_set_count;
    enum cook_status status = send_load_sets(worker, context, &out->load_sets, &load_set_count);
    if (status != COOK_OK)
        return status;
    bool ok = out->save.ok;
    if (ok)
        cook_token_map_encode(&out->save.tokens, &out->tokens);
    encode_messages(out, package, context);
    cook_record_encode(&context->record, &out->record);
    cook_record_encode_origins(&context->record, &out->record);
    encode_unrecorded(out, package, context);
    if (ok && out->save.stacks)
        cook_stacks_encode(out->save.stacks, &out->stacks);
    if (worker->session.reads)
        cook_reads_encode(worker->session.reads, &out->reads);
    cook_context_sort_files(context);
    struct cook_result_file *files = result_files(context, &out->arena);
    struct cook_result result = {
        .package = package->name,
        .ok = ok,
        .omitted = ok && out->save.omitted,
        .duration_us = now_us() - started_us,
        .bytes = ok ? out->save.bytes.data : NULL,
        .size = ok ? out->save.bytes.size : 0,
        .tokens = out->tokens.data,
        .tokens_size = out->tokens.size,
        .messages = out->messages.data,
        .messages_size = out->messages.size,
        .hard = sorted_texts(&out->save.hard, &out->arena),
        .hard_count = out->save.hard.count,
        .soft = sorted_texts(&out->save.soft, &out->arena),
        .soft_count = out->save.soft.count,
        .load_sets = out->load_sets,
        .load_set_count = load_set_count,
        .save_record = out->record.data,
        .save_record_size = out->record.size,
        .unrecorded = out->unrecorded.data,
        .unrecorded_size = out->unrecorded.size,
        .recorded = out->save.recorded.data,
        .recorded_size = out->save.recorded.size,
        .stacks = out->stacks.data,
        .stacks_size = out->stacks.size,
        .stack_ids = out->save.stack_ids,
        .stack_id_count = out->save.stack_ids ? out->save.tokens.count : 0,
        .reads = out->reads.data,
        .reads_size = out->reads.size,
        .notes = cook_buf_text(&context->notes),
        .files = files,
        .file_count = ok ? context->file_count : 0,
        .parts = ok ? out->save.parts.data : NULL,
        .parts_size = ok ? out->save.parts.size : 0,
    };
    if (!files || !result.hard || !result.soft || out->tokens.failed || out->messages.failed ||
        out->record.failed || out->stacks.failed || out->reads.failed)
        return cook_error_set(&worker->error, COOK_E_NO_MEMORY, "out of memory");
    cook_result_encode(&result, &out->frame);
    return cook_worker_send(worker, COOK_FRAME_RESULT, &out->frame);
}

/* A name that is no present package: a result of its own, with the reason. */
static enum cook_status send_missing(struct cook_worker *worker, const char *name)
{
    struct outgoing out = { 0 };
    struct cook_messages messages = { 0 };
    cook_messages_add(&messages, COOK_SEVERITY_ERROR, "the package's source vanished");
    cook_messages_encode(&messages, &out.messages);
    cook_messages_finish(&messages);
    struct cook_record empty;
    cook_record_init(&empty);
    cook_record_encode(&empty, &out.record);
    cook_record_finish(&empty);
    struct cook_result result = { .package = name,
                                  .messages = out.messages.data,
                                  .messages_size = out.messages.size,
                                  .save_record = out.record.data,
                                  .save_record_size = out.record.size,
                                  .notes = "" };
    cook_result_encode(&result, &out.frame);
    enum cook_status status = cook_worker_send(worker, COOK_FRAME_RESULT, &out.frame);
    outgoing_finish(&out);
    return status;
}

static enum cook_status cook_one(struct cook_worker *worker, const char *name)
{
    uint64_t started_us = now_us();
    struct cook_session *session = &worker->session;
    struct cook_package *package = cook_session_load(session, name);
    if (!package)
        return send_missing(worker, name);
    struct outgoing out = { 0 };
    struct cook_context context;
    enum cook_status status = cook_context_init(&context, session, package);
    if (status == COOK_OK) {
        struct cook_tracer_place place = cook_tracer_enter(name, false);
        /* Every package depends on the format and the settings that touch all of them. */
        if (package->stage == COOK_LOAD_DONE && session->resave)
            (void)!cook_session_resave(session, package, &context, &out.save);
        else if (package->stage == COOK_LOAD_DONE)
            (void)!cook_session_save(session, package, &context, &out.save);
        /* Jobs of a hook that failed half-way still use the package. */
        (void)!cook_async_wait(session->async);
        cook_tracer_leave(place);
        status = cook_session_tell_traced(session, &context, &worker->error);
    }
    if (status == COOK_OK)
        status = send_result(worker, package, &context, &out, started_us);
    outgoing_finish(&out);
    cook_context_finish(&context);
    cook_session_evict(session, package);
    cook_session_trim(session, MAX_RESIDENT_PACKAGES);
    return status;
}

enum cook_status cook_worker_cook(struct cook_worker *worker, const struct cook_buf *payload)
{
    struct cook_reader_buf in = cook_read_init(payload->data, payload->size);
    struct cook_arena arena = COOK_ARENA_INIT;
    uint8_t mode = cook_read_u8(&in);
    worker->session.capture = mode == COOK_MODE_CAPTURE;
    worker->session.resave = mode == COOK_MODE_RESAVE;
    size_t count = cook_read_count(&in, 1);
    enum cook_status status = COOK_OK;
    for (size_t i = 0; status == COOK_OK && i < count; i++) {
        const char *name = cook_read_string(&in, &arena);
        status = cook_worker_send_begin(worker, name);
        if (status == COOK_OK && worker->session.capture)
            status = cook_reads_create(&worker->session.reads, &worker->error);
        if (status == COOK_OK)
            status = cook_one(worker, name);
        cook_reads_destroy(worker->session.reads);
        worker->session.reads = NULL;
    }
    cook_arena_finish(&arena);
    if (status == COOK_OK)
        status = cook_session_tell_traced(&worker->session, NULL, &worker->error);
    return status == COOK_OK ? cook_worker_send(worker, COOK_FRAME_IDLE, NULL) : status;
}
