/* SARIF 2.1.0 (OASIS): a result per finding, at the source line of its first differing write. */
#include <string.h>

#include "cook/base/text.h"
#include "report/report.h"

#define SCHEMA "https://json.schemastore.org/sarif-2.1.0.json"

static const struct rule {
    const char *id;
    const char *level;
    const char *short_text;
    const char *help;
} rules[] = {
    { "false_skip", "error", "An incremental cook skips a package that a recook would change.",
      "Read the input through the context of the SDK, or bump the version of the class, so that the "
      "change is known." },
    { "indeterminate", "warning", "Two cooks of the same inputs differ.",
      "Find what makes it differ with: cook determinism --package PACKAGE" },
    { "both", "error", "A package that would change is skipped, and its cooks differ by themselves.",
      "Make it deterministic first, then declare its inputs." },
    { "vanished_replay", "warning",
      "A skip logs messages of the last cook again that a recook does not log.",
      "Log messages from recorded inputs only." },
};
#define RULE_COUNT (sizeof(rules) / sizeof(rules[0]))

/* For people: as it is shown (base/text.h). */
static cJSON *shown_object(struct report *report, const char *unsafe)
{
    const char *text = cook_text_shown(unsafe, &report->arena);
    cJSON *object = cJSON_CreateObject();
    cJSON_AddStringToObject(object, "text", text ? text : "");
    return object;
}

static cJSON *text_object(const char *text)
{
    cJSON *object = cJSON_CreateObject();
    cJSON_AddStringToObject(object, "text", text);
    return object;
}

static cJSON *driver_json(void)
{
    cJSON *driver = cJSON_CreateObject();
    cJSON_AddStringToObject(driver, "name", "Cookproof");
    cJSON_AddStringToObject(driver, "semanticVersion", "0.1.0");
    cJSON *list = cJSON_AddArrayToObject(driver, "rules");
    for (size_t i = 0; i < RULE_COUNT; i++) {
        cJSON *rule = cJSON_CreateObject();
        cJSON_AddStringToObject(rule, "id", rules[i].id);
        cJSON_AddItemToObject(rule, "shortDescription", text_object(rules[i].short_text));
        cJSON_AddItemToObject(rule, "help", text_object(rules[i].help));
        cJSON *configuration = cJSON_AddObjectToObject(rule, "defaultConfiguration");
        cJSON_AddStringToObject(configuration, "level", rules[i].level);
        cJSON_AddItemToArray(list, rule);
    }
    return driver;
}

/* A URI reference: what is not unreserved or '/' is percent-encoded. */
static const char *uri_of(const char *path, struct report *report)
{
    struct cook_buf out = COOK_BUF_INIT;
    for (; *path; path++) {
        unsigned char c = (unsigned char)*path;
        bool plain = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
                     strchr("-._~/", c);
        if (plain)
            cook_buf_put_u8(&out, c);
        else
            cook_buf_printf(&out, "%%%02X", c);
    }
    const char *uri = cook_arena_strdup(&report->arena, cook_buf_text(&out));
    cook_buf_finish(&out);
    return uri ? uri : "";
}

static cJSON *location_of_frame(struct report *report, const cJSON *frame)
{
    cJSON *location = cJSON_CreateObject();
    double line = report_number(frame, "line");
    if (*report_text(frame, "file")) {
        cJSON *physical = cJSON_AddObjectToObject(location, "physicalLocation");
        cJSON *artifact = cJSON_AddObjectToObject(physical, "artifactLocation");
        cJSON_AddStringToObject(artifact, "uri", uri_of(report_text(frame, "file"), report));
        if (line >= 1)
            cJSON_AddNumberToObject(cJSON_AddObjectToObject(physical, "region"), "startLine", line);
    }
    return location;
}

static void add_locations(struct report *report, cJSON *result, const cJSON *finding,
                          const cJSON *stack)
{
    cJSON *list = cJSON_AddArrayToObject(result, "locations");
    cJSON *location = location_of_frame(report, cJSON_GetArrayItem(stack, 0));
    cJSON *logical = cJSON_AddArrayToObject(location, "logicalLocations");
    cJSON *package = cJSON_CreateObject();
    cJSON_AddStringToObject(package, "fullyQualifiedName", report_text(finding, "package"));
    cJSON_AddStringToObject(package, "kind", "resource");
    cJSON_AddItemToArray(logical, package);
    cJSON_AddItemToArray(list, location);
}

static void add_stack(struct report *report, cJSON *result, const cJSON *stack)
{
    if (cJSON_GetArraySize(stack) == 0)
        return;
    cJSON *object = cJSON_CreateObject();
    cJSON *frames = cJSON_AddArrayToObject(object, "frames");
    const cJSON *frame;
    cJSON_ArrayForEach(frame, stack) {
        cJSON *item = cJSON_CreateObject();
        cJSON *location = location_of_frame(report, frame);
        cJSON_AddItemToObject(location, "message", shown_object(report, report_text(frame, "function")));
        cJSON_AddItemToObject(item, "location", location);
        cJSON_AddStringToObject(item, "module", report_text(frame, "module"));
        cJSON_AddItemToArray(frames, item);
    }
    cJSON_AddItemToArray(cJSON_AddArrayToObject(result, "stacks"), object);
}

static size_t rule_of(const cJSON *finding)
{
    size_t i = 0;
    while (i + 1 < RULE_COUNT && strcmp(rules[i].id, report_text(finding, "verdict")) != 0)
        i++;
    return i;
}

static const char *baseline_of(const cJSON *finding)
{
    const char *state = report_text(finding, "state");
    if (strcmp(state, "gone") == 0 || strcmp(state, "masked") == 0)
        return "absent";
    return strcmp(state, "known") == 0 ? "unchanged" : "new";
}

static cJSON *result_json(struct report *report, const cJSON *finding)
{
    size_t rule = rule_of(finding);
    const cJSON *first =
        cJSON_GetArrayItem(cJSON_GetObjectItemCaseSensitive(finding, "differences"), 0);
    const cJSON *stack = cJSON_GetObjectItemCaseSensitive(first, "new_stack");
    const char *fix = report_text(finding, "fix");
    cJSON *result = cJSON_CreateObject();
    cJSON_AddStringToObject(result, "ruleId", rules[rule].id);
    cJSON_AddNumberToObject(result, "ruleIndex", (double)rule);
    cJSON_AddStringToObject(result, "level", rules[rule].level);
    cJSON_AddItemToObject(result, "message", shown_object(report, report_printf(
        report, "%s: %s; %s (%s)%s%s", report_text(finding, "package"), rules[rule].short_text,
        report_first_difference(finding, &report->arena), report_cause(finding, &report->arena),
        *fix ? "; fix: " : "", fix)));
    add_locations(report, result, finding, stack);
    add_stack(report, result, stack);
    cJSON_AddStringToObject(cJSON_AddObjectToObject(result, "partialFingerprints"),
                            "cookproofFinding/v1", report_text(finding, "id"));
    cJSON_AddStringToObject(result, "baselineState", baseline_of(finding));
    cJSON *properties = cJSON_AddObjectToObject(result, "properties");
    cJSON_AddStringToObject(properties, "owner", report_text(finding, "owner"));
    cJSON_AddStringToObject(properties, "state", report_text(finding, "state"));
    cJSON_AddStringToObject(properties, "reproduce", report_text(finding, "reproduce"));
    return result;
}

enum cook_status report_sarif(struct report *report, const cJSON *model, struct cook_error *error)
{
    cJSON *log = cJSON_CreateObject();
    cJSON_AddStringToObject(log, "$schema", SCHEMA);
    cJSON_AddStringToObject(log, "version", "2.1.0");
    cJSON *run = cJSON_CreateObject();
    cJSON_AddItemToArray(cJSON_AddArrayToObject(log, "runs"), run);
    cJSON_AddItemToObject(cJSON_AddObjectToObject(run, "tool"), "driver", driver_json());
    cJSON_AddStringToObject(cJSON_AddObjectToObject(run, "automationDetails"), "id",
                            report_printf(report, "incremental-validate/%s/%s/",
                                          report_text(model, "project"), report_text(model, "target")));
    cJSON_AddStringToObject(run, "columnKind", "unicodeCodePoints");
    cJSON *results = cJSON_AddArrayToObject(run, "results");
    const cJSON *finding;
    cJSON_ArrayForEach(finding, cJSON_GetObjectItemCaseSensitive(model, "findings"))
        cJSON_AddItemToArray(results, result_json(report, finding));
    return report_write_json(report, log, error);
}
