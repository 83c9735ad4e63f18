/* cook explain modified [COOK]: why an incremental cook cooked what it cooked, and what came of it. */
#include <string.h>

#include "cook/plan/explanation_json.h"
#include "explain/explain.h"

#define SHOWN_CAUSES   20
#define SHOWN_PACKAGES 200
#define SHOWN_DEPS     10

static const char *text_of(const cJSON *object, const char *key)
{
    const cJSON *item = cJSON_GetObjectItemCaseSensitive(object, key);
    return cJSON_IsString(item) ? item->valuestring : "";
}

static double number_of(const cJSON *object, const char *key)
{
    const cJSON *item = cJSON_GetObjectItemCaseSensitive(object, key);
    return cJSON_IsNumber(item) ? item->valuedouble : 0;
}

static void print_classes(FILE *out, const cJSON *classes)
{
    const cJSON *class;
    int shown = 0;
    cJSON_ArrayForEach(class, classes)
        if (shown++ < 5)
            fprintf(out, "%s%s %.0f", shown == 1 ? "        of " : ", ", class->string, class->valuedouble);
    if (shown)
        fprintf(out, "%s\n", shown > 5 ? ", …" : "");
}

static void print_figures(FILE *out, const cJSON *cause, const char *did)
{
    double packages = number_of(cause, "packages"), through = number_of(cause, "through");
    fprintf(out, "\n%s\n", text_of(cause, "what"));
    if (cJSON_GetObjectItemCaseSensitive(cause, "old"))
        fprintf(out, "    was %s, is %s\n", text_of(cause, "old"), text_of(cause, "new"));
    fprintf(out, "    %s %.0f package%s", did, packages, packages == 1 ? "" : "s");
    if (through > 0)
        fprintf(out, " (%.0f directly, %.0f through others)", number_of(cause, "direct"), through);
    if (number_of(cause, "seconds") > 0)
        fprintf(out, " in %.3f s", number_of(cause, "seconds"));
    if (number_of(cause, "identical") > 0)
        fprintf(out, "; %.0f came out identical, %.3f s wasted", number_of(cause, "identical"),
                number_of(cause, "wasted_seconds"));
    fputc('\n', out);
    print_classes(out, cJSON_GetObjectItemCaseSensitive(cause, "classes"));
}

static void print_cause(FILE *out, const cJSON *cause)
{
    print_figures(out, cause, "recooked");
}

static void print_difference(FILE *out, const cJSON *cause)
{
    print_figures(out, cause, "differs for");
}

/* Of a config value: where it comes from, and where it came from if that is another place. */
static void print_places(FILE *out, const char *where, const char *old_where)
{
    bool moved = *old_where && strcmp(old_where, where) != 0;
    if (*where || moved)
        fprintf(out, " (%s%s%s%s)", moved ? "was from " : "", moved ? old_where : "",
                moved && *where ? ", is from " : "", where);
}

static void print_package(FILE *out, const cJSON *package)
{
    const cJSON *dep;
    int shown = 0;
    fprintf(out, "%s: %s", text_of(package, "name"), text_of(package, "reason"));
    if (*text_of(package, "opted_out"))
        fprintf(out, " %s", text_of(package, "opted_out"));
    if (strcmp(text_of(package, "outcome"), "unknown") != 0)
        fprintf(out, ", outcome %s", text_of(package, "outcome"));
    fputc('\n', out);
    cJSON_ArrayForEach(dep, cJSON_GetObjectItemCaseSensitive(package, "dependencies")) {
        if (shown++ == SHOWN_DEPS) {
            fprintf(out, "    …\n");
            break;
        }
        fprintf(out, "    %s %s: %s -> %s", text_of(dep, "kind"), text_of(dep, "key"),
                text_of(dep, "old"), text_of(dep, "new"));
        print_places(out, text_of(dep, "where"), text_of(dep, "old_where"));
        if (*text_of(dep, "through"))
            fprintf(out, ", through %s", text_of(dep, "through"));
        fputc('\n', out);
    }
}

static void print_list(FILE *out, const cJSON *list, int limit, const char *what,
                       void (*print)(FILE *out, const cJSON *item))
{
    int shown = 0;
    const cJSON *item;
    cJSON_ArrayForEach(item, list)
        if (shown++ < limit)
            print(out, item);
    if (shown > limit)
        fprintf(out, "and %d more %s; all of them: --json FILE\n", shown - limit, what);
}

void explain_print_modified(FILE *out, const cJSON *document)
{
    const cJSON *summary = cJSON_GetObjectItemCaseSensitive(document, "summary");
    double packages = number_of(summary, "packages");
    if (packages == 0) {
        fprintf(out, "cook %.0f cooked nothing\n", number_of(document, "cook"));
        return;
    }
    fprintf(out, "cook %.0f cooked %.0f package%s in %.3f s: %.0f changed, %.0f identical (%.3f s wasted), "
                 "%.0f new or failed\n", number_of(document, "cook"), packages, packages == 1 ? "" : "s",
            number_of(summary, "seconds"), number_of(summary, "changed"),
            number_of(summary, "identical"), number_of(summary, "wasted_seconds"),
            number_of(summary, "unknown"));
    print_list(out, cJSON_GetObjectItemCaseSensitive(document, "causes"), SHOWN_CAUSES, "causes",
               print_cause);
    fputc('\n', out);
    print_list(out, cJSON_GetObjectItemCaseSensitive(document, "packages"), SHOWN_PACKAGES, "packages",
               print_package);
}

void explain_print_against(FILE *out, const cJSON *document)
{
    const cJSON *summary = cJSON_GetObjectItemCaseSensitive(document, "summary");
    fprintf(out, "%.0f packages have another key there, %.0f the same; %.0f are cooked here only\n"
                 "(below, what was is what stands there)\n", number_of(summary, "packages"),
            number_of(summary, "same_key"), number_of(summary, "only_here"));
    print_list(out, cJSON_GetObjectItemCaseSensitive(document, "causes"), SHOWN_CAUSES, "differences",
               print_difference);
    fputc('\n', out);
    print_list(out, cJSON_GetObjectItemCaseSensitive(document, "packages"), SHOWN_PACKAGES, "packages",
               print_package);
}

/* "12", "latest", or nothing. */
static enum cook_status read_cook(uint32_t *cook, const char *const *operands,
                                  struct cook_error *error)
{
    uint64_t value = 0;
    *cook = 0;
    if (!operands[0] || (strcmp(operands[0], "latest") == 0 && !operands[1]))
        return COOK_OK;
    for (const char *at = operands[0]; *at && value <= UINT32_MAX; at++)
        value = *at >= '0' && *at <= '9' ? value * 10 + (uint64_t)(*at - '0') : UINT64_MAX / 16;
    if (operands[1] || value == 0 || value > UINT32_MAX)
        return cook_error_set(error, COOK_E_USAGE, "give the number of a cook, or latest; see: "
                                                   "cook store log");
    *cook = (uint32_t)value;
    return COOK_OK;
}

static enum cook_status explain_cook(struct explain *explain, uint32_t cook,
                                     struct cook_error *error)
{
    struct cook_explanation explanation;
    enum cook_status status =
        cook_store_explanation(explain->store, &explanation, &cook, &explain->arena, error);
    if (status != COOK_OK)
        return status;
    cJSON *document = cook_explanation_json(&explanation, cook);
    if (!document)
        return cook_error_no_memory(error);
    /* The head that all documents of explain have comes first. */
    for (cJSON *item; (item = document->child);) {
        cJSON_DetachItemViaPointer(document, item);
        if (strcmp(item->string, "schema") == 0)
            cJSON_Delete(item);
        else
            cJSON_AddItemToObject(explain->document, item->string, item);
    }
    cJSON_Delete(document);
    explain_print_modified(explain->cli.out, explain->document);
    return COOK_OK;
}

enum cook_status explain_modified(struct explain *explain, const char *const *operands,
                                  struct cook_error *error)
{
    uint32_t cook;
    enum cook_status status = read_cook(&cook, operands, error);
    if (status != COOK_OK)
        return status;
    return explain->against ? explain_against(explain, error) : explain_cook(explain, cook, error);
}
