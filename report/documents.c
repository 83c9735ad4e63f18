#include "report/report.h"

#include <fcntl.h>
#include <string.h>
#include <time.h>

#include "cook/base/fs.h"
#include "cook/plan/explanation_json.h"
#include "cook/store/history.h"

#define VALIDATION "incremental-validate"
#define TREND_RUNS 60
#define MAX_BYTES (UINT64_C(1) << 30)

void report_add_time(cJSON *object, const char *key, int64_t ns)
{
    char text[32];
    struct tm tm;
    time_t seconds = (time_t)(ns / 1000000000);
    cJSON_DeleteItemFromObjectCaseSensitive(object, key);
    if (ns <= 0 || !gmtime_r(&seconds, &tm) ||
        strftime(text, sizeof(text), "%Y-%m-%dT%H:%M:%SZ", &tm) == 0)
        cJSON_AddNullToObject(object, key);
    else
        cJSON_AddStringToObject(object, key, text);
}

enum cook_status report_read_document(cJSON **out, const char *path, struct cook_error *error)
{
    struct cook_buf text = COOK_BUF_INIT;
    *out = NULL;
    enum cook_status status = cook_fs_read(&text, NULL, AT_FDCWD, path, MAX_BYTES, error);
    if (status == COOK_OK) {
        *out = cJSON_ParseWithLength((const char *)text.data, text.size);
        if (!cJSON_IsObject(*out))
            status = cook_error_set(error, COOK_E_MALFORMED, "%s: not a JSON document of cook", path);
    }
    if (status != COOK_OK) {
        cJSON_Delete(*out);
        *out = NULL;
    }
    cook_buf_finish(&text);
    return status;
}

/* The place of a document by its schema; NULL for one that a report has no use for. */
static cJSON **place_of(struct report *report, const char *schema)
{
    static const struct {
        const char *schema;
        size_t offset;
    } places[] = {
        { "cookproof/incremental-validate/1", offsetof(struct report, validation) },
        { "cookproof/incremental/1", offsetof(struct report, cook) },
        { "cookproof/full/1", offsetof(struct report, cook) },
        { "cookproof/explain-modified/1", offsetof(struct report, modified) },
    };
    for (size_t i = 0; i < sizeof(places) / sizeof(places[0]); i++)
        if (strcmp(schema, places[i].schema) == 0)
            return (cJSON **)(void *)((char *)report + places[i].offset);
    return NULL;
}

static enum cook_status load_file(struct report *report, const char *path, struct cook_error *error)
{
    cJSON *document;
    enum cook_status status = report_read_document(&document, path, error);
    if (status != COOK_OK)
        return status;
    const char *schema = report_text(document, "schema");
    cJSON **place = place_of(report, schema);
    if (place && !*place) {
        *place = document;
        return COOK_OK;
    }
    status = cook_error_set(error, COOK_E_USAGE,
                            place ? "%s: a second document of schema %s"
                                  : "%s: a report cannot be made of schema '%s'; it takes documents of "
                                    "incremental-validate, incremental, full and explain modified",
                            path, schema);
    cJSON_Delete(document);
    return status;
}

static enum cook_status load_files(struct report *report, const char *const *paths,
                                   struct cook_error *error)
{
    enum cook_status status = COOK_OK;
    for (size_t i = 0; status == COOK_OK && paths[i]; i++)
        status = load_file(report, paths[i], error);
    if (status == COOK_OK && !report->validation)
        return cook_error_set(error, COOK_E_USAGE,
                              "no document of a validation; make one with: "
                              "cook incremental-validate --json FILE");
    return status;
}

/* ---- the history ---- */

/* The run asked for, or the newest validation of the target. */
static enum cook_status find_validation(struct cook_history_run *run, struct report *report,
                                        struct cook_history *history, struct cook_error *error)
{
    const struct cook_history_filter filter = { .verb = VALIDATION,
                                                .target = report->project.target,
                                                .limit = 1 };
    struct cook_history_run *runs;
    size_t count;
    int64_t id = report->run_id;
    if (id <= 0) {
        enum cook_status status =
            cook_history_runs(history, &runs, &count, &filter, &report->arena, error);
        if (status != COOK_OK)
            return status;
        if (count == 0)
            return cook_error_set(error, COOK_E_USAGE,
                                  "nothing was validated for target %s; run: cook incremental-validate",
                                  report->project.target);
        id = runs[0].id;
    }
    enum cook_status status = cook_history_run(history, run, id, &report->arena, error);
    if (status == COOK_OK && strcmp(run->verb, VALIDATION) != 0)
        return cook_error_set(error, COOK_E_USAGE, "run %lld is a %s, not a validation",
                              (long long)id, run->verb);
    if (status == COOK_OK && !run->document_json)
        return cook_error_set(error, COOK_E_NOT_FOUND,
                              "the document of run %lld is no longer kept ([History] in the config)",
                              (long long)id);
    return status;
}

static cJSON *trend_row(const struct cook_history_run *run)
{
    static const char *const figures[][2] = { { "false_skip", "false_skips" },
                                              { "indeterminate", "indeterminate" },
                                              { "both", "both" },
                                              { "vanished_replay", "vanished_replays" } };
    cJSON *summary = cJSON_Parse(run->summary_json);
    cJSON *row = cJSON_CreateObject();
    cJSON_AddNumberToObject(row, "run", (double)run->id);
    report_add_time(row, "started", run->started_ns);
    cJSON_AddNumberToObject(row, "seconds", (double)(run->ended_ns - run->started_ns) / 1e9);
    for (size_t i = 0; i < sizeof(figures) / sizeof(figures[0]); i++)
        cJSON_AddNumberToObject(row, figures[i][0], report_number(summary, figures[i][1]));
    cJSON_Delete(summary);
    return row;
}

/* The validations up to the one reported, oldest first. */
static enum cook_status load_trend(struct report *report, struct cook_history *history,
                                   const struct cook_history_run *run, struct cook_error *error)
{
    const struct cook_history_filter filter = { .verb = VALIDATION, .target = run->target,
                                                .before = run->id + 1, .limit = TREND_RUNS };
    struct cook_history_run *runs;
    size_t count;
    enum cook_status status =
        cook_history_runs(history, &runs, &count, &filter, &report->arena, error);
    report->trend = cJSON_CreateArray();
    for (size_t i = count; status == COOK_OK && i-- > 0;)
        cJSON_AddItemToArray(report->trend, trend_row(&runs[i]));
    return status;
}

/* Why that cook recooked what it did; kept by the store for as long as the cook is. */
static void load_explanation(struct report *report, uint32_t cook)
{
    struct cook_store *store;
    struct cook_explanation explanation;
    if (!cook || cook_store_open(&store, report->project.fd, report->project.target, COOK_STORE_READ,
                                 NULL) != COOK_OK)
        return;
    if (cook_store_explanation(store, &explanation, &cook, &report->arena, NULL) == COOK_OK)
        report->modified = cook_explanation_json(&explanation, cook);
    cook_store_close(store);
}

/* The incremental cook that the validation followed; there need not be one. */
static enum cook_status load_cook(struct report *report, struct cook_history *history,
                                  const struct cook_history_run *validation,
                                  struct cook_error *error)
{
    const struct cook_history_filter filter = { .verb = "incremental", .target = validation->target,
                                                .before = validation->id, .limit = 1 };
    struct cook_history_run *runs, run;
    size_t count;
    enum cook_status status =
        cook_history_runs(history, &runs, &count, &filter, &report->arena, error);
    if (status != COOK_OK || count == 0)
        return status;
    status = cook_history_run(history, &run, runs[0].id, &report->arena, error);
    if (status == COOK_OK && run.document_json)
        report->cook = cJSON_Parse(run.document_json);
    if (status == COOK_OK)
        load_explanation(report, run.cook_id);
    return status;
}

static enum cook_status load_history(struct report *report, struct cook_error *error)
{
    struct cook_history *history;
    struct cook_history_run run = { 0 };
    enum cook_status status = cook_history_open_read(&history, report->project.fd, error);
    if (status == COOK_E_NOT_FOUND)
        return cook_error_set(error, COOK_E_USAGE,
                              "the project has no history yet; run: cook incremental-validate");
    if (status != COOK_OK)
        return status;
    status = find_validation(&run, report, history, error);
    if (status == COOK_OK) {
        report->validation = cJSON_Parse(run.document_json);
        if (!cJSON_IsObject(report->validation))
            status = cook_error_set(error, COOK_E_DAMAGED, "the document of run %lld is damaged",
                                    (long long)run.id);
    }
    if (status == COOK_OK) {
        report->run_id = (int)run.id;
        report_add_time(report->validation, "started", run.started_ns);
        cJSON_DeleteItemFromObjectCaseSensitive(report->validation, "content_revision");
        cJSON_DeleteItemFromObjectCaseSensitive(report->validation, "code_revision");
        cJSON_AddStringToObject(report->validation, "content_revision", run.content_revision);
        cJSON_AddStringToObject(report->validation, "code_revision", run.code_revision);
        status = load_trend(report, history, &run, error);
    }
    if (status == COOK_OK)
        status = load_cook(report, history, &run, error);
    cook_history_close(history);
    return status;
}

enum cook_status report_load(struct report *report, const char *const *paths,
                             struct cook_error *error)
{
    return paths[0] ? load_files(report, paths, error) : load_history(report, error);
}
