/* cook report bundle: what another machine needs to reproduce a finding (cook/bundle/bundle.h).
 */
#include <stdarg.h>
#include <string.h>

#include "cook/base/fs.h"
#include "cook/bundle/bundle.h"
#include "cook/deps/dep.h"
#include "cook/store/overlay.h"
#include "report/report.h"

#define DEFAULT_MEGABYTES 256

void report_leave_out(struct report_bundling *bundling, const char *format, ...)
{
    char text[512];
    va_list arguments;
    va_start(arguments, format);
    (void)vsnprintf(text, sizeof(text), format, arguments);
    va_end(arguments);
    cJSON_AddItemToArray(bundling->left_out, cJSON_CreateString(text));
}

/* ---- both results ---- */

static enum cook_status add_results(struct report_bundling *bundling, const char *id,
                                    struct cook_error *error)
{
    static const char *const names[] = { "kept.bytes", "kept.tokens", "new.bytes",
                                         "new.tokens", "stacks.json" };
    enum cook_status status = COOK_OK;
    for (size_t i = 0; status == COOK_OK && i < sizeof(names) / sizeof(names[0]); i++) {
        struct cook_buf bytes = COOK_BUF_INIT;
        char path[64];
        (void)snprintf(path, sizeof(path), "result/%s", names[i]);
        status = cook_overlay_get(&bytes, bundling->report->project.fd, id, names[i], error);
        if (status == COOK_E_NOT_FOUND) {
            report_leave_out(bundling, "%s: it was not kept", path);
            status = COOK_OK;
        } else if (status == COOK_OK) {
            status = cook_bundle_add(bundling->bundle, path, bytes.data, bytes.size, error);
        }
        cook_buf_finish(&bytes);
    }
    return status;
}

/* ---- facts: of the environment only what can matter, for the rest may be private ---- */

static bool names_locale(const char *name)
{
    return strncmp(name, "LC_", 3) == 0 || strcmp(name, "LANG") == 0 ||
           strcmp(name, "LANGUAGE") == 0 || strcmp(name, "TZ") == 0;
}

static bool names_input(const cJSON *finding, const char *name)
{
    const cJSON *cause, *input;
    cJSON_ArrayForEach(cause, cJSON_GetObjectItemCaseSensitive(finding, "causes"))
        cJSON_ArrayForEach(
            input,
            cJSON_GetObjectItemCaseSensitive(
                cause, "inputs")) if (strcmp(report_text(input, "kind"), "env") == 0 &&
                                      strcmp(report_text(input, "key"), name) == 0) return true;
    return false;
}

static unsigned filter_environment(struct report_bundling *bundling, cJSON *facts)
{
    cJSON *environment = cJSON_GetObjectItemCaseSensitive(facts, "environment");
    cJSON *variable = environment ? environment->child : NULL;
    unsigned dropped = 0;
    while (variable) {
        cJSON *next = variable->next;
        bool declared = cook_state_find_dep(bundling->state, COOK_DEP_ENV, variable->string) !=
                        COOK_ID_NONE;
        if (!declared && !names_locale(variable->string) &&
            !names_input(bundling->finding, variable->string)) {
            cJSON_Delete(cJSON_DetachItemViaPointer(environment, variable));
            dropped++;
        }
        variable = next;
    }
    return dropped;
}

static enum cook_status add_json(struct report_bundling *bundling, const char *path,
                                 const cJSON *json, struct cook_error *error)
{
    char *text = cJSON_Print(json);
    enum cook_status status =
        text ? cook_bundle_add(bundling->bundle, path, text, strlen(text), error)
             : cook_error_no_memory(error);
    cJSON_free(text);
    return status;
}

/* ---- plugins ---- */

static enum cook_status add_plugin(struct report_bundling *bundling, const char *build_id,
                                   struct cook_error *error)
{
    struct cook_buf bytes = COOK_BUF_INIT;
    char path[300];
    char source[300];
    if (!*build_id || strlen(build_id) > 200 || strchr(build_id, '/'))
        return COOK_OK;
    (void)snprintf(path, sizeof(path), "plugins/%s.so", build_id);
    if (cook_bundle_find(bundling->bundle, path))
        return COOK_OK;
    (void)snprintf(source, sizeof(source), "plugins/%s.so", build_id);
    enum cook_status status = cook_fs_read(&bytes, NULL, cook_store_folder(bundling->store),
                                           source, bundling->max_bytes, error);
    if (status == COOK_E_NOT_FOUND || status == COOK_E_LIMIT) {
        report_leave_out(bundling, "%s: %s", path,
                         status == COOK_E_LIMIT ? "too large" : "its copy is gone");
        status = COOK_OK;
    } else if (status == COOK_OK) {
        status = cook_bundle_add(bundling->bundle, path, bytes.data, bytes.size, error);
    }
    cook_buf_finish(&bytes);
    return status;
}

static enum cook_status add_facts(struct report_bundling *bundling, const char *id,
                                  struct cook_error *error)
{
    static const char *const times[] = { "kept", "now" };
    struct cook_buf bytes = COOK_BUF_INIT;
    enum cook_status status =
        cook_overlay_get(&bytes, bundling->report->project.fd, id, "facts.json", error);
    if (status == COOK_E_NOT_FOUND)
        status = cook_error_set(
            error, COOK_E_USAGE,
            "what finding %s was found by is not kept any more; find it again with: "
            "cook incremental-validate --package %s",
            id, report_text(bundling->finding, "package"));
    cJSON *facts =
        status == COOK_OK ? cJSON_ParseWithLength((const char *)bytes.data, bytes.size) : NULL;
    unsigned private_count = 0;
    cook_buf_finish(&bytes);
    for (size_t i = 0; status == COOK_OK && i < 2; i++) {
        cJSON *side = cJSON_GetObjectItemCaseSensitive(facts, times[i]);
        const cJSON *plugin;
        unsigned count = filter_environment(bundling, side);
        private_count = count > private_count ? count : private_count;
        cJSON_ArrayForEach(
            plugin, cJSON_GetObjectItemCaseSensitive(side, "plugins")) if (status == COOK_OK)
            status = add_plugin(bundling, report_text(plugin, "build_id"), error);
    }
    if (private_count)
        report_leave_out(bundling,
                         "%u environment variables that nothing names: they may be private",
                         private_count);
    if (status == COOK_OK)
        status = add_json(bundling, "facts.json", facts, error);
    cJSON_Delete(facts);
    return status;
}

/* ---- the whole ---- */

static cJSON *head_of(const struct report_bundling *bundling,
                      const struct cook_history_finding *finding)
{
    cJSON *head = cJSON_CreateObject();
    cJSON_AddStringToObject(head, "finding", finding->id);
    cJSON_AddStringToObject(head, "package", finding->package);
    cJSON_AddStringToObject(head, "verdict", finding->verdict);
    cJSON_AddStringToObject(head, "project", bundling->report->project.name);
    cJSON_AddStringToObject(head, "target", bundling->report->project.target);
    cJSON_AddItemReferenceToObject(head, "left_out", bundling->left_out);
    cJSON *roots = cJSON_AddArrayToObject(head, "roots");
    for (size_t i = 0; i < bundling->report->project.root_count; i++)
        cJSON_AddItemToArray(roots,
                             cJSON_CreateString(bundling->report->project.roots[i].folder));
    return head;
}

static enum cook_status fill(struct report_bundling *bundling,
                             const struct cook_history_finding *finding,
                             struct cook_error *error)
{
    bundling->package = cook_state_find_package(bundling->state, finding->package);
    bundling->kept_cook = (uint32_t)report_number(
        cJSON_GetObjectItemCaseSensitive(bundling->finding, "kept"), "cook");
    enum cook_status status = add_json(bundling, "finding.json", bundling->finding, error);
    if (status == COOK_OK)
        status = add_facts(bundling, finding->id, error);
    if (status == COOK_OK)
        status = add_results(bundling, finding->id, error);
    if (status == COOK_OK)
        status = report_bundle_files(bundling, error);
    return status;
}

static enum cook_status write_bundle(struct report_bundling *bundling,
                                     const struct cook_history_finding *finding,
                                     struct cook_error *error)
{
    struct report *report = bundling->report;
    struct cook_buf packed = COOK_BUF_INIT;
    cJSON *head = head_of(bundling, finding);
    enum cook_status status = cook_bundle_pack(&packed, bundling->bundle, head, error);
    if (status == COOK_OK && !report->output) {
        char name[64];
        (void)snprintf(name, sizeof(name), "%s.tar.zst", finding->id);
        report->output = strdup(name);
        if (!report->output)
            status = cook_error_no_memory(error);
    }
    if (status == COOK_OK)
        status = report_write(report, packed.data, packed.size, error);
    const cJSON *item;
    cJSON_ArrayForEach(item, bundling->left_out) if (status == COOK_OK && !report->cli.quiet)
        fprintf(report->cli.err, "left out: %s\n", item->valuestring);
    if (status == COOK_OK && !report->cli.quiet && strcmp(report->output, "-") != 0)
        fprintf(report->cli.err, "on another machine: cook reproduce %s\n", report->output);
    cJSON_Delete(head);
    cook_buf_finish(&packed);
    return status;
}

enum cook_status report_bundle(struct report *report, const char *const *operands,
                               struct cook_error *error)
{
    struct cook_history_finding finding;
    struct cook_history_run run;
    struct cook_bundle bundle = COOK_BUNDLE_INIT;
    int64_t megabytes = report->megabytes > 0 ? report->megabytes : DEFAULT_MEGABYTES;
    struct report_bundling bundling = { .report = report,
                                        .bundle = &bundle,
                                        .max_bytes = (uint64_t)megabytes << 20 };
    if (!operands[0] || operands[1])
        return cook_error_set(error, COOK_E_USAGE,
                              "cook report bundle takes the id of a finding");
    enum cook_status status = report_find_finding(report, &finding, &run, operands[0], error);
    if (status == COOK_OK && strcmp(run.verb, "determinism") == 0)
        status = cook_error_set(error, COOK_E_USAGE,
                                "a determinism check keeps no results to bundle; what shows "
                                "finding %s again: cook report show %s",
                                finding.id, finding.id);
    if (status == COOK_OK)
        status = cook_store_open(&bundling.store, report->project.fd, run.target,
                                 COOK_STORE_READ, error);
    if (status != COOK_OK)
        return status;
    bundling.state = cook_store_state(bundling.store);
    bundling.finding = cJSON_Parse(finding.json);
    bundling.left_out = cJSON_CreateArray();
    status = fill(&bundling, &finding, error);
    if (status == COOK_OK)
        status = write_bundle(&bundling, &finding, error);
    cJSON_Delete(bundling.finding);
    cJSON_Delete(bundling.left_out);
    cook_bundle_finish(&bundle);
    cook_store_close(bundling.store);
    return status;
}
