/* What recooks cost, and where the time went. */
#include <stdlib.h>
#include <string.h>

#include "report/report.h"

#define MAX_SLOWEST  200
#define MAX_TIMELINE 2000

/* ---- causes ---- */

static void add_cause(cJSON *list, const cJSON *cause)
{
    cJSON *item = cJSON_CreateObject();
    cJSON_AddStringToObject(item, "what", report_text(cause, "what"));
    cJSON_AddNumberToObject(item, "packages", report_number(cause, "packages"));
    if (cJSON_IsNumber(cJSON_GetObjectItemCaseSensitive(cause, "seconds")))
        cJSON_AddNumberToObject(item, "seconds", report_number(cause, "seconds"));
    if (cJSON_IsNumber(cJSON_GetObjectItemCaseSensitive(cause, "identical")))
        cJSON_AddNumberToObject(item, "identical", report_number(cause, "identical"));
    cJSON_AddItemToArray(list, item);
}

/* An explanation knows outcomes and seconds; the document of the cook only counts packages. */
static void add_causes(struct report *report, cJSON *model)
{
    const cJSON *source = report->modified ? report->modified : report->cook;
    cJSON *list = cJSON_AddArrayToObject(model, "recook_causes");
    const cJSON *cause;
    cJSON_ArrayForEach(cause, cJSON_GetObjectItemCaseSensitive(source, "causes"))
        add_cause(list, cause);
}

static void add_recooks(struct report *report, cJSON *model)
{
    cJSON *recooks = cJSON_AddObjectToObject(model, "recooks");
    double packages = 0, seconds = 0, identical = 0, wasted = 0;
    const cJSON *package;
    if (!report->modified) {
        const cJSON *summary = cJSON_GetObjectItemCaseSensitive(report->cook, "summary");
        cJSON_AddNumberToObject(recooks, "packages", report_number(summary, "recooked"));
        return;
    }
    cJSON_ArrayForEach(package, cJSON_GetObjectItemCaseSensitive(report->modified, "packages")) {
        bool same = strcmp(report_text(package, "outcome"), "identical") == 0;
        packages++;
        seconds += report_number(package, "seconds");
        identical += same;
        wasted += same ? report_number(package, "seconds") : 0;
    }
    cJSON_AddNumberToObject(recooks, "packages", packages);
    cJSON_AddNumberToObject(recooks, "seconds", seconds);
    cJSON_AddNumberToObject(recooks, "identical", identical);
    cJSON_AddNumberToObject(recooks, "wasted_seconds", wasted);
}

/* ---- time ---- */

struct row {
    const cJSON *package;
    double seconds;
    const char *name;
};

static int by_seconds(const void *a, const void *b)
{
    const struct row *x = a, *y = b;
    if (x->seconds != y->seconds)
        return x->seconds < y->seconds ? 1 : -1;
    return strcmp(x->name, y->name);
}

static void add_slowest(cJSON *model, const struct row *rows, size_t count)
{
    static const char *const texts[] = { "name", "result", "reason" };
    cJSON *list = cJSON_AddArrayToObject(model, "slowest");
    for (size_t i = 0; i < count && i < MAX_SLOWEST; i++) {
        cJSON *item = cJSON_CreateObject();
        for (size_t k = 0; k < sizeof(texts) / sizeof(texts[0]); k++)
            cJSON_AddStringToObject(item, texts[k], report_text(rows[i].package, texts[k]));
        cJSON_AddNumberToObject(item, "bytes", report_number(rows[i].package, "bytes"));
        cJSON_AddNumberToObject(item, "seconds", rows[i].seconds);
        cJSON_AddItemToArray(list, item);
    }
}

static void add_timeline(cJSON *model, const struct row *rows, size_t count)
{
    cJSON *list = cJSON_AddArrayToObject(model, "timeline");
    size_t shown = 0, known = 0;
    for (size_t i = 0; i < count; i++) {
        if (!cJSON_IsNumber(cJSON_GetObjectItemCaseSensitive(rows[i].package, "worker")))
            continue;
        known++;
        if (shown == MAX_TIMELINE)
            continue;
        cJSON *item = cJSON_CreateObject();
        cJSON_AddStringToObject(item, "name", rows[i].name);
        cJSON_AddNumberToObject(item, "worker", report_number(rows[i].package, "worker"));
        cJSON_AddNumberToObject(item, "start", report_number(rows[i].package, "start"));
        cJSON_AddNumberToObject(item, "seconds", rows[i].seconds);
        cJSON_AddItemToArray(list, item);
        shown++;
    }
    cJSON_AddNumberToObject(model, "timeline_dropped", (double)(known - shown));
}

void report_add_cost(struct report *report, cJSON *model)
{
    const cJSON *packages = cJSON_GetObjectItemCaseSensitive(report->cook, "packages");
    size_t count = 0;
    const cJSON *package;
    add_causes(report, model);
    add_recooks(report, model);
    struct row *rows = cook_arena_alloc(
        &report->arena, ((size_t)cJSON_GetArraySize(packages) + 1) * sizeof(*rows));
    cJSON_ArrayForEach(package, packages)
        if (rows && report_number(package, "seconds") > 0)
            rows[count++] = (struct row){ package, report_number(package, "seconds"),
                                          report_text(package, "name") };
    if (count)
        qsort(rows, count, sizeof(*rows), by_seconds);
    add_slowest(model, rows, count);
    add_timeline(model, rows, count);
}
