/* Short, for a chat or a pull request. Names are untrusted: nothing of them becomes markup. */
#include <string.h>

#include "cook/base/text.h"
#include "report/report.h"

#define SHOWN_FINDINGS 20
#define SHOWN_CAUSES   5

/* Text as it is shown (base/text.h), but for what Markdown would take for markup. */
static void put_text(struct cook_buf *out, const char *unsafe, size_t limit)
{
    struct cook_arena arena = COOK_ARENA_INIT;
    const char *text = cook_text_shown(unsafe, &arena);
    out->failed |= !text;
    text = text ? text : "";
    size_t count = 0;
    for (; *text && count < limit; text++, count++) {
        unsigned char c = (unsigned char)*text;
        if (strchr("\\`*_{}[]<>#|~!&@", c))
            cook_buf_printf(out, "\\%c", c);
        else
            cook_buf_put_u8(out, c);
    }
    while (((unsigned char)*text & 0xC0) == 0x80) /* do not cut a character in two */
        cook_buf_put_u8(out, (uint8_t)*text++);
    if (*text)
        cook_buf_printf(out, "...");
    cook_arena_finish(&arena);
}

static void put_states(struct cook_buf *out, const cJSON *model)
{
    static const char *const names[] = { "new", "known", "masked", "gone" };
    const cJSON *states = cJSON_GetObjectItemCaseSensitive(model, "states");
    const char *separator = "";
    for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
        double count = report_number(states, names[i]);
        if (count > 0) {
            cook_buf_printf(out, "%s%.0f %s", separator, count, names[i]);
            separator = ", ";
        }
    }
    if (*separator)
        cook_buf_printf(out, "\n\n");
}

static void put_numbers(struct cook_buf *out, const cJSON *model)
{
    const cJSON *number;
    cJSON_ArrayForEach(number, cJSON_GetObjectItemCaseSensitive(model, "numbers"))
        cook_buf_printf(out, "- %s: **%s** (%s)\n", report_text(number, "label"),
                        report_text(number, "text"), report_text(number, "detail"));
    cook_buf_printf(out, "\n");
}

static void put_finding(struct cook_buf *out, const cJSON *finding, struct cook_arena *arena)
{
    cook_buf_printf(out, "| %s | ", report_verdict_text(report_text(finding, "verdict")));
    put_text(out, report_text(finding, "state"), 16);
    cook_buf_printf(out, " | ");
    put_text(out, report_text(finding, "package"), 200);
    cook_buf_printf(out, " | ");
    put_text(out, report_first_difference(finding, arena), 160);
    cook_buf_printf(out, " | ");
    put_text(out, report_cause(finding, arena), 200);
    cook_buf_printf(out, " | ");
    put_text(out, report_text(finding, "owner"), 80);
    cook_buf_printf(out, " | `");
    put_text(out, report_text(finding, "id"), 32);
    cook_buf_printf(out, "` |\n");
}

static void put_findings(struct cook_buf *out, const cJSON *model, struct cook_arena *arena)
{
    const cJSON *findings = cJSON_GetObjectItemCaseSensitive(model, "findings");
    int count = cJSON_GetArraySize(findings);
    int shown = 0;
    const cJSON *finding;
    if (count == 0)
        return;
    cook_buf_printf(out, "| verdict | state | package | first difference | cause | owner | id |\n"
                         "| --- | --- | --- | --- | --- | --- | --- |\n");
    cJSON_ArrayForEach(finding, findings)
        if (shown++ < SHOWN_FINDINGS)
            put_finding(out, finding, arena);
    double left = count - (shown < SHOWN_FINDINGS ? shown : SHOWN_FINDINGS) +
                  report_number(model, "dropped_findings");
    if (left > 0)
        cook_buf_printf(out, "\nand %.0f more: `cook report html --output report.html`\n", left);
    cook_buf_printf(out, "\nOne of them in full: `cook report show ID`\n");
}

static void put_causes(struct cook_buf *out, const cJSON *model)
{
    const cJSON *causes = cJSON_GetObjectItemCaseSensitive(model, "recook_causes");
    int shown = 0;
    const cJSON *cause;
    if (cJSON_GetArraySize(causes) == 0)
        return;
    cook_buf_printf(out, "\nWhy packages were recooked:\n\n");
    cJSON_ArrayForEach(cause, causes) {
        if (shown++ == SHOWN_CAUSES)
            break;
        cook_buf_printf(out, "- ");
        put_text(out, report_text(cause, "what"), 200);
        cook_buf_printf(out, ": %.0f\n", report_number(cause, "packages"));
    }
}

enum cook_status report_markdown(struct report *report, const cJSON *model, struct cook_error *error)
{
    struct cook_buf out = COOK_BUF_INIT;
    const cJSON *run = cJSON_GetObjectItemCaseSensitive(model, "run");
    cook_buf_printf(&out, "### ");
    put_text(&out, report_text(model, "project"), 80);
    cook_buf_printf(&out, " for ");
    put_text(&out, report_text(model, "target"), 80);
    cook_buf_printf(&out, ": %s\n\n", report_text(model, "headline"));
    if (*report_text(run, "content_revision")) {
        cook_buf_printf(&out, "Content ");
        put_text(&out, report_text(run, "content_revision"), 64);
        cook_buf_printf(&out, "\n\n");
    }
    put_numbers(&out, model);
    put_states(&out, model);
    put_findings(&out, model, &report->arena);
    put_causes(&out, model);
    enum cook_status status =
        out.failed ? cook_error_no_memory(error) : report_write(report, out.data, out.size, error);
    cook_buf_finish(&out);
    return status;
}
