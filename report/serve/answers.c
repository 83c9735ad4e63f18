/* The answers about a target as a whole: overview, cooks, artifacts. */
#include <string.h>

#include "cook/store/outputs.h"
#include "report/report.h"
#include "report/serve/serve.h"

#define LISTED_COOKS 200

void serve_add_hash(cJSON *object, const char *key, struct cook_hash hash)
{
    char text[COOK_HASH_TEXT_SIZE];
    cook_hash_to_text(hash, text);
    cJSON_AddStringToObject(object, key, text);
}

void serve_add_json(cJSON *object, const char *key, const char *text)
{
    cJSON *value = text && *text ? cJSON_Parse(text) : NULL;
    cJSON_AddItemToObject(object, key, value ? value : cJSON_CreateNull());
}

/* ---- cooks ---- */

static cJSON *cook_json(const struct cook_store_cook *cook)
{
    cJSON *json = cJSON_CreateObject();
    cJSON_AddNumberToObject(json, "id", cook->id);
    cJSON_AddStringToObject(json, "kind", cook->kind);
    report_add_time(json, "started", cook->started_ns);
    report_add_time(json, "ended", cook->ended_ns);
    if (cook->ended_ns)
        cJSON_AddNumberToObject(json, "seconds",
                                (double)(cook->ended_ns - cook->started_ns) / 1e9);
    serve_add_json(json, "summary", cook->summary_json);
    return json;
}

/* The cooks of the view, newest first; false after serve_fail(). */
static bool list_cooks(struct serve_request *request, struct cook_store_cook **cooks, size_t *count)
{
    struct cook_error error = COOK_ERROR_INIT;
    if (cook_store_cooks(request->view->store, cooks, count, LISTED_COOKS, &request->arena, &error) ==
        COOK_OK)
        return true;
    serve_fail(request, 500, cook_arena_strdup(&request->arena, error.message));
    return false;
}

void serve_cooks(struct serve_request *request)
{
    struct cook_store_cook *cooks;
    size_t count;
    if (!list_cooks(request, &cooks, &count))
        return;
    cJSON *list = cJSON_AddArrayToObject(request->document, "cooks");
    for (size_t i = 0; i < count; i++)
        cJSON_AddItemToArray(list, cook_json(&cooks[i]));
}

/* Facts without the environment, where secrets live. */
static void add_facts(cJSON *document, const char *text)
{
    serve_add_json(document, "facts", text);
    cJSON *facts = cJSON_GetObjectItemCaseSensitive(document, "facts");
    cJSON_DeleteItemFromObjectCaseSensitive(facts, "environment");
    cJSON_DeleteItemFromObjectCaseSensitive(facts, "project");
}

void serve_cook(struct serve_request *request)
{
    struct cook_store_cook *cooks;
    size_t count;
    uint64_t id = serve_parameter_number(request, "id", 0, UINT32_MAX);
    if (!list_cooks(request, &cooks, &count))
        return;
    for (size_t i = 0; i < count; i++) {
        if (cooks[i].id != id)
            continue;
        cJSON_AddItemToObject(request->document, "cook", cook_json(&cooks[i]));
        add_facts(request->document, cooks[i].facts_json);
        return;
    }
    serve_fail(request, 404, "no cook has that number");
}

/* ---- overview ---- */

struct counts {
    size_t known, kept, failed, opted_out;
};

static struct counts count_packages(const struct cook_state *state)
{
    struct counts counts = { 0 };
    for (uint32_t i = 0; i < state->packages_count; i++) {
        uint32_t flags = state->packages[i].flags;
        counts.known += (flags & COOK_PACKAGE_PRESENT) != 0;
        counts.kept += (flags & COOK_PACKAGE_HAS_RESULT) != 0;
        counts.failed += (flags & COOK_PACKAGE_FAILED) != 0;
        counts.opted_out += (flags & COOK_PACKAGE_OPTED_OUT) != 0;
    }
    return counts;
}

void serve_add_targets(struct serve_request *request)
{
    const char **targets;
    size_t count;
    cJSON *list = cJSON_AddArrayToObject(request->document, "targets");
    if (serve_targets(&targets, &count, request->serve, &request->arena, NULL) != COOK_OK)
        return;
    for (size_t i = 0; i < count; i++)
        cJSON_AddItemToArray(list, cJSON_CreateString(targets[i]));
}

void serve_overview(struct serve_request *request)
{
    struct cook_store_cook *cooks;
    size_t count;
    struct counts counts = count_packages(request->view->state);
    serve_add_targets(request);
    cJSON *packages = cJSON_AddObjectToObject(request->document, "packages");
    cJSON_AddNumberToObject(packages, "known", (double)counts.known);
    cJSON_AddNumberToObject(packages, "kept", (double)counts.kept);
    cJSON_AddNumberToObject(packages, "failed", (double)counts.failed);
    cJSON_AddNumberToObject(packages, "opted_out", (double)counts.opted_out);
    if (!list_cooks(request, &cooks, &count))
        return;
    cJSON *list = cJSON_AddArrayToObject(request->document, "cooks");
    for (size_t i = 0; i < count && i < 10; i++)
        cJSON_AddItemToArray(list, cook_json(&cooks[i]));
}

/* ---- artifacts ---- */

static bool read_outputs(struct serve_request *request, struct cook_outputs *outputs)
{
    struct cook_error error = COOK_ERROR_INIT;
    struct cook_hash hash;
    enum cook_status status = cook_store_last_outputs(request->view->store, &hash, &error);
    if (status == COOK_OK)
        status = cook_store_outputs(request->view->store, outputs, hash, &request->arena, &error);
    if (status == COOK_OK)
        return true;
    serve_fail(request, 500, cook_arena_strdup(&request->arena, error.message));
    return false;
}

void serve_artifacts(struct serve_request *request)
{
    struct cook_outputs outputs;
    if (!read_outputs(request, &outputs))
        return;
    cJSON *list = cJSON_AddArrayToObject(request->document, "artifacts");
    for (size_t i = 0; i < outputs.artifact_count; i++) {
        const struct cook_output_artifact *artifact = &outputs.artifacts[i];
        cJSON *json = cJSON_CreateObject();
        cJSON_AddStringToObject(json, "name", artifact->name);
        cJSON *files = cJSON_AddArrayToObject(json, "files");
        for (size_t k = 0; k < artifact->file_count; k++) {
            cJSON *file = cJSON_CreateObject();
            cJSON_AddStringToObject(file, "name", artifact->files[k].name);
            cJSON_AddNumberToObject(file, "bytes", (double)artifact->files[k].size_bytes);
            serve_add_hash(file, "hash", artifact->files[k].hash);
            cJSON_AddItemToArray(files, file);
        }
        cJSON_AddItemToArray(list, json);
    }
}

void serve_artifact_bytes(struct serve_request *request)
{
    struct cook_outputs outputs;
    struct cook_error error = COOK_ERROR_INIT;
    const char *name = serve_parameter(request, "name");
    if (!read_outputs(request, &outputs))
        return;
    for (size_t i = 0; i < outputs.artifact_count; i++)
        for (size_t k = 0; k < outputs.artifacts[i].file_count; k++) {
            const struct cook_output_file *file = &outputs.artifacts[i].files[k];
            if (strcmp(file->name, name) != 0)
                continue;
            if (cook_store_get_blob(request->view->store, &request->bytes, file->hash, &error) !=
                COOK_OK)
                serve_fail(request, 500, cook_arena_strdup(&request->arena, error.message));
            request->file_name = file->name;
            return;
        }
    serve_fail(request, 404, "no artifact has a file of that name");
}
