#include "cook/cli/recording.h"

#include <string.h>
#include <time.h>

#include <cjson/cJSON.h>

#define DEFAULT_KEEP_RUNS      1000
#define DEFAULT_KEEP_MEGABYTES 512
#define MIN_PATIENCE_MS        500
#define MAX_PATIENCE_MS        10000

void cook_recording_time(char text[COOK_RECORDING_TIME_SIZE], int64_t ns)
{
    time_t seconds = (time_t)(ns / 1000000000);
    struct tm utc;
    text[0] = '\0';
    if (gmtime_r(&seconds, &utc))
        (void)strftime(text, COOK_RECORDING_TIME_SIZE, "%Y-%m-%dT%H:%M:%SZ", &utc);
}

int cook_recording_patience_ms(double seconds)
{
    double fifth = seconds * 1000 / 5;
    if (fifth < MIN_PATIENCE_MS)
        return MIN_PATIENCE_MS;
    return fifth > MAX_PATIENCE_MS ? MAX_PATIENCE_MS : (int)fifth;
}

void cook_recording_begin(struct cook_recording *record, const struct cook_pool *pool,
                          int patience_ms)
{
    cook_revision_content(record->content_revision, record->project, patience_ms);
    if (pool)
        cook_revision_code(record->code_revision, pool);
}

void cook_recording_stamp(const struct cook_recording *record, struct cJSON *document)
{
    char started[COOK_RECORDING_TIME_SIZE];
    if (!document)
        return;
    cook_recording_time(started, record->started_ns);
    cJSON_AddStringToObject(document, "started", started);
    cJSON_AddStringToObject(document, "content_revision", record->content_revision);
    cJSON_AddStringToObject(document, "code_revision", record->code_revision);
}

static uint64_t setting(const struct cook_recording *record, const char *key, int64_t fallback)
{
    int64_t value = cook_config_i64(record->project->config, "History", key, fallback);
    return value > 0 && value < INT32_MAX ? (uint64_t)value : 0;
}

static enum cook_status add_run(struct cook_recording *record, struct cook_history *history,
                                const struct cJSON *document, struct cook_error *error)
{
    const struct cook_history_limits limits = {
        .runs = (uint32_t)setting(record, "KeepRuns", DEFAULT_KEEP_RUNS),
        .document_bytes = setting(record, "KeepMegabytes", DEFAULT_KEEP_MEGABYTES) << 20,
    };
    char *text = cJSON_PrintUnformatted(document);
    char *summary =
        cJSON_PrintUnformatted(cJSON_GetObjectItemCaseSensitive(document, "summary"));
    struct cook_history_run run = {
        .verb = record->cli->verb,
        .target = record->project->target,
        .cook_id = record->cook_id,
        .started_ns = record->started_ns,
        .ended_ns = record->started_ns + (int64_t)(record->seconds * 1e9),
        .exit_status = cook_cli_exit_status(record->cli),
        .summary_json = summary,
        .content_revision = record->content_revision,
        .code_revision = record->code_revision,
        .document_json = text,
    };
    enum cook_status status =
        text && summary ? cook_history_add_run(history, &record->run_id, &run, &limits, error)
                        : cook_error_no_memory(error);
    cJSON_free(text);
    cJSON_free(summary);
    return status;
}

/* ---- findings ---- */

void cook_recording_finding_id(char id[COOK_HISTORY_ID_SIZE], const char *rule,
                               const char *package, const char *property)
{
    struct cook_hasher hasher;
    char text[COOK_HASH_TEXT_SIZE];
    cook_hasher_init(&hasher);
    cook_hasher_update_string(&hasher, rule);
    cook_hasher_update_string(&hasher, package);
    cook_hasher_update_string(&hasher, property);
    cook_hash_to_text(cook_hasher_digest(&hasher), text);
    memcpy(id, text, COOK_HISTORY_ID_SIZE - 1);
    id[COOK_HISTORY_ID_SIZE - 1] = '\0';
}

static const char *text_of(const cJSON *object, const char *key)
{
    const cJSON *item = cJSON_GetObjectItemCaseSensitive(object, key);
    return cJSON_IsString(item) ? item->valuestring : "";
}

static const char *classes_of(const cJSON *finding, struct cook_arena *arena)
{
    struct cook_buf text = COOK_BUF_INIT;
    const cJSON *item;
    cJSON_ArrayForEach(item, cJSON_GetObjectItemCaseSensitive(finding, "classes"))
    {
        if (cJSON_IsString(item))
            cook_buf_printf(&text, "%s%s", text.size ? "\n" : "", item->valuestring);
    }
    const char *copy = cook_arena_strdup(arena, cook_buf_text(&text));
    cook_buf_finish(&text);
    return copy;
}

static bool make_row(struct cook_history_finding *row, const cJSON *finding,
                     struct cook_arena *arena)
{
    const cJSON *causes = cJSON_GetObjectItemCaseSensitive(finding, "causes");
    char *text = cJSON_PrintUnformatted(finding);
    *row =
        (struct cook_history_finding){ .id = text_of(finding, "id"),
                                       .rule = text_of(finding, "rule"),
                                       .package = text_of(finding, "package"),
                                       .property = text_of(finding, "property"),
                                       .verdict = text_of(finding, "verdict"),
                                       .state = text_of(finding, "state"),
                                       .classes = classes_of(finding, arena),
                                       .group = text_of(finding, "group"),
                                       .owner = text_of(finding, "owner"),
                                       .cause = text_of(cJSON_GetArrayItem(causes, 0), "kind"),
                                       .json = text ? cook_arena_strdup(arena, text) : NULL };
    cJSON_free(text);
    return row->classes && row->json;
}

static enum cook_status add_findings(struct cook_recording *record,
                                     struct cook_history *history, const struct cJSON *document,
                                     struct cook_error *error)
{
    const cJSON *findings = cJSON_GetObjectItemCaseSensitive(document, "findings");
    const cJSON *finding;
    struct cook_arena arena = COOK_ARENA_INIT;
    size_t count = 0;
    struct cook_history_finding *rows =
        cook_arena_alloc(&arena, ((size_t)cJSON_GetArraySize(findings) + 1) * sizeof(*rows));
    bool room = rows != NULL;
    cJSON_ArrayForEach(finding, findings)
    {
        if (room && *text_of(finding, "id"))
            room = make_row(&rows[count++], finding, &arena);
    }
    enum cook_status status = room ? COOK_OK : cook_error_no_memory(error);
    if (status == COOK_OK && count)
        status = cook_history_add_findings(history, record->run_id, rows, count, error);
    cook_arena_finish(&arena);
    return status;
}

enum cook_status cook_recording_end(struct cook_recording *record, const struct cJSON *document,
                                    struct cook_error *error)
{
    struct cook_history *opened = NULL;
    enum cook_status status = COOK_OK;
    if (!record->history)
        status = cook_history_open(&opened, record->project->fd, error);
    struct cook_history *history = record->history ? record->history : opened;
    if (status == COOK_OK)
        status = add_run(record, history, document, error);
    if (status == COOK_OK)
        status = add_findings(record, history, document, error);
    cook_history_close(opened);
    return status;
}
