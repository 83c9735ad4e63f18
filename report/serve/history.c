/* Findings and runs of the history. */
#include "cook/store/history.h"
#include "report/report.h"
#include "report/serve/serve.h"

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
