/* cook explain why PACKAGE: would it be skipped now, and if not, what changed. */
#include "explain/explain.h"

static enum cook_status show_changes(struct explain *explain, uint32_t package,
                                     struct cook_error *error)
{
    struct cook_changed_dep *deps;
    size_t count;
    cJSON *list = cJSON_AddArrayToObject(explain->document, "dependencies");
    enum cook_status status =
        cook_run_changed_deps(&explain->run, package, &deps, &count, &explain->arena, error);
    for (size_t i = 0; status == COOK_OK && i < count; i++) {
        fprintf(explain->cli.out, "    %s %s: %s -> %s\n", deps[i].kind, deps[i].args,
                deps[i].old_text, deps[i].new_text);
        cJSON *json = cJSON_CreateObject();
        cJSON_AddStringToObject(json, "kind", deps[i].kind);
        cJSON_AddStringToObject(json, "key", deps[i].args);
        cJSON_AddStringToObject(json, "old", deps[i].old_text);
        cJSON_AddStringToObject(json, "new", deps[i].new_text);
        cJSON_AddItemToArray(list, json);
    }
    if (status == COOK_OK && count == 0)
        fprintf(explain->cli.out, "    the values of its last cook are no longer kept, or one moved "
                                  "while it was cooked\n");
    return status;
}

enum cook_status explain_why(struct explain *explain, const char *const *operands,
                             struct cook_error *error)
{
    uint32_t package;
    enum cook_status status = explain_package(&package, explain, operands, error);
    if (status != COOK_OK)
        return status;
    enum cook_reason reason = cook_run_decide(&explain->run, package);
    const char *text = cook_reason_text(reason);
    if (reason == COOK_REASON_OPTED_OUT) {
        const char *class_name =
            cook_run_opted_out_class(&explain->run, package, &explain->arena);
        text = cook_arena_printf(&explain->arena, "opted-out class %s",
                                 class_name ? class_name : "");
    }
    bool skipped = reason == COOK_REASON_SKIP;
    fprintf(explain->cli.out, "%s would be %s: %s\n", operands[0], skipped ? "skipped" : "cooked",
            text ? text : "");
    cJSON_AddStringToObject(explain->document, "package", operands[0]);
    cJSON_AddBoolToObject(explain->document, "skipped", skipped);
    cJSON_AddStringToObject(explain->document, "reason", text ? text : "");
    if (reason == COOK_REASON_KEY_CHANGED)
        status = show_changes(explain, package, error);
    return status;
}
