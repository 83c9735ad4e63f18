#include "report/serve/serve.h"

#include <arpa/inet.h>
#include <errno.h>
#include <netinet/in.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <microhttpd.h>

#include "cook/base/text.h"
#include "report/page.h"
#include "report/serve/page.h"

#define MAX_CONNECTIONS 64
#define TIMEOUT_SECONDS 30

/* The page itself sets no style and runs no script but its own files; nothing may frame it. */
#define POLICY                                                                                    \
    "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; img-src 'self' " \
    "data:; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"

/* ---- requests ---- */

const char *serve_parameter(const struct serve_request *request, const char *name)
{
    const char *value = request->parameter(request->user, name);
    return value ? value : "";
}

uint64_t serve_parameter_number(const struct serve_request *request, const char *name,
                                uint64_t fallback, uint64_t limit)
{
    const char *text = serve_parameter(request, name);
    uint64_t value = 0;
    if (!*text)
        return fallback;
    for (; *text; text++) {
        if (*text < '0' || *text > '9' || value > limit)
            return fallback;
        value = value * 10 + (uint64_t)(*text - '0');
    }
    return value < limit ? value : limit;
}

void serve_fail(struct serve_request *request, unsigned status, const char *reason)
{
    request->status = status;
    request->reason = reason ? reason : "out of memory";
}

static const char *mhd_parameter(void *user, const char *name)
{
    return MHD_lookup_connection_value(user, MHD_GET_ARGUMENT_KIND, name);
}

/* ---- hosts ---- */

static bool is_host(const char *host, size_t length, const char *name)
{
    return strlen(name) == length && strncasecmp(host, name, length) == 0;
}

/*
 * Whether a request names this server. A page elsewhere can point a name of its own at 127.0.0.1, but the
 * browser then still sends that name.
 */
static bool host_is_ours(const struct serve *serve, const char *host)
{
    static const char *const names[] = { "localhost", "127.0.0.1", "[::1]" };
    char port[16];
    if (!host)
        return false;
    const char *colon = strrchr(host, ':');
    if (colon && strchr(colon, ']'))
        colon = NULL;
    size_t length = colon ? (size_t)(colon - host) : strlen(host);
    (void)snprintf(port, sizeof(port), ":%d", serve->port);
    if (colon ? strcmp(colon, port) != 0 : serve->port != 80)
        return false;
    for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
        if (is_host(host, length, names[i]))
            return true;
    if (serve->address && is_host(host, length, serve->address))
        return true;
    for (size_t i = 0; serve->hosts && serve->hosts[i]; i++)
        if (is_host(host, length, serve->hosts[i]))
            return true;
    return false;
}

/* ---- answers ---- */

static enum MHD_Result send_response(struct MHD_Connection *connection, unsigned status,
                                     struct MHD_Response *response, const char *type)
{
    static const char *const headers[][2] = {
        { "Content-Security-Policy", POLICY },
        { "X-Content-Type-Options", "nosniff" },
        { "Referrer-Policy", "no-referrer" },
        { "Cross-Origin-Resource-Policy", "same-origin" },
        { "Cache-Control", "no-store" },
    };
    if (!response)
        return MHD_NO;
    for (size_t i = 0; i < sizeof(headers) / sizeof(headers[0]); i++)
        (void)MHD_add_response_header(response, headers[i][0], headers[i][1]);
    (void)MHD_add_response_header(response, MHD_HTTP_HEADER_CONTENT_TYPE, type);
    enum MHD_Result result = MHD_queue_response(connection, status, response);
    MHD_destroy_response(response);
    return result;
}

static enum MHD_Result send_bytes(struct MHD_Connection *connection, unsigned status,
                                  const void *bytes, size_t size, const char *type)
{
    union {
        const void *from;
        void *to;
    } data = { bytes };
    return send_response(connection, status,
                         MHD_create_response_from_buffer(size, data.to, MHD_RESPMEM_MUST_COPY), type);
}

static enum MHD_Result send_text(struct MHD_Connection *connection, unsigned status,
                                 const char *text)
{
    return send_bytes(connection, status, text, strlen(text), "text/plain; charset=utf-8");
}

/* The name of a download: what a header cannot hold becomes '_'. */
static enum MHD_Result send_download(struct MHD_Connection *connection,
                                     const struct serve_request *request)
{
    char name[160];
    char header[200];
    size_t length = 0;
    const char *from = strrchr(request->file_name, '/');
    for (from = from ? from + 1 : request->file_name; *from && length + 1 < sizeof(name); from++) {
        unsigned char c = (unsigned char)*from;
        name[length++] = c >= 0x20 && c < 0x7f && c != '"' && c != '\\' ? (char)c : '_';
    }
    name[length] = '\0';
    (void)snprintf(header, sizeof(header), "attachment; filename=\"%s\"", name);
    union {
        const void *from;
        void *to;
    } data = { request->bytes.data };
    struct MHD_Response *response =
        MHD_create_response_from_buffer(request->bytes.size, data.to, MHD_RESPMEM_MUST_COPY);
    if (response)
        (void)MHD_add_response_header(response, "Content-Disposition", header);
    return send_response(connection, 200, response, "application/octet-stream");
}

static enum MHD_Result send_events(struct MHD_Connection *connection, struct serve *serve,
                                   const char *target)
{
    struct serve_stream *stream = serve_stream_create(serve, target);
    if (!stream)
        return send_text(connection, 500, "out of memory\n");
    return send_response(connection, 200,
                         MHD_create_response_from_callback(MHD_SIZE_UNKNOWN, 4096, serve_stream_read,
                                                           stream, serve_stream_destroy),
                         "text/event-stream");
}

/* ---- routes ---- */

enum route_kind {
    ROUTE_DOCUMENT = 0,
    ROUTE_DOWNLOAD,
    ROUTE_STORELESS, /* a document that needs no store that can be read, or none yet */
};

static const struct {
    const char *path;
    void (*handle)(struct serve_request *request);
    enum route_kind kind;
} routes[] = {
    { "/api/overview", serve_overview, ROUTE_DOCUMENT },
    { "/api/cooks", serve_cooks, ROUTE_DOCUMENT },
    { "/api/cook", serve_cook, ROUTE_DOCUMENT },
    { "/api/packages", serve_packages, ROUTE_DOCUMENT },
    { "/api/package", serve_package, ROUTE_DOCUMENT },
    { "/api/artifacts", serve_artifacts, ROUTE_DOCUMENT },
    { "/api/findings", serve_findings, ROUTE_DOCUMENT },
    { "/api/finding", serve_finding, ROUTE_DOCUMENT },
    { "/api/history", serve_history, ROUTE_DOCUMENT },
    { "/api/progress", serve_progress, ROUTE_STORELESS },
    { "/api/package/bytes", serve_package_bytes, ROUTE_DOWNLOAD },
    { "/api/artifact/bytes", serve_artifact_bytes, ROUTE_DOWNLOAD },
};
#define ROUTE_COUNT (sizeof(routes) / sizeof(routes[0]))

static enum MHD_Result send_json(struct MHD_Connection *connection, struct serve_request *request)
{
    if (request->status != 200)
        cJSON_AddStringToObject(request->document, "error", request->reason);
    char *text = cJSON_PrintUnformatted(request->document);
    if (!text)
        return send_text(connection, 500, "out of memory\n");
    struct cook_buf json = COOK_BUF_INIT;
    cook_text_put_json(&json, text);
    cJSON_free(text);
    enum MHD_Result result =
        json.failed ? send_text(connection, 500, "out of memory\n")
                    : send_bytes(connection, request->status, json.data, json.size,
                                 "application/json; charset=utf-8");
    cook_buf_finish(&json);
    return result;
}

/* The target that a request names, or the project's own; copied, since views move. */
static const char *target_of(const struct serve_request *request)
{
    const char *target = serve_parameter(request, "target");
    return *target ? target : request->serve->project.target;
}

/* A store that cannot be opened: what is wrong, and under "advice" what to do. */
static void fail_view(struct serve_request *request, enum cook_status status,
                      const struct cook_error *error)
{
    const char *target = request->target;
    const char *advice = NULL;
    bool unreadable = status == COOK_E_UNSUPPORTED || status == COOK_E_DAMAGED || status == COOK_E_LOCKED;
    if (status == COOK_E_NOT_FOUND && strcmp(target, request->serve->project.target) == 0)
        advice = cook_arena_printf(&request->arena, "run: cook full --target %s", target);
    else if (status == COOK_E_UNSUPPORTED)
        advice = cook_arena_printf(&request->arena,
                                   "another version of cook wrote the store of %s: serve it with that "
                                   "version, or move " SERVE_STORES "/%s away and run: cook full "
                                   "--target %s", target, target, target);
    serve_fail(request, status == COOK_E_NOT_FOUND ? 404 : unreadable ? 503 : 500,
               cook_arena_strdup(&request->arena, error->message));
    serve_add_targets(request);
    if (advice)
        cJSON_AddStringToObject(request->document, "advice", advice);
}

static enum MHD_Result answer_api(struct MHD_Connection *connection, struct serve *serve,
                                  size_t route)
{
    struct serve_request request = { .serve = serve,
                                     .parameter = mhd_parameter,
                                     .user = connection,
                                     .status = 200,
                                     .document = cJSON_CreateObject() };
    struct cook_error error = COOK_ERROR_INIT;
    (void)pthread_mutex_lock(&serve->lock);
    request.target = target_of(&request);
    cJSON_AddStringToObject(request.document, "project", serve->project.name);
    cJSON_AddStringToObject(request.document, "target", request.target);
    enum cook_status status =
        routes[route].kind == ROUTE_STORELESS
            ? serve_check_target(serve, request.target, &error)
            : serve_view_of(&request.view, serve, request.target, &error);
    if (status == COOK_OK)
        routes[route].handle(&request);
    else
        fail_view(&request, status, &error);
    (void)pthread_mutex_unlock(&serve->lock);
    enum MHD_Result result = routes[route].kind == ROUTE_DOWNLOAD && request.status == 200
                                 ? send_download(connection, &request)
                                 : send_json(connection, &request);
    cJSON_Delete(request.document);
    cook_buf_finish(&request.bytes);
    cook_arena_finish(&request.arena);
    return result;
}

static const struct {
    const char *path;
    const struct report_page_file *file;
    const char *type;
} files[] = {
    { "/", &serve_page_html, "text/html; charset=utf-8" },
    { "/report.css", &report_page_css, "text/css; charset=utf-8" },
    { "/serve.css", &serve_page_css, "text/css; charset=utf-8" },
    { "/serve.js", &serve_page_js, "text/javascript; charset=utf-8" },
    { "/common.js", &report_page_common, "text/javascript; charset=utf-8" },
};
#define FILE_COUNT (sizeof(files) / sizeof(files[0]))

static enum MHD_Result answer(void *user, struct MHD_Connection *connection, const char *url,
                              const char *method, const char *version, const char *upload,
                              size_t *upload_size, void **state)
{
    struct serve *serve = user;
    (void)version;
    (void)upload;
    (void)upload_size;
    (void)state;
    if (!host_is_ours(serve, MHD_lookup_connection_value(connection, MHD_HEADER_KIND, "Host")))
        return send_text(connection, 421,
                         "this server does not go by that name; see --host of cook serve\n");
    if (strcmp(method, "GET") != 0 && strcmp(method, "HEAD") != 0)
        return send_text(connection, 405, "cook serve is read-only\n");
    for (size_t i = 0; i < FILE_COUNT; i++)
        if (strcmp(url, files[i].path) == 0)
            return send_bytes(connection, 200, files[i].file->bytes, files[i].file->size,
                              files[i].type);
    for (size_t i = 0; i < ROUTE_COUNT; i++)
        if (strcmp(url, routes[i].path) == 0)
            return answer_api(connection, serve, i);
    if (strcmp(url, "/api/events") == 0) {
        struct serve_request request = { .serve = serve, .parameter = mhd_parameter,
                                         .user = connection };
        const char *target = target_of(&request);
        (void)pthread_mutex_lock(&serve->lock);
        enum cook_status status = serve_check_target(serve, target, NULL);
        (void)pthread_mutex_unlock(&serve->lock);
        if (status == COOK_OK)
            return send_events(connection, serve, target);
    }
    return send_text(connection, 404, "no such page\n");
}

/* ---- the verb ---- */

static enum cook_status start(struct MHD_Daemon **daemon, struct serve *serve,
                              struct cook_error *error)
{
    struct sockaddr_in6 six = { .sin6_family = AF_INET6, .sin6_port = htons((uint16_t)serve->port) };
    struct sockaddr_in four = { .sin_family = AF_INET, .sin_port = htons((uint16_t)serve->port) };
    const char *address = serve->address ? serve->address : "127.0.0.1";
    unsigned flags = MHD_USE_INTERNAL_POLLING_THREAD | MHD_USE_THREAD_PER_CONNECTION;
    const struct sockaddr *bound;
    if (inet_pton(AF_INET, address, &four.sin_addr) == 1) {
        bound = (const struct sockaddr *)(const void *)&four;
    } else if (inet_pton(AF_INET6, address, &six.sin6_addr) == 1) {
        bound = (const struct sockaddr *)(const void *)&six;
        flags |= MHD_USE_IPv6;
    } else {
        return cook_error_set(error, COOK_E_USAGE, "--bind takes an IP address, not '%s'", address);
    }
    errno = 0;
    *daemon = MHD_start_daemon(flags, (uint16_t)serve->port, NULL, NULL, answer, serve,
                               MHD_OPTION_SOCK_ADDR, bound, MHD_OPTION_CONNECTION_LIMIT,
                               (unsigned)MAX_CONNECTIONS, MHD_OPTION_CONNECTION_TIMEOUT,
                               (unsigned)TIMEOUT_SECONDS, MHD_OPTION_END);
    if (*daemon)
        return COOK_OK;
    return cook_error_set(error, COOK_E_IO, "cannot listen on %s port %d: %s", address, serve->port,
                          errno ? strerror(errno) : "the port is in use, or not allowed");
}

static void wait_for_signal(void)
{
    sigset_t set;
    int signal_number;
    sigemptyset(&set);
    sigaddset(&set, SIGINT);
    sigaddset(&set, SIGTERM);
    while (sigwait(&set, &signal_number) != 0)
        continue;
}

static enum cook_status run(struct serve *serve, struct cook_error *error)
{
    struct MHD_Daemon *daemon;
    sigset_t set;
    sigemptyset(&set);
    sigaddset(&set, SIGINT);
    sigaddset(&set, SIGTERM);
    (void)signal(SIGPIPE, SIG_IGN);
    (void)pthread_sigmask(SIG_BLOCK, &set, NULL); /* before there are threads: they inherit it */
    if (serve->port < 0 || serve->port > 65535)
        return cook_error_set(error, COOK_E_USAGE, "--port takes 0 to 65535, not %d", serve->port);
    enum cook_status status = cook_project_open(&serve->project, &serve->cli.run.project, error);
    if (status == COOK_OK)
        status = start(&daemon, serve, error);
    if (status != COOK_OK)
        return status;
    const union MHD_DaemonInfo *info = MHD_get_daemon_info(daemon, MHD_DAEMON_INFO_BIND_PORT);
    if (info)
        serve->port = info->port;
    const char *address = serve->address ? serve->address : "127.0.0.1";
    fprintf(serve->cli.out, "serving %s on http://%s%s%s:%d/ (Ctrl-C ends it)\n",
            serve->project.name, strchr(address, ':') ? "[" : "", address,
            strchr(address, ':') ? "]" : "", serve->port);
    fflush(serve->cli.out);
    wait_for_signal();
    serve->stopping = 1;
    MHD_stop_daemon(daemon);
    return COOK_OK;
}

int serve_verb(int argc, const char **argv)
{
    struct serve serve = { .port = SERVE_DEFAULT_PORT, .project = { .fd = -1 } };
    struct cook_error error = COOK_ERROR_INIT;
    struct poptOption own[] = {
        { "port", 'p', POPT_ARG_INT, &serve.port, 0, "listen on this port (default 8558; 0: any)", "N" },
        { "bind", 0, POPT_ARG_STRING, &serve.address, 0,
          "listen on this address, not on the loopback interface alone", "ADDRESS" },
        { "host", 0, POPT_ARG_ARGV, &serve.hosts, 0,
          "a further name that browsers may use for this server", "NAME" },
        POPT_TABLEEND
    };
    (void)pthread_mutex_init(&serve.lock, NULL);
    int exit_status =
        cook_cli_begin(&serve.cli, "serve", "[OPTION...]", COOK_CLI_PROJECT, own, argc, argv);
    if (exit_status < 0)
        exit_status = cook_cli_no_arguments(&serve.cli);
    if (exit_status < 0)
        exit_status = cook_cli_finish(&serve.cli, run(&serve, &error), &error);
    serve_views_finish(&serve);
    cook_project_finish(&serve.project);
    cook_cli_free_texts(serve.hosts);
    free(serve.address);
    cook_cli_end(&serve.cli);
    (void)pthread_mutex_destroy(&serve.lock);
    return exit_status;
}
