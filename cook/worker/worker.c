/* A worker: its start, its loop, and what it answers but for cooking (cook_package.c). */
#include "cook/worker/worker_private.h"

#include <fcntl.h>
#include <signal.h>
#include <string.h>
#include <sys/prctl.h>
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
#include "cook/worker/traced.h"

#define MAX_SOURCE_BYTES (UINT64_C(1) << 30)

enum cook_status cook_worker_send(struct cook_worker *worker, enum cook_frame_type type,
                                  const struct cook_buf *payload)
{
    return cook_frame_write(COOK_WORKER_SOCKET_FD, type, payload, &worker->error);
}

enum cook_status cook_worker_send_begin(struct cook_worker *worker, const char *name)
{
    struct cook_buf out = COOK_BUF_INIT;
    cook_buf_put_string(&out, name);
    enum cook_status status = cook_worker_send(worker, COOK_FRAME_BEGIN, &out);
    cook_buf_finish(&out);
    return status;
}

/* ---- start ---- */

static enum cook_status greet(struct cook_worker *worker)
{
    struct cook_buf out = COOK_BUF_INIT;
    enum cook_status status = cook_session_put_modules(&out, &worker->error);
    if (status == COOK_OK)
        status = cook_worker_send(worker, COOK_FRAME_MODULES, &out);
    cook_buf_clear(&out);
    if (status == COOK_OK)
        status = cook_session_put_hello(&worker->session, &out, &worker->error);
    if (status == COOK_OK)
        status = cook_worker_send(worker, COOK_FRAME_HELLO, &out);
    cook_buf_finish(&out);
    return status;
}

static enum cook_status register_builtin(struct cook_worker *worker, cook_plugin_main_function standard)
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

static void read_arguments(struct cook_worker *worker, struct cook_reader_buf *in)
{
    struct cook_session *session = &worker->session;
    size_t count = cook_read_count(in, 1);
    session->arguments = cook_arena_alloc(&session->arena, (count + 1) * sizeof(char *));
    in->failed |= !session->arguments;
    for (size_t i = 0; !in->failed && i < count; i++)
        session->arguments[session->argument_count++] = cook_read_string(in, &session->arena);
}

static enum cook_status load_plugins(struct cook_worker *worker, struct cook_reader_buf *in)
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

static enum cook_status start(struct cook_worker *worker, const struct cook_buf *payload,
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
static const char *facts_reader(const struct cook_worker *worker, const struct cook_reader *reader,
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
static void scan_one(struct cook_worker *worker, const char *name, const char *path,
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
        if (status != COOK_OK) /* no memory, which says nothing of the file: scan it again next time */
            hash = (struct cook_hash){ 0, 0 };
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

static enum cook_status scan(struct cook_worker *worker, const struct cook_buf *payload)
{
    struct cook_reader_buf in = cook_read_init(payload->data, payload->size);
    size_t count = cook_read_count(&in, 2);
    enum cook_status status = COOK_OK;
    for (size_t i = 0; status == COOK_OK && i < count; i++) {
        struct cook_arena arena = COOK_ARENA_INIT;
        struct cook_buf out = COOK_BUF_INIT;
        const char *name = cook_read_string(&in, &arena);
        const char *path = cook_read_string(&in, &arena);
        status = cook_worker_send_begin(worker, name);
        if (status == COOK_OK) {
            struct cook_tracer_place place = cook_tracer_enter(name, true);
            scan_one(worker, name, path, &arena, &out);
            cook_tracer_leave(place);
            status = cook_worker_send(worker, COOK_FRAME_SCANNED, &out);
        }
        cook_buf_finish(&out);
        cook_arena_finish(&arena);
    }
    if (status == COOK_OK)
        status = cook_session_tell_traced(&worker->session, NULL, &worker->error);
    return status == COOK_OK ? cook_worker_send(worker, COOK_FRAME_IDLE, NULL) : status;
}

/* ---- the loop ---- */

static enum cook_status map_registry(struct cook_worker *worker)
{
    cook_state_finish(&worker->session.registry);
    enum cook_status status =
        cook_index_map_copy(&worker->session.registry, COOK_WORKER_REGISTRY_FD, &worker->error);
    worker->session.registry.redirects = worker->session.redirects;
    return status;
}

/* Function dependencies, one value each; what cannot be called is absent, which differs from any
 * value that it had. */
static enum cook_status evaluate(struct cook_worker *worker, const struct cook_buf *payload)
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
        status = cook_worker_send(worker, COOK_FRAME_VALUES, &out);
    cook_buf_finish(&out);
    cook_arena_finish(&arena);
    return status == COOK_OK ? cook_worker_send(worker, COOK_FRAME_IDLE, NULL) : status;
}

/* The fold of a plugin's artifact; its failure is an answer, not the worker's end. */
static enum cook_status fold(struct cook_worker *worker, const struct cook_buf *payload)
{
    struct cook_buf out = COOK_BUF_INIT;
    cook_session_fold(&worker->session, payload, &out);
    enum cook_status status = cook_session_tell_traced(&worker->session, NULL, &worker->error);
    if (status == COOK_OK)
        status = cook_worker_send(worker, COOK_FRAME_FOLDED, &out);
    cook_buf_finish(&out);
    return status == COOK_OK ? cook_worker_send(worker, COOK_FRAME_IDLE, NULL) : status;
}

static enum cook_status handle(struct cook_worker *worker, enum cook_frame_type type,
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
        return cook_worker_cook(worker, payload);
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

static void report_failure(struct cook_worker *worker, enum cook_status status)
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
    struct cook_worker worker = { 0 };
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
