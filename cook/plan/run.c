#include "cook/plan/run.h"

#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "cook/base/fs.h"
#include "cook/plan/rules.h"
#include "cook/registry/redirects.h"
#include "cook/store/index.h"

#define DEFAULT_KEEP_COOKS 50 /* cooks the store tells about; a few weeks of nights */

static int64_t clock_ns(clockid_t clock)
{
    struct timespec now;
    clock_gettime(clock, &now);
    return (int64_t)now.tv_sec * 1000000000 + now.tv_nsec;
}

double cook_run_seconds(const struct cook_run *run)
{
    return (double)(clock_ns(CLOCK_MONOTONIC) - run->started_mono_ns) / 1e9;
}

void cook_run_warn(struct cook_run *run, const char *format, ...)
{
    char text[2048];
    va_list arguments;
    va_start(arguments, format);
    (void)vsnprintf(text, sizeof(text), format, arguments);
    va_end(arguments);
    char *copy = cook_arena_strdup(&run->arena, text);
    if (copy && cook_grow(&run->warnings, &run->warning_capacity, run->warning_count + 1,
                          sizeof(*run->warnings)))
        run->warnings[run->warning_count++] = copy;
}

static const char *store_name(const struct cook_run *run)
{
    return run->options.store_name ? run->options.store_name : run->project.target;
}

/* The folder of plugin copies, made also by a read-only run: a worker loads nothing else. */
static enum cook_status open_plugin_folder(struct cook_run *run, int *fd, struct cook_error *error)
{
    const char *relative =
        cook_arena_printf(&run->arena, "Saved/Cook/%s/plugins", store_name(run));
    run->plugin_folder =
        relative ? cook_arena_printf(&run->arena, "%s/%s", run->project.path, relative) : NULL;
    *fd = -1;
    if (!run->plugin_folder)
        return cook_error_no_memory(error);
    enum cook_status status = cook_fs_make_folders(run->project.fd, relative, error);
    if (status == COOK_OK) {
        *fd = openat(run->project.fd, relative, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
        if (*fd < 0)
            status = cook_error_set_errno(error, "cannot open %s", relative);
    }
    return status;
}

static enum cook_status start_pool(struct cook_run *run, struct cook_error *error)
{
    int plugin_fd;
    enum cook_status status = open_plugin_folder(run, &plugin_fd, error);
    if (status != COOK_OK)
        return status;
    long processors = sysconf(_SC_NPROCESSORS_ONLN);
    const char *worker = cook_worker_find(&run->arena);
    if (!worker) {
        close(plugin_fd);
        return cook_error_set(error, COOK_E_NOT_FOUND,
                              "cook-worker is neither beside this program nor in "
                              "../libexec/cookproof; set COOK_WORKER to its path");
    }
    struct cook_pool_options options = {
        .project = &run->project,
        .plugin_folder_fd = plugin_fd,
        .plugin_folder = run->plugin_folder,
        .worker_path = worker,
        .arguments = run->options.arguments,
        .argument_count = run->options.argument_count,
        .worker_prefix = run->options.worker_prefix,
        .traced = run->options.tracing == COOK_TRACING_ON ||
                  (run->options.tracing == COOK_TRACING_IF_CONFIGURED &&
                   cook_config_bool(run->project.config, "Trace", "Always", false)),
        .count = run->options.workers ? run->options.workers
                                      : (unsigned)(processors > 0 ? processors : 1),
        .timeout_seconds = (unsigned)cook_config_i64(run->project.config, "Cook",
                                                     "PackageTimeoutSeconds", 300),
    };
    status = cook_pool_create(&run->pool, &options, error);
    close(plugin_fd);
    return status;
}

static enum cook_status await_hello(struct cook_run *run, struct cook_error *error)
{
    struct cook_pool_event event;
    enum cook_status status = cook_pool_wait(run->pool, &event, -1, error);
    if (status != COOK_OK)
        return status;
    if (event.type == COOK_FRAME_UNKNOWN)
        return cook_run_died_at_start(run, &event, error);
    if (event.type == COOK_FRAME_FAILED) {
        struct cook_reader_buf in = cook_read_init(event.payload->data, event.payload->size);
        (void)cook_read_u32(&in);
        return cook_error_set(error, COOK_E_CONFIG, "%s", cook_read_string(&in, &run->arena));
    }
    if (event.type != COOK_FRAME_HELLO)
        return cook_error_set(error, COOK_E_PROTOCOL, "a worker did not greet");
    status = cook_hello_decode(&run->hello, event.payload->data, event.payload->size, &run->arena,
                               error);
    if (status != COOK_OK)
        return status;
    run->readers =
        cook_arena_alloc(&run->arena, (run->hello.reader_count + 1) * sizeof(*run->readers));
    if (!run->readers)
        return cook_error_no_memory(error);
    for (size_t i = 0; i < run->hello.reader_count; i++) {
        const struct cook_hello_reader *reader = &run->hello.readers[i];
        run->readers[i] = (struct cook_reader_info){ .name = reader->name,
                                                     .version = reader->version,
                                                     .extensions = reader->extensions,
                                                     .types_hash = reader->types_hash };
    }
    long processors = sysconf(_SC_NPROCESSORS_ONLN);
    run->registry_options = (struct cook_registry_options){
        .readers = run->readers,
        .reader_count = run->hello.reader_count,
        .threads = processors > 1 ? (unsigned)processors : 1,
        .trust_stat = !run->options.rehash,
    };
    return COOK_OK;
}

enum cook_status cook_run_open(struct cook_run *run, const struct cook_run_options *options,
                               struct cook_error *error)
{
    *run = (struct cook_run){ .options = *options,
                              .started_ns = clock_ns(CLOCK_REALTIME),
                              .started_mono_ns = clock_ns(CLOCK_MONOTONIC) };
    if (options->trace_path) {
        run->trace = cook_calloc(1, sizeof(*run->trace));
        if (!run->trace)
            return cook_error_no_memory(error);
        cook_trace_init(run->trace);
    }
    enum cook_status status = cook_project_open(&run->project, &options->project, error);
    /* The lock first: a second cook must not touch the plugin copies either. The worker's start
     * and the store's opening overlap, the greeting is awaited last. */
    if (status == COOK_OK && options->mode == COOK_STORE_WRITE)
        status = cook_store_open(&run->store, run->project.fd, store_name(run), options->mode,
                                 error);
    if (status == COOK_OK && run->store)
        cook_progress_begin(&run->progress, cook_store_folder(run->store), options->verb);
    if (status == COOK_OK)
        status = start_pool(run, error);
    if (status == COOK_OK && options->mode != COOK_STORE_WRITE)
        status = cook_store_open(&run->store, run->project.fd, store_name(run), options->mode,
                                 error);
    if (status == COOK_OK)
        status = cook_redirects_create(&run->redirects, run->project.config, error);
    if (status != COOK_OK)
        return status;
    run->state = cook_store_state(run->store);
    run->state->redirects = run->redirects;
    status = await_hello(run, error);
    if (run->trace)
        cook_trace_add(run->trace, 0, "phase", "open", run->trace->started);
    return status;
}

enum cook_status cook_run_write_trace(struct cook_run *run, struct cook_error *error)
{
    if (!run->trace)
        return COOK_OK;
    return cook_trace_write(run->trace, cook_pool_count(run->pool), run->options.trace_path, error);
}

void cook_run_close(struct cook_run *run)
{
    if (run->trace)
        cook_trace_finish(run->trace);
    cook_free(run->trace);
    cook_pool_destroy(run->pool);
    cook_progress_withdraw(&run->progress);
    cook_store_close(run->store);
    cook_redirects_destroy(run->redirects);
    cook_rules_destroy(run->rules);
    cook_project_finish(&run->project);
    cook_free(run->warnings);
    cook_free(run->dep_changed);
    cook_free(run->keys);
    cook_free(run->set_hashes);
    cook_arena_finish(&run->arena);
    *run = (struct cook_run){ 0 };
}

uint32_t cook_run_keep_cooks(const struct cook_run *run)
{
    return (uint32_t)cook_config_i64(run->project.config, "Store", "KeepCooks", DEFAULT_KEEP_COOKS);
}

enum cook_status cook_run_share_registry(struct cook_run *run, struct cook_error *error)
{
    if (run->registry_shared) /* workers have it mapped: it must not be written again */
        return COOK_OK;
    enum cook_status status = cook_state_sort(run->state, error);
    if (status == COOK_OK)
        status = cook_index_write_copy(run->state, cook_pool_registry_fd(run->pool), error);
    if (status == COOK_OK)
        cook_pool_registry_ready(run->pool);
    run->registry_shared = status == COOK_OK;
    return status;
}

const struct cook_hello_class *cook_run_class(const struct cook_run *run, const char *name)
{
    size_t low = 0;
    size_t high = run->hello.class_count;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        int order = strcmp(run->hello.classes[middle].name, name);
        if (order == 0)
            return &run->hello.classes[middle];
        if (order < 0)
            low = middle + 1;
        else
            high = middle;
    }
    return NULL;
}
