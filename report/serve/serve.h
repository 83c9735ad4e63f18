/*
 * cook serve: the dashboard. A web server on the loopback interface, read-only, that shows the stores of
 * a project's targets: cooks, packages, one package with its dependencies and referrers, findings,
 * artifacts, and the progress of a running cook.
 *
 * Every page is made in the browser from a JSON document under /api, so what people see, programs can read.
 * Requests name packages, cooks and artifacts, which are looked up in the store: no path from a request
 * reaches the file system. A request must name a host that this server goes by, so that a foreign page
 * cannot reach it under a name of its own (DNS rebinding).
 *
 * Threads: one a connection (libmicrohttpd); the stores are used under one lock.
 */
#ifndef REPORT_SERVE_SERVE_H
#define REPORT_SERVE_SERVE_H

#include <pthread.h>

#include <cjson/cJSON.h>

#include "cook/cli/cli.h"

#define SERVE_STORES       "Saved/Cook"
#define SERVE_DEFAULT_PORT 8558
#define SERVE_MAX_TARGETS  16
#define SERVE_MAX_PAGE     500 /* entries of a list in one answer */

/* A target's store as last opened, and what was computed from it. */
struct serve_view {
    char *target;
    struct cook_store *store;
    const struct cook_state *state;
    uint64_t stamp[6];      /* of cook.db, its log and the index: others mean open again */
    int64_t opened_ns;      /* monotonic: opened again once a second at most */
    uint32_t *referrer_first; /* by package: into referrers; one more than packages; NULL until asked for */
    uint32_t *referrers;
};

struct serve {
    struct cook_cli cli;
    struct cook_project project;
    pthread_mutex_t lock;
    struct serve_view views[SERVE_MAX_TARGETS];
    size_t view_count;
    char *address;          /* --bind */
    char **hosts;           /* --host: further names that requests may use */
    int port;
    volatile int stopping;
};

/* One request for JSON. A handler fills `document`, or sets `status` and `reason`. */
struct serve_request {
    struct serve *serve;
    const char *(*parameter)(void *user, const char *name); /* NULL when absent */
    void *user;
    const char *target;      /* ?target=, or the project's own */
    struct serve_view *view; /* its store; NULL for progress */
    struct cook_arena arena;
    cJSON *document;
    unsigned status;    /* HTTP */
    const char *reason; /* for people, where status is no success */
    /* of downloads */
    struct cook_buf bytes;
    const char *file_name;
};
const char *serve_parameter(const struct serve_request *request, const char *name); /* "" */
uint64_t serve_parameter_number(const struct serve_request *request, const char *name,
                                uint64_t fallback, uint64_t limit);
void serve_fail(struct serve_request *request, unsigned status, const char *reason);

/* ---- views (view.c) ---- */

/* Whether a target has a store, or is the project's own and may get one: only then may its name become
 * part of a path. COOK_E_NOT_FOUND. */
enum cook_status serve_check_target(struct serve *serve, const char *target,
                                    struct cook_error *error) COOK_CHECK_RESULT;
/* The view of a target, opened again where the store changed. COOK_E_NOT_FOUND: no such store. */
enum cook_status serve_view_of(struct serve_view **out, struct serve *serve, const char *target,
                               struct cook_error *error) COOK_CHECK_RESULT;
/* The targets that have a store, sorted, in `arena`. */
enum cook_status serve_targets(const char ***targets, size_t *count, struct serve *serve,
                               struct cook_arena *arena, struct cook_error *error) COOK_CHECK_RESULT;
/* The packages that refer to one: `*first` of `*count`, sorted by id. Computed once a view. */
enum cook_status serve_referrers(const uint32_t **first, size_t *count, struct serve_view *view,
                                 uint32_t package) COOK_CHECK_RESULT;
void serve_views_finish(struct serve *serve);

/* ---- answers ---- */

void serve_overview(struct serve_request *request);
void serve_cooks(struct serve_request *request);
void serve_cook(struct serve_request *request);
void serve_artifacts(struct serve_request *request);
void serve_packages(struct serve_request *request);
void serve_package(struct serve_request *request);
void serve_findings(struct serve_request *request);
void serve_finding(struct serve_request *request);
void serve_history(struct serve_request *request);
void serve_progress(struct serve_request *request);
/* Downloads: `bytes` and `file_name`. */
void serve_package_bytes(struct serve_request *request);
void serve_artifact_bytes(struct serve_request *request);

/*
 * The progress of whatever cooks a target as server-sent events, until the server stops: one when it
 * changed, and a comment now and then, so that a reader that went away is noticed (progress.c). NULL when
 * memory is short. The other two are callbacks of a response.
 */
struct serve_stream;
#define SERVE_STREAM_END ((ssize_t)-1)
struct serve_stream *serve_stream_create(struct serve *serve, const char *target);
ssize_t serve_stream_read(void *stream, uint64_t position, char *out, size_t max);
void serve_stream_destroy(void *stream);

/* Adding to documents. */
void serve_add_targets(struct serve_request *request); /* "targets": those with a store */
void serve_add_hash(cJSON *object, const char *key, struct cook_hash hash);
void serve_add_json(cJSON *object, const char *key, const char *text); /* parsed; null when broken */

int serve_verb(int argc, const char **argv);

#endif
