#include "cook/worker/worker.h"

#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <time.h>
#include <unistd.h>

#include "cook/artifacts/builtin.h"
#include "cook/base/fs.h"
#include "cook/object/functions.h"
#include "cook/object/schema.h"
#include "cook/object/reference_flags.h"
#include "cook/reader/readers.h"
#include "cook/registry/facts.h"
#include "cook/registry/redirects.h"
#include "cook/store/index.h"
#include "cook/trace/tracer.h"
#include "cook/worker/perturb.h"
#include "cook/worker/plugins.h"
#include "cook/worker/protocol.h"
#include "cook/worker/session.h"
#include "cook/worker/traced.h"

#define MAX_RESIDENT_PACKAGES 20000
#define MAX_SOURCE_BYTES (UINT64_C(1) << 30)

struct worker {
    struct cook_session session;
    struct cook_error error;
};

static enum cook_status send_frame(struct worker *worker, enum cook_frame_type type,
                                   const struct cook_buf *payload)
{
    return cook_frame_write(COOK_WORKER_SOCKET_FD, type, payload, &worker->error);
}

static enum cook_status send_begin(struct worker *worker, const char *name)
{
    struct cook_buf out = COOK_BUF_INIT;
    cook_buf_put_string(&out, name);
    enum cook_status status = send_frame(worker, COOK_FRAME_BEGIN, &out);
    cook_buf_finish(&out);
    return status;
}

/* ---- start ---- */

static enum cook_status greet(struct worker *worker)
{
    struct cook_buf out = COOK_BUF_INIT;
    enum cook_status status = cook_session_put_modules(&out, &worker->error);
    if (status == COOK_OK)
        status = send_frame(worker, COOK_FRAME_MODULES, &out);
    cook_buf_clear(&out);
    if (status == COOK_OK)
        status = cook_session_put_hello(&worker->session, &out, &worker->error);
    if (status == COOK_OK)
        status = send_frame(worker, COOK_FRAME_HELLO, &out);
    cook_buf_finish(&out);
    return status;
}

static enum cook_status register_builtin(struct worker *worker, cook_plugin_main_function standard)
{
    struct cook_registrar *types = &worker->session.types;
    const struct cook_reader *const *readers = cook_builtin_readers();
    for (size_t i = 0; readers[i]; i++)
        cook_register_reader(types, readers[i]);
    const struct cook_artifact *const *artifacts = cook_builtin_artifacts();
    for (size_t i = 0; artifacts[i]; i++)
        cook_register_artifact(types, artifacts[i]);
    if (standard && standard(types) != COOK_OK)
        return cook_error_set(&worker->error, COOK_E_CONFIG, "the standard classes do not register");
    return COOK_OK;
}

static void read_arguments(struct worker *worker, struct cook_reader_buf *in)
{
    struct cook_session *session = &worker->session;
    size_t count = cook_read_count(in, 1);
    session->arguments = cook_arena_alloc(&session->arena, (count + 1) * sizeof(char *));
    in->failed |= !session->arguments;
    for (size_t i = 0; !in->failed && i < count; i++)
        session->arguments[session->argument_count++] = cook_read_string(in, &session->arena);
}

static enum cook_status load_plugins(struct worker *worker, struct cook_reader_buf *in)
{
    size_t count = cook_read_count(in, 2);
    for (size_t i = 0; i < count; i++) {
        const char *path = cook_read_string(in, &worker->session.arena);
        const char *name = cook_read_string(in, &worker->session.arena);
        if (in->failed)
            break;
        enum cook_status status = cook_plugin_load(&worker->session, path, name, &worker->error);
        if (status != COOK_OK)
            return status;
    }
    return COOK_OK;
}

static enum cook_status start(struct worker *worker, const struct cook_buf *payload,
                              cook_plugin_main_function standard)
{
    struct cook_session *session = &worker->session;
    struct cook_reader_buf in = cook_read_init(payload->data, payload->size);
    if (cook_read_u32(&in) != COOK_PROTOCOL_VERSION)
        return cook_error_set(&worker->error, COOK_E_PROTOCOL,
                              "cook-worker is of another version than its director");
    session->target = cook_read_string(&in, &session->arena);
    size_t size;
    const uint8_t *config = cook_read_bytes(&in, &size);
    read_arguments(worker, &in);
    enum cook_status status = register_builtin(worker, standard);
    if (status == COOK_OK)
        status = cook_config_decode(&session->config, config, size, &worker->error);
    if (status == COOK_OK)
        status = cook_redirects_create(&session->redirects, session->config, &worker->error);
    if (status == COOK_OK)
        status = load_plugins(worker, &in);
    if (status == COOK_OK && !cook_read_at_end(&in))
        status = cook_error_set(&worker->error, COOK_E_PROTOCOL, "malformed start of a worker");
    if (status == COOK_OK)
        status = cook_types_link(&session->types, session->config, &worker->error);
    if (status == COOK_OK) {
        session->configuration =
            cook_config_string(session->config, "Cook", "Configuration", "client");
        session->keep_editor_only =
            cook_config_bool(session->config, "Cook", "KeepEditorOnly", false);
    }
    if (status == COOK_OK)
        session->reference_flags = cook_reference_flags_hash(&session->types);
    if (status == COOK_OK)
        status = cook_crash_refresh_modules(&worker->error);
    if (status == COOK_OK)
        status = cook_session_tell_traced(session, NULL, &worker->error);
    if (status == COOK_OK)
        status = greet(worker);
    return status;
}

/* ---- scan ---- */

/* As cook_registry_reader_text() writes it. */
static const char *facts_reader(const struct worker *worker, const struct cook_reader *reader,
                                struct cook_arena *arena)
{
    const char *text = "";
    uint64_t hash = reader ? cook_session_scan_hash(&worker->session, reader) : 0;
    if (hash)
        text = cook_arena_printf(arena, "%s/%u.%llx", reader->name, reader->version,
                                 (unsigned long long)hash);
    else if (reader)
        text = cook_arena_printf(arena, "%s/%u", reader->name, reader->version);
    return text ? text : "";
}

/* One package's facts; a file that cannot be read has them too: the fault. */
static void scan_one(struct worker *worker, const char *name, const char *path,
                     struct cook_arena *arena, struct cook_buf *out)
{
    struct cook_session *session = &worker->session;
    struct cook_buf main_bytes = COOK_BUF_INIT;
    struct cook_buf side_bytes = COOK_BUF_INIT;
    struct cook_facts facts = { 0 };
    struct cook_error error = COOK_ERROR_INIT;
    struct cook_hash hash = { 0, 0 };
    const char *side_path = cook_arena_printf(arena, "%s.cook", path);
    const struct cook_reader *reader = cook_types_reader(&session->types, path);
    enum cook_status status =
        cook_fs_read(&main_bytes, NULL, session->project_fd, path, MAX_SOURCE_BYTES, &error);
    bool side = side_path && cook_fs_read(&side_bytes, NULL, session->project_fd, side_path,
                                          MAX_SOURCE_BYTES, NULL) == COOK_OK;
    if (status == COOK_OK) {
        struct cook_hash none = { 0, 0 };
        hash = cook_source_hash(cook_hash_bytes(main_bytes.data, main_bytes.size), side,
                                side ? cook_hash_bytes(side_bytes.data, side_bytes.size) : none);
    }
    if (status == COOK_OK && reader) {
        struct cook_source source = {
            .package = name,
            .path = path,
            .data = (const uint8_t *)cook_buf_text(&main_bytes),
            .size = main_bytes.size,
            .side_data = side ? (const uint8_t *)cook_buf_text(&side_bytes) : NULL,
            .side_size = side_bytes.size,
        };
        status = cook_facts_scan_typed(&facts, reader, &source, &session->types, arena, &error);
    }
    if (status != COOK_OK && !facts.fault)
        facts.fault = error.message[0] ? error.message : cook_status_text(status);
    cook_buf_put_string(out, name);
    cook_buf_put_string(out, facts_reader(worker, reader, arena));
    cook_buf_put_hash(out, hash);
    struct cook_buf encoded = COOK_BUF_INIT;
    cook_facts_encode(&facts, &encoded);
    out->failed |= encoded.failed;
    cook_buf_put_bytes(out, encoded.data, encoded.size);
    cook_buf_finish(&encoded);
    cook_buf_finish(&main_bytes);
    cook_buf_finish(&side_bytes);
}

static enum cook_status scan(struct worker *worker, const struct cook_buf *payload)
{
    struct cook_reader_buf in = cook_read_init(payload->data, payload->size);
    size_t count = cook_read_count(&in, 2);
    enum cook_status status = COOK_OK;
    for (size_t i = 0; status == COOK_OK && i < count; i++) {
        struct cook_arena arena = COOK_ARENA_INIT;
        struct cook_buf out = COOK_BUF_INIT;
        const char *name = cook_read_string(&in, &arena);
        const char *path = cook_read_string(&in, &arena);
        status = send_begin(worker, name);
        if (status == COOK_OK) {
            struct cook_tracer_place place = cook_tracer_enter(name, true);
            scan_one(worker, name, path, &arena, &out);
            cook_tracer_leave(place);
            status = send_frame(worker, COOK_FRAME_SCANNED, &out);
        }
        cook_buf_finish(&out);
        cook_arena_finish(&arena);
    }
    if (status == COOK_OK)
        status = cook_session_tell_traced(&worker->session, NULL, &worker->error);
    return status == COOK_OK ? send_frame(worker, COOK_FRAME_IDLE, NULL) : status;
}

/* ---- cook ---- */

static uint64_t now_us(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (uint64_t)now.tv_sec * 1000000u + (uint64_t)now.tv_nsec / 1000u;
}

/* Send the load sets that the director does not know yet; collect all ids. */
static enum cook_status send_load_sets(struct worker *worker, struct cook_context *context,
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
            status = send_frame(worker, COOK_FRAME_LOAD_SET, &out);
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

static enum cook_status send_result(struct worker *worker, struct cook_package *package,
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
    return send_frame(worker, COOK_FRAME_RESULT, &out->frame);
}

/* A name that is no present package: a result of its own, with the reason. */
static enum cook_status send_missing(struct worker *worker, const char *name)
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
    enum cook_status status = send_frame(worker, COOK_FRAME_RESULT, &out.frame);
    outgoing_finish(&out);
    return status;
}

static enum cook_status cook_one(struct worker *worker, const char *name)
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

static enum cook_status cook(struct worker *worker, const struct cook_buf *payload)
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
        status = send_begin(worker, name);
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
    return status == COOK_OK ? send_frame(worker, COOK_FRAME_IDLE, NULL) : status;
}

/* ---- the loop ---- */

static enum cook_status map_registry(struct worker *worker)
{
    cook_state_finish(&worker->session.registry);
    enum cook_status status =
        cook_index_map_copy(&worker->session.registry, COOK_WORKER_REGISTRY_FD, &worker->error);
    worker->session.registry.redirects = worker->session.redirects;
    return status;
}

/* Function dependencies, one value each; what cannot be called is absent, which differs from any
 * value that it had. */
static enum cook_status evaluate(struct worker *worker, const struct cook_buf *payload)
{
    struct cook_reader_buf in = cook_read_init(payload->data, payload->size);
    struct cook_arena arena = COOK_ARENA_INIT;
    struct cook_buf out = COOK_BUF_INIT;
    size_t count = cook_read_count(&in, 1);
    cook_buf_put_varint(&out, count);
    for (size_t i = 0; i < count; i++) {
        struct cook_hash value = { 0, 0 };
        bool asked, kept;
        uint8_t kind = cook_read_u8(&in);
        const char *args = cook_read_string(&in, &arena);
        if (in.failed)
            break;
        if (kind == COOK_DEP_KEPT)
            value = cook_session_kept_value(&worker->session, args, true, &asked, &kept);
        else
            (void)!cook_function_evaluate(&worker->session.types, worker->session.config, args,
                                          &value);
        cook_buf_put_hash(&out, value);
    }
    enum cook_status status = cook_session_tell_traced(&worker->session, NULL, &worker->error);
    if (status == COOK_OK)
        status = send_frame(worker, COOK_FRAME_VALUES, &out);
    cook_buf_finish(&out);
    cook_arena_finish(&arena);
    return status == COOK_OK ? send_frame(worker, COOK_FRAME_IDLE, NULL) : status;
}

/* The fold of a plugin's artifact; its failure is an answer, not the worker's end. */
static enum cook_status fold(struct worker *worker, const struct cook_buf *payload)
{
    struct cook_buf out = COOK_BUF_INIT;
    cook_session_fold(&worker->session, payload, &out);
    enum cook_status status = cook_session_tell_traced(&worker->session, NULL, &worker->error);
    if (status == COOK_OK)
        status = send_frame(worker, COOK_FRAME_FOLDED, &out);
    cook_buf_finish(&out);
    return status == COOK_OK ? send_frame(worker, COOK_FRAME_IDLE, NULL) : status;
}

static enum cook_status handle(struct worker *worker, enum cook_frame_type type,
                               const struct cook_buf *payload, cook_plugin_main_function standard)
{
    switch (type) {
    case COOK_FRAME_INIT:
        return start(worker, payload, standard);
    case COOK_FRAME_SCAN:
        return scan(worker, payload);
    case COOK_FRAME_REGISTRY:
        return map_registry(worker);
    case COOK_FRAME_COOK:
        return cook(worker, payload);
    case COOK_FRAME_EVALUATE:
        return evaluate(worker, payload);
    case COOK_FRAME_FOLD:
        return fold(worker, payload);
    case COOK_FRAME_UNKNOWN:
    case COOK_FRAME_VALUES:
    case COOK_FRAME_FOLDED:
    case COOK_FRAME_QUIT:
    case COOK_FRAME_MODULES:
    case COOK_FRAME_HELLO:
    case COOK_FRAME_SCANNED:
    case COOK_FRAME_BEGIN:
    case COOK_FRAME_LOAD_SET:
    case COOK_FRAME_RESULT:
    case COOK_FRAME_TRACED:
    case COOK_FRAME_IDLE:
    case COOK_FRAME_FAILED:
        break;
    }
    return cook_error_set(&worker->error, COOK_E_PROTOCOL, "unexpected frame %d", (int)type);
}

static void report_failure(struct worker *worker, enum cook_status status)
{
    struct cook_buf out = COOK_BUF_INIT;
    cook_buf_put_u32(&out, (uint32_t)status);
    cook_buf_put_string(&out, worker->error.message[0] ? worker->error.message
                                                       : cook_status_text(status));
    (void)!cook_frame_write(COOK_WORKER_SOCKET_FD, COOK_FRAME_FAILED, &out, NULL);
    cook_buf_finish(&out);
}

int cook_worker_run(cook_plugin_main_function standard)
{
    struct worker worker = { 0 };
    struct cook_buf payload = COOK_BUF_INIT;
    enum cook_frame_type type;
    (void)prctl(PR_SET_PDEATHSIG, SIGKILL); /* a worker without its director has no use */
    for (int fd = COOK_WORKER_SOCKET_FD; fd <= COOK_WORKER_REGISTRY_FD; fd++)
        (void)fcntl(fd, F_SETFD, FD_CLOEXEC); /* children of class code must not hold them */
    enum cook_status status = cook_session_init(&worker.session, &worker.error);
    if (status == COOK_OK)
        status = cook_crash_install(COOK_WORKER_CRASH_FD, &worker.error);
    worker.session.project_fd = open(".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    cook_perturb_enter_folder();
    worker.session.stack_fill = cook_perturb_stack_byte();
    while (status == COOK_OK) {
        status = cook_frame_read(COOK_WORKER_SOCKET_FD, &type, &payload, &worker.error);
        if (status != COOK_OK || type == COOK_FRAME_QUIT)
            break;
        status = handle(&worker, type, &payload, standard);
    }
    bool clean = status == COOK_OK || status == COOK_E_NOT_FOUND;
    if (!clean)
        report_failure(&worker, status);
    cook_buf_finish(&payload);
    if (worker.session.project_fd >= 0)
        close(worker.session.project_fd);
    cook_session_finish(&worker.session);
    return clean ? 0 : 1;
}
