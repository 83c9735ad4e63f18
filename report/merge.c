/* cook report merge: the shards of one validation as one document. */
#include <stdlib.h>
#include <string.h>

#include "report/report.h"

#define MAX_SHARDS 1000

struct shard {
    cJSON *document;
    const char *path;
    unsigned index;
};

static const cJSON *shard_of(const cJSON *document)
{
    return cJSON_GetObjectItemCaseSensitive(document, "shard");
}

static enum cook_status refuse(struct cook_error *error, const char *path, const char *reason)
{
    return cook_error_set(error, COOK_E_USAGE, "%s: %s", path, reason);
}

static enum cook_status check(const struct shard *shard, const struct shard *first,
                              struct cook_error *error)
{
    static const char *const same[] = { "project", "target", "content_revision", "code_revision" };
    const cJSON *own = shard_of(shard->document), *other = shard_of(first->document);
    if (strcmp(report_text(shard->document, "schema"), "cookproof/incremental-validate/1") != 0)
        return refuse(error, shard->path, "no document of a validation");
    double index = report_number(own, "index"), count = report_number(own, "count");
    if (!own || index < 1 || index > count || count > MAX_SHARDS)
        return refuse(error, shard->path, "no shard: it was made without --shard");
    for (size_t i = 0; i < sizeof(same) / sizeof(same[0]); i++)
        if (strcmp(report_text(shard->document, same[i]), report_text(first->document, same[i])) != 0)
            return cook_error_set(error, COOK_E_USAGE, "%s and %s are of different validations: their %s "
                                  "differs", first->path, shard->path, same[i]);
    if (count != report_number(other, "count") ||
        strcmp(report_text(own, "of"), report_text(other, "of")) != 0)
        return cook_error_set(error, COOK_E_USAGE,
                              "%s and %s are of different validations: they shared out other packages",
                              first->path, shard->path);
    return COOK_OK;
}

static int by_index(const void *a, const void *b)
{
    const struct shard *x = a, *y = b;
    return (x->index > y->index) - (x->index < y->index);
}

/* Each shard once, and all of them. */
static enum cook_status check_set(const struct shard *shards, size_t count, struct cook_error *error)
{
    unsigned wanted = (unsigned)report_number(shard_of(shards[0].document), "count");
    for (size_t i = 0; i < count; i++) {
        if (i && shards[i].index == shards[i - 1].index)
            return cook_error_set(error, COOK_E_USAGE, "%s and %s are both shard %u",
                                  shards[i - 1].path, shards[i].path, shards[i].index);
        if (shards[i].index != i + 1)
            return cook_error_set(error, COOK_E_USAGE, "shard %zu of %u is missing", i + 1, wanted);
    }
    if (count != wanted)
        return cook_error_set(error, COOK_E_USAGE, "shard %zu of %u is missing", count + 1, wanted);
    return COOK_OK;
}

/* ---- merging ---- */

/* What all shards say of the whole project is said once; the rest adds up. Shards run at the same time, so
 * the longest says how long it took. */
static cJSON *merge_summaries(const struct shard *shards, size_t count)
{
    static const char *const whole[] = { "packages", "skippable", "modified" };
    cJSON *sum = cJSON_Duplicate(
        cJSON_GetObjectItemCaseSensitive(shards[0].document, "summary"), true);
    for (size_t i = 1; i < count; i++) {
        const cJSON *figure;
        cJSON_ArrayForEach(figure,
                           cJSON_GetObjectItemCaseSensitive(shards[i].document, "summary")) {
            cJSON *total = cJSON_GetObjectItemCaseSensitive(sum, figure->string);
            bool once = false;
            for (size_t k = 0; k < sizeof(whole) / sizeof(whole[0]); k++)
                once |= strcmp(figure->string, whole[k]) == 0;
            if (!cJSON_IsNumber(total) || once)
                continue;
            double value = strcmp(figure->string, "seconds") != 0
                               ? total->valuedouble + figure->valuedouble
                           : figure->valuedouble > total->valuedouble ? figure->valuedouble
                                                                      : total->valuedouble;
            cJSON_SetNumberValue(total, value);
        }
    }
    return sum;
}

static bool has_finding(const cJSON *list, const cJSON *finding)
{
    const cJSON *item;
    cJSON_ArrayForEach(item, list)
        if (strcmp(report_text(item, "id"), report_text(finding, "id")) == 0)
            return true;
    return false;
}

/* What a shard found, by package; then what is left of earlier runs, which each shard may tell again. */
static cJSON *merge_findings(const struct shard *shards, size_t count)
{
    cJSON *list = cJSON_CreateArray();
    const cJSON *finding;
    for (int pass = 0; pass < 2; pass++)
        for (size_t i = 0; i < count; i++)
            cJSON_ArrayForEach(finding,
                               cJSON_GetObjectItemCaseSensitive(shards[i].document, "findings")) {
                bool seen = cJSON_IsTrue(cJSON_GetObjectItemCaseSensitive(finding, "seen"));
                if (seen == (pass == 0) && (pass == 0 || !has_finding(list, finding)))
                    cJSON_AddItemToArray(list, cJSON_Duplicate(finding, true));
            }
    return list;
}

static cJSON *merge_classes(const struct shard *shards, size_t count)
{
    cJSON *list = cJSON_Duplicate(
        cJSON_GetObjectItemCaseSensitive(shards[0].document, "classes"), true);
    for (size_t i = 1; i < count; i++) {
        const cJSON *class;
        cJSON *own = list ? list->child : NULL; /* all list the same classes, in order of name */
        cJSON_ArrayForEach(class, cJSON_GetObjectItemCaseSensitive(shards[i].document, "classes")) {
            cJSON *total = cJSON_GetObjectItemCaseSensitive(own, "validated");
            if (total)
                cJSON_SetNumberValue(total, total->valuedouble + report_number(class, "validated"));
            own = own ? own->next : NULL;
        }
    }
    return list;
}

static cJSON *merge_all(const struct shard *shards, size_t count)
{
    static const char *const replaced[] = { "summary", "findings", "classes", "shard", "groups",
                                            "exit_statuses", "inputs" };
    cJSON *merged = cJSON_Duplicate(shards[0].document, true);
    for (size_t i = 0; i < sizeof(replaced) / sizeof(replaced[0]); i++)
        cJSON_DeleteItemFromObjectCaseSensitive(merged, replaced[i]);
    cJSON_AddItemToObject(merged, "summary", merge_summaries(shards, count));
    cJSON *statuses = cJSON_AddArrayToObject(merged, "exit_statuses");
    for (int status = 1; status < COOK_EXIT_COUNT; status++)
        for (size_t i = 0; i < count; i++) {
            const cJSON *item;
            bool holds = false;
            cJSON_ArrayForEach(item, cJSON_GetObjectItemCaseSensitive(shards[i].document,
                                                                      "exit_statuses"))
                holds |= item->valueint == status;
            if (!holds)
                continue;
            cJSON_AddItemToArray(statuses, cJSON_CreateNumber(status));
            break;
        }
    cJSON_AddItemToObject(merged, "findings", merge_findings(shards, count));
    cJSON_AddItemToObject(merged, "classes", merge_classes(shards, count));
    cJSON_AddNumberToObject(merged, "shards", (double)count);
    return merged;
}

static enum cook_status write_merged(struct report *report, const struct shard *shards, size_t count,
                                     struct cook_error *error)
{
    return report_write_json(report, merge_all(shards, count), error);
}

enum cook_status report_merge(struct report *report, const char *const *paths,
                              struct cook_error *error)
{
    size_t count = 0;
    while (paths[count])
        count++;
    if (count == 0 || count > MAX_SHARDS)
        return cook_error_set(error, COOK_E_USAGE,
                              "cook report merge takes the documents of all shards");
    struct shard *shards = cook_calloc(count, sizeof(*shards));
    enum cook_status status = shards ? COOK_OK : cook_error_no_memory(error);
    for (size_t i = 0; status == COOK_OK && i < count; i++) {
        shards[i].path = paths[i];
        status = report_read_document(&shards[i].document, paths[i], error);
        if (status == COOK_OK)
            status = check(&shards[i], &shards[0], error);
        if (status == COOK_OK)
            shards[i].index = (unsigned)report_number(shard_of(shards[i].document), "index");
    }
    if (status == COOK_OK) {
        qsort(shards, count, sizeof(*shards), by_index);
        status = check_set(shards, count, error);
    }
    if (status == COOK_OK)
        status = write_merged(report, shards, count, error);
    for (size_t i = 0; shards && i < count; i++)
        cJSON_Delete(shards[i].document);
    cook_free(shards);
    return status;
}
