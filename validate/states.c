/*
 * What became of findings. An earlier finding that is not found again has had its bytes put
 * right by a recook, or its input turned back: that alone says nothing about its cause, so it
 * is masked. It is gone only when the result that is kept now records the input that was
 * missed, or, where code was changed without a version, when the class has another schema than
 * then: whatever the old code made is recooked wherever it lies. (The replay of --finding is
 * the other way; see replay.c.)
 */
#include <string.h>

#include <cjson/cJSON.h>

#include "cook/cli/recording.h"
#include "cook/deps/dep.h"
#include "cook/store/history.h"
#include "validate/determinism.h"
#include "validate/report.h"
#include "validate/select.h"

#define MAX_PRINTED 20

const char *validate_state_text(enum validate_state state)
{
    static const char *const texts[] = { "unknown", "new", "known", "masked", "gone" };
    return state < VALIDATE_STATE_COUNT ? texts[state] : texts[0];
}

enum validate_state validate_state_of(const char *text)
{
    for (unsigned i = VALIDATE_NEW; i < VALIDATE_STATE_COUNT; i++)
        if (strcmp(text, validate_state_text((enum validate_state)i)) == 0)
            return (enum validate_state)i;
    return VALIDATE_STATE_UNKNOWN;
}

const char *validate_property(const struct validate_finding *finding)
{
    if (finding->explained && finding->diff.count)
        return finding->diff.differences[0].property_normalized;
    if (finding->parts & VALIDATE_BYTES)
        return "#bytes";
    if (finding->parts & VALIDATE_DEPENDENCIES)
        return "#dependencies";
    if (finding->parts & VALIDATE_EDGES)
        return "#references";
    if (finding->parts & VALIDATE_FILES)
        return "#files";
    return finding->parts & VALIDATE_ARTIFACTS ? "#artifacts" : "#messages";
}

static const char *text_of(const cJSON *object, const char *key)
{
    const cJSON *item = cJSON_GetObjectItemCaseSensitive(object, key);
    return cJSON_IsString(item) ? item->valuestring : "";
}

static uint32_t number_of(const cJSON *object, const char *key)
{
    const cJSON *item = cJSON_GetObjectItemCaseSensitive(object, key);
    bool sound =
        cJSON_IsNumber(item) && item->valuedouble >= 0 && item->valuedouble <= UINT32_MAX;
    return sound ? (uint32_t)item->valuedouble : 0;
}

/* ---- which result a finding was judged by ---- */

void validate_kept_to_json(cJSON *finding_json, const struct validate_finding *finding)
{
    char hash[COOK_HASH_TEXT_SIZE];
    cJSON *kept = cJSON_AddObjectToObject(finding_json, "kept");
    cJSON_AddNumberToObject(kept, "cook", finding->kept.result.cook);
    cook_hash_to_text(finding->kept.package.key, hash);
    cJSON_AddStringToObject(kept, "key", hash);
    cook_hash_to_text(finding->kept.result.bytes, hash);
    cJSON_AddStringToObject(kept, "bytes", hash);
}

/* ---- evidence ---- */

struct recalling {
    struct validate *validate;
    struct cook_store_cook *cooks;
    size_t cook_count;
};

static const char *name_of(const struct validate *validate, uint32_t package)
{
    const struct cook_state *state = validate->run->state;
    return cook_state_text(state, state->packages[package].name);
}

static const char *kind_of_cook(const struct recalling *recalling, uint32_t id)
{
    for (size_t i = 0; i < recalling->cook_count; i++)
        if (recalling->cooks[i].id == id)
            return recalling->cooks[i].kind;
    return "cook";
}

static bool records(struct cook_state *state, uint32_t package, uint32_t kind, const char *args)
{
    uint32_t dep = cook_state_find_dep(state, kind, args);
    if (dep == COOK_ID_NONE || state->packages[package].bundle == COOK_ID_NONE)
        return false;
    uint8_t *marks = determinism_marks(state, state->packages[package].bundle, COOK_ID_NONE);
    bool found = marks && marks[dep] == 1;
    cook_free(marks);
    return found;
}

static uint32_t dep_kind_of(const char *text)
{
    for (uint32_t kind = 1; kind < COOK_DEP_KIND_END; kind++)
        if (strcmp(cook_dep_kind_text(kind), text) == 0)
            return kind;
    return COOK_DEP_UNKNOWN;
}

/* All inputs of a cause stand among the dependencies now. A value that is cached in a static
 * variable proves nothing there: whoever comes first in a process records it. */
static const char *declared_now(const struct recalling *recalling, uint32_t package,
                                const cJSON *cause)
{
    struct validate *validate = recalling->validate;
    const cJSON *inputs = cJSON_GetObjectItemCaseSensitive(cause, "inputs");
    const cJSON *input;
    const char *text = NULL;
    if (strcmp(text_of(cause, "kind"), validate_cause_text(VALIDATE_CAUSE_STATIC_CACHE)) == 0)
        return NULL;
    cJSON_ArrayForEach(input, inputs)
    {
        const char *key = text_of(input, "key");
        const char *kind = text_of(input, "kind");
        if (!records(validate->run->state, package, dep_kind_of(kind), key))
            return NULL;
        text = cook_arena_printf(&validate->arena, "%s%s%s %s", text ? text : "",
                                 text ? ", " : "", kind, key);
        if (!text)
            return NULL;
    }
    return text ? cook_arena_printf(&validate->arena,
                                    "cook %u records %s: a change of it recooks the package",
                                    validate->run->state->results[package].cook, text)
                : NULL;
}

/* A class of the package whose schema is another than at the end of the cook given. */
static const char *schema_changed(const struct recalling *recalling, uint32_t package,
                                  uint32_t cook)
{
    struct validate *validate = recalling->validate;
    struct cook_state *state = validate->run->state;
    const char *text = NULL;
    if (state->packages[package].bundle == COOK_ID_NONE)
        return NULL;
    uint8_t *marks = determinism_marks(state, state->packages[package].bundle, COOK_ID_NONE);
    for (uint32_t dep = 0; marks && dep < state->deps_count && !text; dep++) {
        struct cook_hash then;
        char *value;
        if (marks[dep] == 1 && state->deps[dep].kind == COOK_DEP_CLASS &&
            cook_store_dep_value_at(validate->run->store, &then, &value, dep, cook,
                                    &validate->arena, NULL) == COOK_OK &&
            !cook_hash_equal(then, state->deps[dep].value))
            text = cook_arena_printf(
                &validate->arena,
                "%s has another schema than at cook %u: what its old code made is recooked",
                cook_state_text(state, state->deps[dep].args), cook);
    }
    cook_free(marks);
    return text;
}

/* Why the cause of an earlier finding is closed; NULL when nothing shows it. */
static const char *find_proof(const struct recalling *recalling, uint32_t package,
                              const cJSON *finding, uint32_t cook)
{
    const char *proof = NULL;
    const cJSON *cause;
    cJSON_ArrayForEach(cause, cJSON_GetObjectItemCaseSensitive(finding, "causes"))
    {
        const char *kind = text_of(cause, "kind");
        if (strcmp(text_of(cause, "confidence"), validate_confidence_text(VALIDATE_CHANGED)) != 0)
            return NULL; /* what only probably was the cause proves nothing by being declared */
        bool code = strcmp(kind, validate_cause_text(VALIDATE_CAUSE_CODE_CHANGED)) == 0;
        proof = code ? schema_changed(recalling, package, cook)
                     : declared_now(recalling, package, cause);
        if (!proof)
            return NULL; /* each of its causes must be closed */
    }
    return proof;
}

/* ---- findings that were not found again ---- */

static bool was_found(const struct validate *validate, const char *id)
{
    for (size_t i = 0; i < validate->finding_count; i++)
        if (strcmp(validate->findings[i]->id, id) == 0)
            return true;
    return false;
}

static const struct validate_finding *other_of(const struct validate *validate,
                                               uint32_t package)
{
    for (size_t i = 0; i < validate->finding_count; i++)
        if (validate->findings[i]->package == package)
            return validate->findings[i];
    return NULL;
}

/* Its package came out the same. */
static void judge_validated(const struct recalling *recalling, uint32_t package,
                            struct validate_earlier *earlier)
{
    struct validate *validate = recalling->validate;
    struct cook_arena *arena = &validate->arena;
    cJSON *finding = cJSON_Parse(earlier->json);
    uint32_t then = number_of(cJSON_GetObjectItemCaseSensitive(finding, "kept"), "cook");
    uint32_t now = validate->run->state->results[package].cook;
    const char *proof = NULL;
    earlier->state = VALIDATE_MASKED;
    if (then && now != then)
        proof = find_proof(recalling, package, finding, then);
    if (proof) {
        earlier->state = VALIDATE_GONE;
        earlier->reason = proof;
    } else if (!then) {
        earlier->reason = "a recook gives the kept result; what it was judged by is not known";
    } else if (now == then) {
        earlier->reason =
            "a recook gives the kept result again: what was missed is back to what it "
            "was";
    } else {
        const char *kind = kind_of_cook(recalling, now);
        bool healed = strcmp(kind, "incremental-validate") == 0;
        earlier->reason = cook_arena_printf(
            arena,
            "%s by cook %u%s%s%s: its bytes are right, nothing shows that the cause is closed",
            healed ? "healed" : "recooked", now, healed ? "" : " (", healed ? "" : kind,
            healed ? "" : ")");
    }
    cJSON_Delete(finding);
}

static bool has_failed(const struct validate *validate, uint32_t package)
{
    for (size_t i = 0; i < validate->message_count; i++)
        if (validate->messages[i].package == package)
            return true;
    return false;
}

static bool is_a_selection(const struct validate *validate)
{
    return validate->options.selection && validate_selects(validate->options.selection);
}

/* Of another shard, which judges it. */
static bool is_elsewhere(const struct validate *validate, uint32_t package)
{
    const struct validate_selection *selection = validate->options.selection;
    return selection && selection->shards && selection->seconds <= 0 &&
           !validate->modified[package] && !validate->validated[package] &&
           !other_of(validate, package) && !has_failed(validate, package);
}

/* Not found again and not shown to be right either: it stays what it was. */
static void carry(const struct recalling *recalling, uint32_t package,
                  struct validate_earlier *earlier, enum validate_state before)
{
    const struct validate *validate = recalling->validate;
    const struct validate_finding *other = other_of(validate, package);
    earlier->state = before == VALIDATE_MASKED ? VALIDATE_MASKED : VALIDATE_KNOWN;
    if (other)
        earlier->reason =
            cook_arena_printf(&recalling->validate->arena,
                              "not judged: the package differs otherwise, see %s", other->id);
    else if (validate->modified[package])
        earlier->reason = "not judged: the next incremental cook recooks the package";
    else if (is_a_selection(validate) && !has_failed(validate, package))
        earlier->reason = "not judged: the validation did not come to the package in its time";
    else
        earlier->reason = "not judged: the package could not be recooked";
}

static bool in_scope(const struct validate *validate, const char *package)
{
    for (size_t i = 0; i < validate->options.package_count; i++)
        if (strcmp(validate->options.packages[i], package) == 0)
            return true;
    return validate->options.package_count == 0;
}

static enum cook_status judge_earlier(const struct recalling *recalling,
                                      const struct cook_history_finding *row,
                                      struct cook_error *error)
{
    struct validate *validate = recalling->validate;
    struct validate_earlier *earlier = &validate->earlier[validate->earlier_count];
    *earlier = (struct validate_earlier){ .id = row->id,
                                          .package = row->package,
                                          .verdict = row->verdict,
                                          .json = row->json,
                                          .last_run = row->run };
    uint32_t package = cook_state_find_package(validate->run->state, row->package);
    bool known = package != COOK_ID_NONE && package < validate->search.package_count;
    if (known && validate->search.visited[package] && is_elsewhere(validate, package))
        return COOK_OK;
    if (!known || !validate->search.visited[package]) {
        earlier->state = VALIDATE_MASKED;
        earlier->reason = "the package is not part of the cook any more";
    } else if (validate->validated[package]) {
        judge_validated(recalling, package, earlier);
    } else {
        carry(recalling, package, earlier, validate_state_of(row->state));
    }
    validate->earlier_count++;
    validate->states[earlier->state]++;
    return earlier->reason ? COOK_OK : cook_error_no_memory(error);
}

/* ---- the whole ---- */

static enum cook_status recall_found(struct validate *validate, struct cook_history *history,
                                     struct validate_finding *finding,
                                     const struct cook_history_finding *latest, size_t count,
                                     struct cook_error *error)
{
    int64_t run_id;
    finding->reason = "";
    cook_recording_finding_id(finding->id, validate_verdict_text(finding->verdict),
                              name_of(validate, finding->package), validate_property(finding));
    enum cook_status status =
        cook_history_first_seen(history, finding->id, &finding->first_seen_ns, &run_id, error);
    finding->state = finding->first_seen_ns ? VALIDATE_KNOWN : VALIDATE_NEW;
    if (finding->state == VALIDATE_NEW)
        finding->first_seen_ns = validate->run->started_ns;
    for (size_t i = 0; i < count; i++) {
        if (strcmp(latest[i].id, finding->id) != 0 ||
            validate_state_of(latest[i].state) != VALIDATE_GONE)
            continue;
        finding->state = VALIDATE_NEW;
        finding->reason = cook_arena_printf(
            &validate->arena, "it was gone at run %lld, and is back", (long long)latest[i].run);
        if (!finding->reason)
            return cook_error_no_memory(error);
    }
    validate->states[finding->state]++;
    return status;
}

/* What a replay of a finding (replay.h) showed since counts as the newest word on it. */
static enum cook_status apply_replays(struct validate *validate, struct cook_history *history,
                                      struct cook_history_finding *latest, size_t count,
                                      struct cook_error *error)
{
    struct cook_history_finding *replays;
    size_t replay_count = 0;
    enum cook_status status =
        cook_history_latest(history, &replays, &replay_count, "replay",
                            validate->run->project.target, &validate->arena, error);
    for (size_t i = 0; status == COOK_OK && i < replay_count; i++)
        for (size_t k = 0; k < count; k++)
            if (replays[i].run > latest[k].run && strcmp(replays[i].id, latest[k].id) == 0) {
                latest[k].state = replays[i].state;
                latest[k].run = replays[i].run;
            }
    return status;
}

enum cook_status validate_recall(struct validate *validate, struct cook_history *history,
                                 struct cook_error *error)
{
    struct recalling recalling = { .validate = validate };
    struct cook_history_finding *latest;
    size_t count;
    enum cook_status status =
        cook_history_latest(history, &latest, &count, "incremental-validate",
                            validate->run->project.target, &validate->arena, error);
    if (status == COOK_OK)
        status = apply_replays(validate, history, latest, count, error);
    for (size_t i = 0; status == COOK_OK && i < validate->finding_count; i++)
        status = recall_found(validate, history, validate->findings[i], latest, count, error);
    if (status != COOK_OK || !count)
        return status;
    validate->earlier = cook_arena_alloc(&validate->arena, count * sizeof(*validate->earlier));
    if (!validate->earlier)
        return cook_error_no_memory(error);
    status = cook_store_cooks(validate->run->store, &recalling.cooks, &recalling.cook_count,
                              SIZE_MAX, &validate->arena, error);
    for (size_t i = 0; status == COOK_OK && i < count; i++)
        if (validate_state_of(latest[i].state) != VALIDATE_GONE &&
            in_scope(validate, latest[i].package) && !was_found(validate, latest[i].id))
            status = judge_earlier(&recalling, &latest[i], error);
    return status;
}

/* ---- output ---- */

static void replace_text(cJSON *object, const char *key, const char *text)
{
    cJSON_DeleteItemFromObjectCaseSensitive(object, key);
    cJSON_AddStringToObject(object, key, text);
}

cJSON *validate_earlier_to_json(const struct validate_earlier *earlier)
{
    cJSON *json = cJSON_Parse(earlier->json);
    if (!cJSON_IsObject(json)) {
        cJSON_Delete(json);
        json = cJSON_CreateObject();
    }
    replace_text(json, "id", earlier->id);
    replace_text(json, "package", earlier->package);
    replace_text(json, "verdict", earlier->verdict);
    replace_text(json, "state", validate_state_text(earlier->state));
    replace_text(json, "reason", earlier->reason);
    cJSON_DeleteItemFromObjectCaseSensitive(json, "seen");
    cJSON_AddFalseToObject(json, "seen");
    return json;
}

void validate_print_earlier(FILE *out, const struct validate *validate)
{
    for (size_t i = 0; i < validate->earlier_count && i < MAX_PRINTED; i++) {
        const struct validate_earlier *earlier = &validate->earlier[i];
        fprintf(out, "%s%s: %s  [%s]\n    %s\n", i ? "" : "\n",
                validate_state_text(earlier->state), earlier->package, earlier->id,
                earlier->reason);
        if (earlier->state == VALIDATE_MASKED)
            fprintf(out, "    prove a fix: cook incremental-validate --finding %s\n",
                    earlier->id);
    }
    if (validate->earlier_count > MAX_PRINTED)
        fprintf(out, "... and %zu more earlier findings\n",
                validate->earlier_count - MAX_PRINTED);
}
