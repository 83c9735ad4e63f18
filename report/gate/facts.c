/* What the rules are measured on: the history, and the store. */
#include <string.h>

#include "cook/plan/explanation_json.h"
#include "cook/store/history.h"
#include "cook/store/store.h"
#include "cook/worker/session.h"
#include "report/gate/gate.h"
#include "report/report.h"

#define COOKS 1000

/* ---- the history ---- */

static enum cook_status newest(struct cook_history_run *run, bool *found,
                               struct cook_history *history, const char *verb, const char *target,
                               struct cook_arena *arena, struct cook_error *error)
{
    const struct cook_history_filter filter = { .verb = verb, .target = target, .limit = 1 };
    struct cook_history_run *runs;
    size_t count;
    enum cook_status status = cook_history_runs(history, &runs, &count, &filter, arena, error);
    *found = status == COOK_OK && count > 0;
    if (*found)
        status = cook_history_run(history, run, runs[0].id, arena, error);
    return status;
}

static enum cook_status load_cook(struct gate_facts *facts, struct cook_history *history,
                                  const char *target, struct cook_error *error)
{
    struct cook_history_run full = { 0 }, incremental = { 0 };
    bool has_full, has_incremental;
    enum cook_status status =
        newest(&full, &has_full, history, "full", target, &facts->arena, error);
    if (status == COOK_OK)
        status = newest(&incremental, &has_incremental, history, "incremental", target,
                        &facts->arena, error);
    if (status != COOK_OK)
        return status;
    const struct cook_history_run *cook =
        !has_incremental || (has_full && full.id > incremental.id) ? &full : &incremental;
    if ((has_full || has_incremental) && cook->document_json)
        facts->cook = cJSON_Parse(cook->document_json);
    return COOK_OK;
}

static enum cook_status load_history(struct gate_facts *facts, const struct cook_project *project,
                                     struct cook_error *error)
{
    struct cook_history *history;
    struct cook_history_run run = { 0 };
    bool found;
    enum cook_status status = cook_history_open_read(&history, project->fd, error);
    if (status != COOK_OK)
        return status == COOK_E_NOT_FOUND ? COOK_OK : status;
    status = newest(&run, &found, history, "incremental-validate", project->target, &facts->arena,
                    error);
    if (status == COOK_OK && found && run.document_json) {
        facts->validation = cJSON_Parse(run.document_json);
        facts->validation_ns = run.started_ns;
        facts->validation_run = run.id;
    }
    if (status == COOK_OK)
        status = load_cook(facts, history, project->target, error);
    cook_history_close(history);
    return status;
}

/* ---- the store ---- */

static bool replays_error(const struct cook_state *state, uint32_t package)
{
    struct cook_messages messages = { 0 };
    size_t size;
    bool found = false;
    const uint8_t *blob = cook_state_blob(state, state->results[package].messages, &size);
    struct cook_reader_buf in = cook_read_init(blob, size);
    if (blob && cook_messages_decode(&messages, &in) == COOK_OK)
        for (size_t i = 0; i < messages.count; i++)
            found |= messages.items[i].severity == COOK_SEVERITY_ERROR;
    cook_messages_finish(&messages);
    return found;
}

static void count_replays(struct gate_facts *facts, const struct cook_state *state)
{
    facts->replayed_errors = 0;
    for (uint32_t i = 0; i < state->packages_count; i++) {
        uint32_t flags = state->packages[i].flags;
        if ((flags & COOK_PACKAGE_PRESENT) && (flags & COOK_PACKAGE_HAS_RESULT) &&
            (flags & COOK_PACKAGE_HAS_MESSAGES))
            facts->replayed_errors += replays_error(state, i);
    }
}

static enum cook_status load_store(struct gate_facts *facts, const struct cook_project *project,
                                   struct cook_error *error)
{
    struct cook_store *store;
    struct cook_store_cook *cooks;
    size_t count = 0;
    enum cook_status status =
        cook_store_open(&store, project->fd, project->target, COOK_STORE_READ, error);
    if (status != COOK_OK)
        return status == COOK_E_NOT_FOUND ? COOK_OK : status;
    status = cook_store_cooks(store, &cooks, &count, COOKS, &facts->arena, error);
    for (size_t i = 0; status == COOK_OK && i < count; i++) {
        if (cooks[i].ended_ns == 0)
            continue;
        if (!facts->newest_cook) {
            facts->newest_cook = cooks[i].id;
            facts->newest_kind = cooks[i].kind;
            facts->newest_ns = cooks[i].started_ns;
        }
        if (!facts->full_ns && strcmp(cooks[i].kind, "full") == 0)
            facts->full_ns = cooks[i].started_ns;
    }
    uint32_t cook = 0;
    struct cook_explanation explanation;
    if (status == COOK_OK &&
        cook_store_explanation(store, &explanation, &cook, &facts->arena, NULL) == COOK_OK)
        facts->outcomes = cook_explanation_json(&explanation, cook);
    if (status == COOK_OK)
        count_replays(facts, cook_store_state(store));
    cook_store_close(store);
    return status;
}

enum cook_status gate_facts_load(struct gate_facts *facts, const struct cook_project *project,
                                 struct cook_error *error)
{
    *facts = (struct gate_facts){ .arena = COOK_ARENA_INIT, .replayed_errors = -1, .newest_kind = "" };
    enum cook_status status = load_history(facts, project, error);
    return status == COOK_OK ? load_store(facts, project, error) : status;
}

enum cook_status gate_facts_replace(struct gate_facts *facts, const char *path,
                                    struct cook_error *error)
{
    cJSON *document;
    enum cook_status status = report_read_document(&document, path, error);
    if (status != COOK_OK)
        return status;
    int64_t started = gate_read_time(report_text(document, "started"));
    if (strcmp(report_text(document, "schema"), "cookproof/incremental-validate/1") != 0 || started < 0) {
        cJSON_Delete(document);
        return cook_error_set(error, COOK_E_USAGE,
                              "%s: no document of a validation that says when it began", path);
    }
    cJSON_Delete(facts->validation);
    facts->validation = document;
    facts->validation_ns = started * 1000000000;
    facts->validation_run = 0;
    return COOK_OK;
}

void gate_facts_finish(struct gate_facts *facts)
{
    cJSON_Delete(facts->validation);
    cJSON_Delete(facts->cook);
    cJSON_Delete(facts->outcomes);
    cook_arena_finish(&facts->arena);
}
