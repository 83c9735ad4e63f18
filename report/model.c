#include "report/report.h"

#include <math.h>
#include <stdarg.h>
#include <string.h>

/* ---- reading ---- */

const char *report_text(const cJSON *object, const char *key)
{
    const cJSON *item = cJSON_GetObjectItemCaseSensitive(object, key);
    return cJSON_IsString(item) && item->valuestring ? item->valuestring : "";
}

double report_number(const cJSON *object, const char *key)
{
    const cJSON *item = cJSON_GetObjectItemCaseSensitive(object, key);
    return cJSON_IsNumber(item) && isfinite(item->valuedouble) ? item->valuedouble : 0;
}

const char *report_printf(struct report *report, const char *format, ...)
{
    char small[512];
    va_list arguments;
    va_start(arguments, format);
    int length = vsnprintf(small, sizeof(small), format, arguments);
    va_end(arguments);
    if (length < 0)
        return "";
    const char *copy;
    if ((size_t)length < sizeof(small)) {
        copy = cook_arena_strdup(&report->arena, small);
    } else {
        char *large = cook_arena_alloc(&report->arena, (size_t)length + 1);
        va_start(arguments, format);
        if (large)
            (void)vsnprintf(large, (size_t)length + 1, format, arguments);
        va_end(arguments);
        copy = large;
    }
    return copy ? copy : "";
}

/* "undeclared_input" as "undeclared input". */
static char *spaced(const char *text, struct cook_arena *arena)
{
    char *copy = cook_arena_strdup(arena, text);
    for (char *c = copy; c && *c; c++)
        *c = *c == '_' ? ' ' : *c;
    return copy;
}

const char *report_cause(const cJSON *finding, struct cook_arena *arena)
{
    const cJSON *causes = cJSON_GetObjectItemCaseSensitive(finding, "causes");
    const cJSON *first = cJSON_GetArrayItem(causes, 0);
    const char *kind = report_text(first, "kind");
    if (!*kind || strcmp(kind, "unknown") == 0)
        return "cause unknown";
    char *words = spaced(kind, arena);
    char *text = words ? cook_arena_printf(arena, "%s: %s", words, report_text(first, "what")) : NULL;
    return text ? text : "";
}

const char *report_first_difference(const cJSON *finding, struct cook_arena *arena)
{
    const cJSON *list = cJSON_GetObjectItemCaseSensitive(finding, "differences");
    const cJSON *first = cJSON_GetArrayItem(list, 0);
    if (!first) {
        const char *detail = report_text(finding, "detail");
        char *line = cook_arena_strndup(arena, detail, strcspn(detail, "\n"));
        return line ? line : "";
    }
    const char *name = report_text(first, "property");
    if (!*name)
        name = report_text(first, *report_text(first, "object") ? "object" : "section");
    const cJSON *old_value = cJSON_GetObjectItemCaseSensitive(first, "old_value");
    const cJSON *new_value = cJSON_GetObjectItemCaseSensitive(first, "new_value");
    char *text = cJSON_IsString(old_value) && cJSON_IsString(new_value)
                     ? cook_arena_printf(arena, "%s: %s -> %s", name, old_value->valuestring,
                                         new_value->valuestring)
                     : cook_arena_strdup(arena, name);
    return text ? text : "";
}

const char *report_verdict_text(const char *verdict)
{
    static const char *const texts[][2] = {
        { "false_skip", "false skip" },
        { "indeterminate", "indeterminate" },
        { "both", "false skip and indeterminate" },
        { "vanished_replay", "vanished replay" },
    };
    for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++)
        if (strcmp(verdict, texts[i][0]) == 0)
            return texts[i][1];
    return "unknown";
}

/* ---- findings ---- */

/* Beyond this the differences of a finding are left out: a page must open. */
#define MAX_DETAIL_BYTES (24u << 20)

static const char *const states[] = { "new", "known", "masked", "gone" };
#define STATE_COUNT (sizeof(states) / sizeof(states[0]))

static void add_states(cJSON *model, const cJSON *findings)
{
    size_t counts[STATE_COUNT] = { 0 };
    const cJSON *finding;
    cJSON_ArrayForEach(finding, findings)
        for (size_t i = 0; i < STATE_COUNT; i++)
            counts[i] += strcmp(report_text(finding, "state"), states[i]) == 0;
    cJSON *object = cJSON_AddObjectToObject(model, "states");
    for (size_t i = 0; i < STATE_COUNT; i++)
        cJSON_AddNumberToObject(object, states[i], (double)counts[i]);
}

static void set_owner(struct report *report, cJSON *finding)
{
    const char *classes[64];
    size_t count = 0;
    const cJSON *item;
    if (report->owners.count == 0)
        return;
    cJSON_ArrayForEach(item, cJSON_GetObjectItemCaseSensitive(finding, "classes"))
        if (cJSON_IsString(item) && count < sizeof(classes) / sizeof(classes[0]))
            classes[count++] = item->valuestring;
    const char *owner =
        cook_owners_of(&report->owners, report_text(finding, "package"), classes, count);
    cJSON_DeleteItemFromObjectCaseSensitive(finding, "owner");
    if (*owner)
        cJSON_AddStringToObject(finding, "owner", owner);
    else
        cJSON_AddNullToObject(finding, "owner");
}

/* Rough, for the budget of details: cheaper than printing the item. */
static size_t weight(const cJSON *item)
{
    size_t sum = 0;
    for (; item; item = item->next)
        sum += 24 + (item->valuestring ? strlen(item->valuestring) : 0) +
               (item->child ? weight(item->child) : 0);
    return sum;
}

static size_t add_findings(struct report *report, cJSON *model, const cJSON *validation)
{
    const cJSON *source = cJSON_GetObjectItemCaseSensitive(validation, "findings");
    cJSON *findings = cJSON_AddArrayToObject(model, "findings");
    size_t limit = report->limit > 0 ? (size_t)report->limit : 10000;
    size_t count = 0, bytes = 0, bare = 0;
    const cJSON *finding;
    cJSON_ArrayForEach(finding, source) {
        if (count++ >= limit)
            continue;
        cJSON *copy = cJSON_Duplicate(finding, true);
        if (!copy)
            continue;
        set_owner(report, copy);
        cJSON *differences = cJSON_DetachItemFromObjectCaseSensitive(copy, "differences");
        bytes += differences ? weight(differences->child) : 0;
        if (bytes > MAX_DETAIL_BYTES) {
            double dropped = report_number(copy, "dropped_differences");
            cJSON_DeleteItemFromObjectCaseSensitive(copy, "dropped_differences");
            cJSON_AddNumberToObject(copy, "dropped_differences",
                                    dropped + cJSON_GetArraySize(differences));
            cJSON_Delete(differences);
            differences = cJSON_CreateArray();
            bare++;
        }
        cJSON_AddItemToObject(copy, "differences", differences ? differences : cJSON_CreateArray());
        cJSON_AddItemToArray(findings, copy);
    }
    cJSON_AddNumberToObject(model, "dropped_findings", (double)(count > limit ? count - limit : 0));
    add_states(model, source);
    report_add_sources(report, findings);
    return bare;
}

/* ---- the head ---- */

static void add_run(struct report *report, cJSON *model)
{
    static const char *const texts[] = { "started", "content_revision", "code_revision" };
    const cJSON *validation = report->validation;
    cJSON *run = cJSON_AddObjectToObject(model, "run");
    cJSON_AddStringToObject(run, "verb", "incremental-validate");
    if (report->run_id > 0)
        cJSON_AddNumberToObject(run, "id", report->run_id);
    for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++)
        if (*report_text(validation, texts[i]))
            cJSON_AddStringToObject(run, texts[i], report_text(validation, texts[i]));
    cJSON_AddNumberToObject(run, "seconds",
                            report_number(cJSON_GetObjectItemCaseSensitive(validation, "summary"),
                                          "seconds"));
}

static const char *packages_text(struct report *report, double count)
{
    return report_printf(report, "%.0f package%s", count, count == 1 ? "" : "s");
}

static void add_headline(struct report *report, cJSON *model, const cJSON *summary)
{
    double stale = report_number(summary, "false_skips") + report_number(summary, "both");
    double unstable = report_number(summary, "indeterminate");
    double vanished = report_number(summary, "vanished_replays");
    double failed = report_number(summary, "failed");
    double left = report_number(summary, "skippable") - report_number(summary, "validated") - stale -
                  unstable - vanished - failed;
    const char *verdict = "findings";
    const char *text;
    if (stale > 0)
        text = report_printf(report, "%s would ship stale", packages_text(report, stale));
    else if (unstable > 0)
        text = report_printf(report, "Nothing stale, but %s came out differently each time",
                             packages_text(report, unstable));
    else if (vanished > 0)
        text = report_printf(report, "%s would replay messages that are no longer true",
                             packages_text(report, vanished));
    else if (failed > 0 || left > 0) {
        verdict = "incomplete";
        text = report_printf(report, "Nothing was found, but %s were not validated",
                             packages_text(report, failed + (left > 0 ? left : 0)));
    } else {
        verdict = "clean";
        text = report_printf(report, "Clean: all %s that would be skipped came out the same",
                             packages_text(report, report_number(summary, "skippable")));
    }
    cJSON_AddStringToObject(model, "verdict", verdict);
    cJSON_AddStringToObject(model, "headline", text);
}

static void add_number(cJSON *numbers, const char *label, const char *text, const char *detail,
                       const char *level)
{
    cJSON *number = cJSON_CreateObject();
    cJSON_AddStringToObject(number, "label", label);
    cJSON_AddStringToObject(number, "text", text);
    cJSON_AddStringToObject(number, "detail", detail);
    cJSON_AddStringToObject(number, "level", level);
    cJSON_AddItemToArray(numbers, number);
}

static void add_numbers(struct report *report, cJSON *model, const cJSON *summary)
{
    cJSON *numbers = cJSON_AddArrayToObject(model, "numbers");
    double stale = report_number(summary, "false_skips") + report_number(summary, "both");
    double unstable = report_number(summary, "indeterminate") + report_number(summary, "both");
    const cJSON *recooks = cJSON_GetObjectItemCaseSensitive(model, "recooks");
    add_number(numbers, "False skips", report_printf(report, "%.0f", stale),
               report_printf(report, "of %.0f skippable packages, %.0f validated",
                             report_number(summary, "skippable"), report_number(summary, "validated")),
               stale > 0 ? "bad" : "good");
    add_number(numbers, "Indeterminate", report_printf(report, "%.0f", unstable),
               "packages that differ between cooks of the same inputs", unstable > 0 ? "bad" : "good");
    const cJSON *identical = cJSON_GetObjectItemCaseSensitive(recooks, "identical");
    if (cJSON_IsNumber(identical))
        add_number(numbers, "False recooks", report_printf(report, "%.0f", identical->valuedouble),
                   report_printf(report, "of %.0f recooked; %.1f s wasted",
                                 report_number(recooks, "packages"),
                                 report_number(recooks, "wasted_seconds")),
                   identical->valuedouble > 0 ? "bad" : "good");
    else
        add_number(numbers, "False recooks", "not known",
                   "they come with an incremental cook: cook incremental", "unknown");
}

static void note(cJSON *notes, const char *text)
{
    if (*text)
        cJSON_AddItemToArray(notes, cJSON_CreateString(text));
}

static void add_notes(struct report *report, cJSON *model, const cJSON *summary, size_t bare)
{
    cJSON *notes = cJSON_AddArrayToObject(model, "notes");
    double modified = report_number(summary, "modified");
    double dropped = report_number(model, "dropped_findings");
    if (modified > 0)
        note(notes, report_printf(report,
                                  "%s would be recooked by an incremental cook, so validation says "
                                  "nothing about them.", packages_text(report, modified)));
    if (dropped > 0)
        note(notes, report_printf(report, "%.0f findings are left out (--limit).", dropped));
    if (bare > 0)
        note(notes, report_printf(report,
                                  "The differences of %zu findings are left out, so that the page stays "
                                  "quick; see each with: cook report show ID", bare));
    if (!report->cook && !report->modified)
        note(notes, "There is no incremental cook in this report, so recooks and times are not shown.");
    note(notes, "Validation recooks each package once. A clean run does not prove determinism; "
                "cook determinism says how likely a miss remains.");
}

enum cook_status report_model(cJSON **out, struct report *report, struct cook_error *error)
{
    const cJSON *summary = cJSON_GetObjectItemCaseSensitive(report->validation, "summary");
    cJSON *model = cJSON_CreateObject();
    *out = NULL;
    if (!model)
        return cook_error_no_memory(error);
    cJSON_AddStringToObject(model, "schema", "cookproof/report/1");
    cJSON_AddStringToObject(model, "project", report_text(report->validation, "project"));
    cJSON_AddStringToObject(model, "target", report_text(report->validation, "target"));
    add_run(report, model);
    add_headline(report, model, summary);
    report_add_cost(report, model);
    add_numbers(report, model, summary);
    cJSON_AddItemToObject(model, "summary", cJSON_Duplicate(summary, true));
    size_t bare = add_findings(report, model, report->validation);
    cJSON_AddItemToObject(model, "trend", report->trend ? cJSON_Duplicate(report->trend, true)
                                                        : cJSON_CreateArray());
    add_notes(report, model, summary, bare);
    *out = model;
    return COOK_OK;
}
