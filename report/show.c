/* One finding of the history, as text or as its document. */
#include <string.h>

#include "cook/cli/recording.h"
#include "report/report.h"

static enum cook_status find_in(struct cook_history *history, struct report *report,
                                struct cook_history_finding *finding,
                                struct cook_history_run *run, const char *text,
                                struct cook_error *error)
{
    char id[COOK_HISTORY_ID_SIZE];
    struct cook_history_finding *rows;
    size_t count = 0;
    enum cook_status status = cook_history_resolve(history, id, text, error);
    if (status == COOK_OK)
        status = cook_history_finding(history, &rows, &count, id, 0, &report->arena, error);
    if (status == COOK_OK && !count)
        return cook_error_set(
            error, COOK_E_NOT_FOUND,
            "finding %s is known by its id alone: its runs were dropped for their "
            "age",
            id);
    if (status != COOK_OK)
        return status;
    *finding = rows[0];
    for (size_t i = 0; i < count && !*finding->json; i++)
        finding->json = rows[i].json;
    return cook_history_run(history, run, finding->run, &report->arena, error);
}

enum cook_status report_find_finding(struct report *report,
                                     struct cook_history_finding *finding,
                                     struct cook_history_run *run, const char *text,
                                     struct cook_error *error)
{
    struct cook_history *history = NULL;
    enum cook_status status = report_open_project(report, error);
    if (status == COOK_OK)
        status = cook_history_open_read(&history, report->project.fd, error);
    if (status == COOK_E_NOT_FOUND && report->has_project)
        return cook_error_set(error, COOK_E_USAGE,
                              "nothing is recorded yet; run: cook incremental-validate");
    if (status == COOK_OK)
        status = find_in(history, report, finding, run, text, error);
    if (status ==
        COOK_E_NOT_FOUND) /* an id that is not there is a mistake of the command line */
        status = COOK_E_USAGE;
    cook_history_close(history);
    return status;
}

static void print_difference(struct cook_buf *out, const cJSON *difference)
{
    const char *old_value = report_text(difference, "old_value");
    const char *new_value = report_text(difference, "new_value");
    if (cJSON_IsNumber(cJSON_GetObjectItemCaseSensitive(difference, "consequence_of")))
        return;
    cook_buf_printf(out, "    %s: %s -> %s\n", report_text(difference, "property"),
                    *old_value ? old_value : "nothing", *new_value ? new_value : "nothing");
    const cJSON *frame =
        cJSON_GetArrayItem(cJSON_GetObjectItemCaseSensitive(difference, "new_stack"), 0);
    if (frame)
        cook_buf_printf(out, "        new at %s (%s:%.0f)\n", report_text(frame, "function"),
                        report_text(frame, "file"), report_number(frame, "line"));
}

static void print_finding(struct cook_buf *out, struct report *report, const cJSON *json,
                          const struct cook_history_finding *finding,
                          const struct cook_history_run *run)
{
    char time[COOK_RECORDING_TIME_SIZE];
    const cJSON *item;
    cook_recording_time(time, run->started_ns);
    cook_buf_printf(out, "%s: %s  [%s, %s]\n", report_verdict_text(finding->verdict),
                    finding->package, finding->id, finding->state);
    if (*report_text(json, "reason"))
        cook_buf_printf(out, "    %s\n", report_text(json, "reason"));
    cook_buf_printf(out, "    first seen %s; last spoken of by run %lld, %s\n",
                    report_text(json, "first_seen"), (long long)run->id, time);
    cook_buf_printf(out, "    %s\n", report_cause(json, &report->arena));
    cJSON_ArrayForEach(item, cJSON_GetObjectItemCaseSensitive(json, "differences"))
        print_difference(out, item);
    if (*report_text(json, "fix"))
        cook_buf_printf(out, "    fix: %s\n", report_text(json, "fix"));
    if (*report_text(json, "reproduce"))
        cook_buf_printf(out, "    reproduce: %s\n", report_text(json, "reproduce"));
    if (strcmp(run->verb, "determinism") != 0) /* it keeps no results to pass on */
        cook_buf_printf(out, "    pass on: cook report bundle %s\n", finding->id);
}

enum cook_status report_show(struct report *report, const char *const *operands,
                             struct cook_error *error)
{
    struct cook_history_finding finding;
    struct cook_history_run run;
    struct cook_buf out = COOK_BUF_INIT;
    if (!operands[0] || operands[1])
        return cook_error_set(error, COOK_E_USAGE,
                              "cook report show takes the id of a finding");
    enum cook_status status = report_find_finding(report, &finding, &run, operands[0], error);
    if (status != COOK_OK)
        return status;
    cJSON *json = cJSON_Parse(finding.json);
    print_finding(&out, report, json, &finding, &run);
    if (cJSON_IsObject(json)) {
        cJSON_DeleteItemFromObjectCaseSensitive(json, "schema");
        cJSON_AddStringToObject(json, "schema", "cookproof/finding/1");
        status = cook_cli_write_json(&report->cli, json, error);
    }
    if (status == COOK_OK)
        fputs(cook_buf_text(&out), report->cli.out);
    cJSON_Delete(json);
    cook_buf_finish(&out);
    return status;
}
