/*
 * JUnit XML, as CI systems read it (the format of the Ant and Jenkins schemas): a test case per finding,
 * and one for all packages that were found equal.
 */
#include <string.h>

#include "cook/base/text.h"
#include "report/report.h"

/* Text as it is shown (base/text.h); XML 1.0 could not hold controls and broken UTF-8 anyhow. */
static void put_xml(struct cook_buf *out, const char *text)
{
    struct cook_buf shown = COOK_BUF_INIT;
    cook_text_put(&shown, text, strlen(text), COOK_TEXT_LINES);
    for (const char *c = cook_buf_text(&shown); *c; c++) {
        if (*c == '&')
            cook_buf_printf(out, "&amp;");
        else if (*c == '<')
            cook_buf_printf(out, "&lt;");
        else if (*c == '>')
            cook_buf_printf(out, "&gt;");
        else if (*c == '"')
            cook_buf_printf(out, "&quot;");
        else if (*c == '\n')
            cook_buf_printf(out, "&#10;");
        else if (*c == '\t')
            cook_buf_printf(out, "&#9;");
        else
            cook_buf_put_u8(out, (uint8_t)*c);
    }
    out->failed |= shown.failed;
    cook_buf_finish(&shown);
}

static bool state_is(const cJSON *finding, const char *state)
{
    return strcmp(report_text(finding, "state"), state) == 0;
}

static void put_body(struct cook_buf *out, const cJSON *finding, struct cook_arena *arena)
{
    const cJSON *difference;
    put_xml(out, report_cause(finding, arena));
    cook_buf_printf(out, "\n");
    if (*report_text(finding, "fix")) {
        cook_buf_printf(out, "fix: ");
        put_xml(out, report_text(finding, "fix"));
        cook_buf_printf(out, "\n");
    }
    int shown = 0;
    cJSON_ArrayForEach(difference, cJSON_GetObjectItemCaseSensitive(finding, "differences")) {
        if (shown++ == 10)
            break;
        put_xml(out, report_text(difference, "property"));
        cook_buf_printf(out, ": ");
        put_xml(out, report_text(difference, "old_value"));
        cook_buf_printf(out, " -&gt; ");
        put_xml(out, report_text(difference, "new_value"));
        cook_buf_printf(out, "\n");
    }
    put_xml(out, report_text(finding, "detail"));
    cook_buf_printf(out, "\nreproduce: ");
    put_xml(out, report_text(finding, "reproduce"));
}

static void put_case(struct cook_buf *out, const cJSON *finding, struct cook_arena *arena)
{
    const cJSON *classes = cJSON_GetObjectItemCaseSensitive(finding, "classes");
    const cJSON *class = cJSON_GetArrayItem(classes, 0);
    cook_buf_printf(out, "    <testcase classname=\"");
    put_xml(out, cJSON_IsString(class) ? class->valuestring : "package");
    cook_buf_printf(out, "\" name=\"");
    put_xml(out, report_text(finding, "package"));
    cook_buf_printf(out, " %s\" time=\"0\">\n", report_verdict_text(report_text(finding, "verdict")));
    if (state_is(finding, "gone")) {
        cook_buf_printf(out, "      <system-out>gone: ");
        put_body(out, finding, arena);
        cook_buf_printf(out, "</system-out>\n");
    } else if (state_is(finding, "masked")) {
        cook_buf_printf(out, "      <skipped/>\n      <system-out>masked: ");
        put_body(out, finding, arena);
        cook_buf_printf(out, "</system-out>\n");
    } else {
        cook_buf_printf(out, "      <failure type=\"");
        put_xml(out, report_text(finding, "verdict"));
        cook_buf_printf(out, "\" message=\"");
        put_xml(out, report_first_difference(finding, arena));
        cook_buf_printf(out, "\">");
        put_body(out, finding, arena);
        cook_buf_printf(out, "</failure>\n");
    }
    cook_buf_printf(out, "    </testcase>\n");
}

/* One test case stands for the packages that could not be validated. */
static size_t put_failed(struct cook_buf *out, const cJSON *summary)
{
    double failed = report_number(summary, "failed");
    if (failed <= 0)
        return 0;
    cook_buf_printf(out, "    <testcase classname=\"cookproof\" name=\"packages that failed to cook\" "
                         "time=\"0\">\n      <error type=\"failed\" message=\"%.0f packages failed to "
                         "cook, and were not validated\"/>\n    </testcase>\n", failed);
    return 1;
}

enum cook_status report_junit(struct report *report, const cJSON *model, struct cook_error *error)
{
    struct cook_buf cases = COOK_BUF_INIT, out = COOK_BUF_INIT;
    const cJSON *summary = cJSON_GetObjectItemCaseSensitive(model, "summary");
    size_t tests = 1, failures = 0, skipped = 0;
    const cJSON *finding;
    cJSON_ArrayForEach(finding, cJSON_GetObjectItemCaseSensitive(model, "findings")) {
        put_case(&cases, finding, &report->arena);
        tests++;
        skipped += state_is(finding, "masked");
        failures += !state_is(finding, "masked") && !state_is(finding, "gone");
    }
    size_t errors = put_failed(&cases, summary);
    double seconds = report_number(summary, "seconds");
    cook_buf_printf(&out, "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites tests=\"%zu\" "
                          "failures=\"%zu\" errors=\"%zu\" time=\"%.3f\">\n  <testsuite name=\"",
                    tests + errors, failures, errors, seconds);
    put_xml(&out, report_text(model, "project"));
    cook_buf_printf(&out, " for ");
    put_xml(&out, report_text(model, "target"));
    cook_buf_printf(&out, ": incremental-validate\" tests=\"%zu\" failures=\"%zu\" errors=\"%zu\" "
                          "skipped=\"%zu\" time=\"%.3f\">\n    <testcase classname=\"cookproof\" "
                          "name=\"%.0f packages came out the same\" time=\"%.3f\"/>\n",
                    tests + errors, failures, errors, skipped, seconds,
                    report_number(summary, "validated"), seconds);
    cook_buf_put(&out, cases.data, cases.size);
    cook_buf_printf(&out, "  </testsuite>\n</testsuites>\n");
    enum cook_status status = out.failed || cases.failed
                                  ? cook_error_no_memory(error)
                                  : report_write(report, out.data, out.size, error);
    cook_buf_finish(&cases);
    cook_buf_finish(&out);
    return status;
}
