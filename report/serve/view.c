#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "cook/base/fs.h"
#include "cook/plan/run.h"
#include "report/serve/serve.h"

#define REOPEN_AFTER_NS INT64_C(1000000000)

static int64_t monotonic_ns(void)
{
    struct timespec now;
    (void)clock_gettime(CLOCK_MONOTONIC, &now);
    return (int64_t)now.tv_sec * 1000000000 + now.tv_nsec;
}

static void stamp_of(uint64_t stamp[6], int project_fd, const char *target)
{
    static const char *const files[] = { "cook.db", "cook.db-wal", "index.bin" };
    memset(stamp, 0, 6 * sizeof(*stamp));
    for (size_t i = 0; i < sizeof(files) / sizeof(files[0]); i++) {
        char path[512];
        struct cook_file_stat stat;
        int length = snprintf(path, sizeof(path), SERVE_STORES "/%s/%s", target, files[i]);
        if (length < 0 || (size_t)length >= sizeof(path) ||
            cook_fs_stat(&stat, project_fd, path, NULL) != COOK_OK)
            continue;
        stamp[2 * i] = (uint64_t)stat.mtime_ns ^ stat.inode;
        stamp[2 * i + 1] = stat.size_bytes;
    }
}

static void close_view(struct serve_view *view)
{
    cook_store_close(view->store);
    cook_free(view->referrer_first);
    cook_free(view->referrers);
    view->store = NULL;
    view->state = NULL;
    view->referrer_first = NULL;
    view->referrers = NULL;
}

static enum cook_status open_view(struct serve_view *view, struct serve *serve,
                                  struct cook_error *error)
{
    uint64_t stamp[6];
    int64_t now = monotonic_ns();
    if (view->store && now - view->opened_ns < REOPEN_AFTER_NS)
        return COOK_OK;
    stamp_of(stamp, serve->project.fd, view->target);
    view->opened_ns = now;
    if (view->store && memcmp(stamp, view->stamp, sizeof(stamp)) == 0)
        return COOK_OK;
    close_view(view);
    memcpy(view->stamp, stamp, sizeof(stamp));
    enum cook_status status = cook_store_open(&view->store, serve->project.fd, view->target,
                                              COOK_STORE_READ, error);
    if (status == COOK_OK)
        view->state = cook_store_state(view->store);
    return status;
}

enum cook_status serve_targets(const char ***targets, size_t *count, struct serve *serve,
                               struct cook_arena *arena, struct cook_error *error)
{
    struct cook_folder_entry *entries;
    size_t entry_count;
    *count = 0;
    *targets = NULL;
    enum cook_status status =
        cook_fs_list(&entries, &entry_count, arena, serve->project.fd, SERVE_STORES, error);
    if (status == COOK_E_NOT_FOUND)
        return COOK_OK;
    if (status != COOK_OK)
        return status;
    *targets = cook_arena_alloc(arena, (entry_count + 1) * sizeof(**targets));
    if (!*targets)
        return cook_error_no_memory(error);
    for (size_t i = 0; i < entry_count; i++) {
        char path[512];
        struct cook_file_stat stat;
        int length = snprintf(path, sizeof(path), SERVE_STORES "/%s/cook.db", entries[i].name);
        if (entries[i].kind == COOK_FILE_FOLDER && length > 0 && (size_t)length < sizeof(path) &&
            cook_fs_stat(&stat, serve->project.fd, path, NULL) == COOK_OK &&
            stat.kind == COOK_FILE_REGULAR)
            (*targets)[(*count)++] = entries[i].name;
    }
    return COOK_OK;
}

static struct serve_view *find_view(struct serve *serve, const char *target)
{
    for (size_t i = 0; i < serve->view_count; i++)
        if (strcmp(serve->views[i].target, target) == 0)
            return &serve->views[i];
    return NULL;
}

/* What a request says is compared, never opened. */
static enum cook_status has_store(bool *has, struct serve *serve, const char *target,
                                  struct cook_error *error)
{
    struct cook_arena arena = COOK_ARENA_INIT;
    const char **targets;
    size_t count;
    *has = false;
    enum cook_status status = serve_targets(&targets, &count, serve, &arena, error);
    for (size_t i = 0; status == COOK_OK && i < count; i++)
        *has |= strcmp(targets[i], target) == 0;
    cook_arena_finish(&arena);
    return status;
}

static enum cook_status no_such_target(const char *target, struct cook_error *error)
{
    return cook_error_set(error, COOK_E_NOT_FOUND, "there is no cook of target %s", target);
}

enum cook_status serve_check_target(struct serve *serve, const char *target,
                                    struct cook_error *error)
{
    bool known;
    if (strcmp(target, serve->project.target) == 0)
        return COOK_OK;
    enum cook_status status = has_store(&known, serve, target, error);
    return status == COOK_OK && !known ? no_such_target(target, error) : status;
}

enum cook_status serve_view_of(struct serve_view **out, struct serve *serve, const char *target,
                               struct cook_error *error)
{
    bool known;
    *out = NULL;
    enum cook_status status = has_store(&known, serve, target, error);
    if (status != COOK_OK)
        return status;
    struct serve_view *view = find_view(serve, target);
    if (!known || (!view && serve->view_count == SERVE_MAX_TARGETS))
        return no_such_target(target, error);
    if (!view) {
        char *name = strdup(target);
        if (!name)
            return cook_error_no_memory(error);
        view = &serve->views[serve->view_count++];
        *view = (struct serve_view){ .target = name };
    }
    status = open_view(view, serve, error);
    if (status == COOK_OK)
        *out = view;
    return status;
}

void serve_views_finish(struct serve *serve)
{
    for (size_t i = 0; i < serve->view_count; i++) {
        close_view(&serve->views[i]);
        free(serve->views[i].target);
    }
    serve->view_count = 0;
}

/* ---- referrers ---- */

/* Two passes over all edges: count them by target, then put each in its place. */
static enum cook_status walk_edges(struct serve_view *view, uint32_t *fill)
{
    for (uint32_t package = 0; package < view->state->packages_count; package++) {
        struct cook_arena arena = COOK_ARENA_INIT;
        struct cook_edge_row *edges;
        size_t count;
        enum cook_status status = cook_edges_read(&edges, &count, view->state, package, &arena);
        for (size_t i = 0; status == COOK_OK && i < count; i++) {
            uint32_t target = edges[i].package;
            if (target == COOK_ID_NONE)
                continue;
            if (fill)
                view->referrers[fill[target]++] = package;
            else
                view->referrer_first[target + 1]++;
        }
        cook_arena_finish(&arena);
        if (status != COOK_OK)
            return status;
    }
    return COOK_OK;
}

static enum cook_status make_referrers(struct serve_view *view)
{
    size_t packages = view->state->packages_count;
    view->referrer_first = cook_calloc(packages + 1, sizeof(uint32_t));
    enum cook_status status = view->referrer_first ? walk_edges(view, NULL) : COOK_E_NO_MEMORY;
    if (status != COOK_OK)
        return status;
    for (size_t i = 0; i < packages; i++)
        view->referrer_first[i + 1] += view->referrer_first[i];
    view->referrers = cook_calloc((size_t)view->referrer_first[packages] + 1, sizeof(uint32_t));
    uint32_t *fill = cook_calloc(packages + 1, sizeof(uint32_t));
    if (view->referrers && fill) {
        memcpy(fill, view->referrer_first, packages * sizeof(uint32_t));
        status = walk_edges(view, fill);
    } else {
        status = COOK_E_NO_MEMORY;
    }
    cook_free(fill);
    return status;
}

enum cook_status serve_referrers(const uint32_t **first, size_t *count, struct serve_view *view,
                                 uint32_t package)
{
    *first = NULL;
    *count = 0;
    if (!view->referrers) {
        cook_free(view->referrer_first);
        view->referrer_first = NULL;
        enum cook_status status = make_referrers(view);
        if (status != COOK_OK)
            return status;
    }
    *first = view->referrers + view->referrer_first[package];
    *count = view->referrer_first[package + 1] - view->referrer_first[package];
    return COOK_OK;
}
