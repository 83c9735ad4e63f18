/* Findings and runs of the history, and the progress of a running cook. */
#include <errno.h>
#include <signal.h>
#include <string.h>
#include <time.h>

#include "cook/base/fs.h"
#include "cook/plan/progress.h"
#include "cook/store/history.h"
#include "report/report.h"
#include "report/serve/serve.h"

#define STALE_NS INT64_C(10000000000)
#define MAX_BYTES 65536

/* Whether the process that wrote the progress is still at it. */
static bool is_live(const cJSON *progress, const struct cook_file_stat *stat)
{
    const cJSON *process = cJSON_GetObjectItemCaseSensitive(progress, "process");
    struct timespec now;
    if (!cJSON_IsNumber(process) || process->valuedouble < 1 || process->valuedouble > INT32_MAX)
        return false;
    (void)clock_gettime(CLOCK_REALTIME, &now);
    int64_t age = (int64_t)now.tv_sec * 1000000000 + now.tv_nsec - stat->mtime_ns;
    return age < STALE_NS && (kill((pid_t)process->valuedouble, 0) == 0 || errno == EPERM);
}

void serve_progress_text(struct cook_buf *out, struct serve *serve, const char *target)
{
    char path[512];
    struct cook_file_stat stat;
    struct cook_buf text = COOK_BUF_INIT;
    cJSON *progress = NULL;
    int length = snprintf(path, sizeof(path), "Saved/Cook/%s/" COOK_PROGRESS_FILE, target);
    if (length > 0 && (size_t)length < sizeof(path) &&
        cook_fs_read(&text, &stat, serve->project.fd, path, MAX_BYTES, NULL) == COOK_OK)
        progress = cJSON_ParseWithLength((const char *)text.data, text.size);
    if (cJSON_IsObject(progress) && is_live(progress, &stat)) {
        cJSON_AddBoolToObject(progress, "running", true);
        char *json = cJSON_PrintUnformatted(progress);
        cook_buf_printf(out, "%s", json ? json : "{\"running\":false}");
        cJSON_free(json);
    } else {
        cook_buf_printf(out, "{\"running\":false}");
    }
    cJSON_Delete(progress);
    cook_buf_finish(&text);
}

void serve_progress(struct serve_request *request)
{
    struct cook_buf text = COOK_BUF_INIT;
    serve_progress_text(&text, request->serve, request->view->target);
    serve_add_json(request->document, "progress", cook_buf_text(&text));
    cook_buf_finish(&text);
}

/* ---- the history ---- */

/* COOK_E_NOT_FOUND where the project has none yet; other failures are the request's answer. */
static enum cook_status open_history(struct cook_history **history, struct serve_request *request)
{
    struct cook_error error = COOK_ERROR_INIT;
    enum cook_status status =
        cook_history_open_read(history, request->serve->project.fd, &error);
    if (status != COOK_OK && status != COOK_E_NOT_FOUND)
        serve_fail(request, 500, cook_arena_strdup(&request->arena, error.message));
    return status;
}

static cJSON *run_json(const struct cook_history_run *run)
{
    cJSON *json = cJSON_CreateObject();
    cJSON_AddNumberToObject(json, "id", (double)run->id);
    cJSON_AddStringToObject(json, "verb", run->verb);
    cJSON_AddStringToObject(json, "target", run->target);
    cJSON_AddNumberToObject(json, "cook", run->cook_id);
    report_add_time(json, "started", run->started_ns);
    cJSON_AddNumberToObject(json, "seconds", (double)(run->ended_ns - run->started_ns) / 1e9);
    cJSON_AddNumberToObject(json, "exit_status", run->exit_status);
    cJSON_AddStringToObject(json, "content_revision", run->content_revision);
    cJSON_AddStringToObject(json, "code_revision", run->code_revision);
    serve_add_json(json, "summary", run->summary_json);
    return json;
}

void serve_history(struct serve_request *request)
{
    struct cook_history *history;
    struct cook_history_run *runs;
    size_t count;
    const struct cook_history_filter filter = {
        .before = (int64_t)serve_parameter_number(request, "before", 0, INT64_MAX),
        .limit = (uint32_t)serve_parameter_number(request, "limit", 100, SERVE_MAX_PAGE)
    };
    cJSON *list = cJSON_AddArrayToObject(request->document, "runs");
    if (open_history(&history, request) != COOK_OK)
        return;
    if (cook_history_runs(history, &runs, &count, &filter, &request->arena, NULL) == COOK_OK)
        for (size_t i = 0; i < count; i++)
            cJSON_AddItemToArray(list, run_json(&runs[i]));
    else
        serve_fail(request, 500, "the history cannot be read");
    cook_history_close(history);
}

static cJSON *finding_json(struct cook_history *history, const struct cook_history_finding *finding)
{
    int64_t first_ns = 0, run;
    cJSON *json = cJSON_CreateObject();
    cJSON_AddStringToObject(json, "id", finding->id);
    cJSON_AddStringToObject(json, "package", finding->package);
    cJSON_AddStringToObject(json, "property", finding->property);
    cJSON_AddStringToObject(json, "verdict", finding->verdict);
    cJSON_AddStringToObject(json, "state", finding->state);
    cJSON_AddStringToObject(json, "owner", finding->owner);
    cJSON_AddStringToObject(json, "group", finding->group);
    cJSON_AddStringToObject(json, "cause", finding->cause);
    if (cook_history_first_seen(history, finding->id, &first_ns, &run, NULL) == COOK_OK)
        report_add_time(json, "first_seen", first_ns);
    return json;
}

/* Where nothing was validated yet, which is no error: there is no run. */
static void add_no_findings(cJSON *document)
{
    cJSON_AddNullToObject(document, "run");
    cJSON_AddNumberToObject(document, "total", 0);
    cJSON_AddArrayToObject(document, "findings");
}

/* The findings of the newest validation of the target. */
static enum cook_status add_findings(struct serve_request *request, struct cook_history *history)
{
    const struct cook_history_filter filter = { .verb = "incremental-validate",
                                                .target = request->view->target,
                                                .limit = 1 };
    struct cook_history_finding *findings;
    struct cook_history_run *runs;
    size_t count;
    enum cook_status status =
        cook_history_runs(history, &runs, &count, &filter, &request->arena, NULL);
    if (status != COOK_OK)
        return status;
    if (count == 0) {
        add_no_findings(request->document);
        return COOK_OK;
    }
    cJSON_AddItemToObject(request->document, "run", run_json(&runs[0]));
    status = cook_history_findings(history, &findings, &count, runs[0].id, &request->arena, NULL);
    if (status != COOK_OK)
        return status;
    uint64_t offset = serve_parameter_number(request, "offset", 0, UINT32_MAX);
    uint64_t limit = serve_parameter_number(request, "limit", 100, SERVE_MAX_PAGE);
    cJSON *list = cJSON_AddArrayToObject(request->document, "findings");
    cJSON_AddNumberToObject(request->document, "total", (double)count);
    for (uint64_t i = offset; i < count && i - offset < limit; i++)
        cJSON_AddItemToArray(list, finding_json(history, &findings[i]));
    return COOK_OK;
}

void serve_findings(struct serve_request *request)
{
    struct cook_history *history;
    enum cook_status status = open_history(&history, request);
    if (status == COOK_E_NOT_FOUND)
        add_no_findings(request->document);
    if (status != COOK_OK)
        return;
    if (add_findings(request, history) != COOK_OK)
        serve_fail(request, 500, "the history cannot be read");
    cook_history_close(history);
}

/* One finding as it was reported last, with its differences. */
void serve_finding(struct serve_request *request)
{
    struct cook_history *history;
    struct cook_history_finding *findings;
    size_t count = 0;
    enum cook_status status = open_history(&history, request);
    if (status == COOK_E_NOT_FOUND)
        serve_fail(request, 404, "the project has no history yet");
    if (status != COOK_OK)
        return;
    if (cook_history_finding(history, &findings, &count, serve_parameter(request, "id"), 1,
                             &request->arena, NULL) == COOK_OK && count)
        serve_add_json(request->document, "finding", findings[0].json);
    else
        serve_fail(request, 404, "no finding has that id");
    cook_history_close(history);
}
