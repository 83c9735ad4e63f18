#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cook/base/fs.h"
#include "cook/store/overlay.h"
#include "validate/replay_private.h"
#include "validate/validate.h"

const char *replay_text(const cJSON *object, const char *key)
{
    const cJSON *item = cJSON_GetObjectItemCaseSensitive(object, key);
    return cJSON_IsString(item) ? item->valuestring : "";
}

/* ---- the finding ---- */

static enum cook_status find_finding(struct replay *replay, const char *text,
                                     struct cook_error *error)
{
    char id[COOK_HISTORY_ID_SIZE];
    struct cook_history_finding *rows;
    size_t count = 0;
    enum cook_status status = cook_history_resolve(replay->history, id, text, error);
    if (status == COOK_OK)
        status =
            cook_history_finding(replay->history, &rows, &count, id, 0, &replay->arena, error);
    if (status == COOK_E_NOT_FOUND || (status == COOK_OK && !count))
        return cook_error_set(error, COOK_E_USAGE, "the history has no finding %s", text);
    if (status != COOK_OK)
        return status;
    replay->row = rows[0];
    for (size_t i = 0; i < count && !*replay->row.json; i++)
        replay->row.json = rows[i].json;
    replay->finding = cJSON_Parse(replay->row.json);
    return replay->finding
               ? COOK_OK
               : cook_error_set(error, COOK_E_USAGE,
                                "what finding %s was about is not kept any more", id);
}

static enum cook_status decode(struct cook_run_facts *facts, const cJSON *json,
                               struct cook_arena *arena, struct cook_error *error)
{
    char *text = cJSON_IsObject(json) ? cJSON_PrintUnformatted(json) : NULL;
    enum cook_status status = cook_run_facts_decode(facts, text ? text : "{}", arena, error);
    cJSON_free(text);
    return status;
}

static enum cook_status read_facts(struct replay *replay, struct cook_error *error)
{
    struct cook_buf bytes = COOK_BUF_INIT;
    enum cook_status status =
        cook_overlay_get(&bytes, replay->project.fd, replay->row.id, "facts.json", error);
    if (status == COOK_E_NOT_FOUND)
        status =
            cook_error_set(error, COOK_E_USAGE,
                           "what finding %s was found by is not kept any more: it cannot be "
                           "replayed",
                           replay->row.id);
    if (status == COOK_OK) {
        cJSON *facts = cJSON_ParseWithLength((const char *)bytes.data, bytes.size);
        status = decode(&replay->then, cJSON_GetObjectItemCaseSensitive(facts, "kept"),
                        &replay->arena, error);
        if (status == COOK_OK)
            status = decode(&replay->now, cJSON_GetObjectItemCaseSensitive(facts, "now"),
                            &replay->arena, error);
        cJSON_Delete(facts);
    }
    cook_buf_finish(&bytes);
    return status;
}

/* ---- what caused it ---- */

static const char *assignment(struct replay *replay, const struct cook_run_facts *facts,
                              const char *name)
{
    const char *value = cook_fact_find(&facts->environment, name);
    return value ? cook_arena_printf(&replay->arena, "%s=%s", name, value)
                 : cook_arena_strdup(&replay->arena, name);
}

static void note(struct replay *replay, const char *what)
{
    struct replay_trigger *trigger = &replay->trigger;
    const char *text = cook_arena_printf(&replay->arena, "%s%s%s", trigger->text,
                                         *trigger->text ? ", " : "", what);
    trigger->text = text ? text : trigger->text;
}

static enum cook_status make_trigger(struct replay *replay, struct cook_error *error)
{
    struct replay_trigger *trigger = &replay->trigger;
    const cJSON *cause, *input;
    size_t count = 1;
    size_t variables = 0;
    size_t files = 0;
    trigger->text = "";
    cJSON_ArrayForEach(cause, cJSON_GetObjectItemCaseSensitive(replay->finding, "causes"))
        count += (size_t)cJSON_GetArraySize(cJSON_GetObjectItemCaseSensitive(cause, "inputs"));
    trigger->then = cook_arena_alloc(&replay->arena, count * sizeof(char *));
    trigger->now = cook_arena_alloc(&replay->arena, count * sizeof(char *));
    trigger->files = cook_arena_alloc(&replay->arena, count * sizeof(char *));
    if (!trigger->then || !trigger->now || !trigger->files)
        return cook_error_no_memory(error);
    cJSON_ArrayForEach(cause, cJSON_GetObjectItemCaseSensitive(replay->finding, "causes"))
    {
        const char *kind = replay_text(cause, "kind");
        if (strcmp(kind, validate_cause_text(VALIDATE_CAUSE_CODE_CHANGED)) == 0) {
            trigger->plugins = true;
            note(replay, "the plugins");
        } else if (strcmp(kind, validate_cause_text(VALIDATE_CAUSE_COMMAND_LINE)) == 0) {
            trigger->tokens = true;
            note(replay, "the command line");
        }
        cJSON_ArrayForEach(input, cJSON_GetObjectItemCaseSensitive(cause, "inputs"))
        {
            const char *key = replay_text(input, "key");
            if (strcmp(replay_text(input, "kind"), "env") == 0) {
                trigger->then[variables] = assignment(replay, &replay->then, key);
                trigger->now[variables++] = assignment(replay, &replay->now, key);
                note(replay, key);
            } else if (strcmp(replay_text(input, "kind"), "file") == 0) {
                trigger->files[files++] = key;
                note(replay, key);
            }
        }
    }
    return COOK_OK;
}

/* ---- judging ---- */

/* A byte more may not matter to the class; whether the file is there more likely does. A
 * package that cannot be cooked without it says nothing. */
static enum cook_status try_absent(struct replay *replay, struct replay_outcome *outcome,
                                   struct cook_error *error)
{
    struct replay_outcome without;
    replay->trigger.absent = true;
    enum cook_status status = replay_once(replay, &without, "absent", NULL, error);
    if (status == COOK_OK && (without.differs || without.recooked))
        *outcome = without;
    return status == COOK_E_FAILED ? COOK_OK : status;
}

static enum cook_status judge_skip(struct replay *replay, struct cook_error *error)
{
    struct replay_outcome today, control;
    struct cook_arena *arena = &replay->arena;
    const char *what = replay->trigger.text;
    enum cook_status status = replay_once(replay, &today, "today", NULL, error);
    if (status == COOK_OK && replay->trigger.substituted && !today.recooked && !today.differs)
        status = try_absent(replay, &today, error);
    if (status != COOK_OK)
        return status;
    if (today.differs) {
        replay->verdict = REPLAY_STILL_THERE;
        replay->reason = cook_arena_printf(
            arena, "%s changed, %s, and then its recook differs from the kept result", what,
            today.recooked ? "the package is recooked" : "the package is skipped");
    } else if (today.opted_out) {
        replay->reason =
            "the package is recooked each time, for its class is opted out: that closes no "
            "cause";
    } else if (!today.validated) {
        replay->reason = "the package could not be validated in the replay";
    } else if (today.recooked) {
        replay->verdict = REPLAY_GONE;
        replay->reason = cook_arena_printf(arena, "%s changed, and the package is recooked: %s",
                                           what, today.reason);
    } else if (replay->trigger.substituted) {
        replay->reason = cook_arena_printf(arena,
                                           "the package is skipped when %s changes, and comes "
                                           "out the same; what it was at the "
                                           "kept cook is not known, so that shows nothing",
                                           what);
    } else {
        status = replay_once(replay, &control, "then", &replay->now, error);
        if (status == COOK_OK && control.differs) {
            replay->verdict = REPLAY_GONE;
            replay->reason = cook_arena_printf(
                arena,
                "%s does not shape the result any more; with the plugins of then it does",
                what);
        } else if (status == COOK_OK || status == COOK_E_NOT_FOUND) {
            status = COOK_OK;
            replay->reason =
                "the package comes out the same, but the plugins of then do not show the "
                "finding in this replay either, or are not kept any more";
        }
    }
    return status == COOK_OK && !replay->reason ? cook_error_no_memory(error) : status;
}

static enum cook_status judge_noise(struct replay *replay, struct cook_error *error)
{
    bool today = false;
    bool then = false;
    enum cook_status status = replay_determinism(replay, &today, "today", NULL, error);
    if (status == COOK_OK && today) {
        replay->verdict = REPLAY_STILL_THERE;
        replay->reason = "cooks of the same inputs still differ";
        return COOK_OK;
    }
    if (status == COOK_OK)
        status = replay_determinism(replay, &then, "then", &replay->now, error);
    if (status == COOK_OK && then) {
        replay->verdict = REPLAY_GONE;
        replay->reason = "no perturbation makes cooks differ; with the plugins of then some do";
    } else if (status == COOK_OK || status == COOK_E_NOT_FOUND) {
        status = COOK_OK;
        replay->reason =
            "cooks agree, but those with the plugins of then agree too, or these are not "
            "kept any more: a clean run is no proof";
    }
    return status;
}

static enum cook_status judge(struct replay *replay, struct cook_error *error)
{
    bool noise = strcmp(replay->row.verdict, "indeterminate") == 0 ||
                 strcmp(replay->row.verdict, "both") == 0;
    bool skip = strcmp(replay->row.verdict, "indeterminate") != 0;
    enum cook_status status = make_trigger(replay, error);
    if (status == COOK_OK && skip && !*replay->trigger.text) {
        replay->reason = "its cause is not one that can be replayed";
        return COOK_OK;
    }
    if (status == COOK_OK && skip)
        status = judge_skip(replay, error);
    if (status != COOK_OK || !noise || (skip && replay->verdict != REPLAY_GONE))
        return status;
    replay->verdict = REPLAY_NOT_SHOWN;
    status = cook_fs_remove_tree(replay->work_fd, "today", error);
    if (status == COOK_OK)
        status = cook_fs_remove_tree(replay->work_fd, "then", error);
    return status == COOK_OK ? judge_noise(replay, error) : status;
}

/* ---- output ---- */

static const char *verdict_text(const struct replay *replay)
{
    switch (replay->verdict) {
    case REPLAY_GONE:
        return "gone";
    case REPLAY_STILL_THERE:
        return "still there";
    case REPLAY_NOT_SHOWN:
        break;
    }
    return "not shown";
}

static void replace(cJSON *object, const char *key, const char *text)
{
    cJSON_DeleteItemFromObjectCaseSensitive(object, key);
    cJSON_AddStringToObject(object, key, text);
}

static cJSON *make_document(const struct replay *replay, const struct cook_recording *recording)
{
    cJSON *document = cJSON_CreateObject();
    cJSON *finding = cJSON_Duplicate(replay->finding, true);
    cJSON_AddStringToObject(document, "schema", "cookproof/replay/1");
    cJSON_AddStringToObject(document, "project", replay->project.name);
    cJSON_AddStringToObject(document, "target", replay->project.target);
    cook_recording_stamp(recording, document);
    cJSON *summary = cJSON_AddObjectToObject(document, "summary");
    cJSON_AddBoolToObject(summary, "gone", replay->verdict == REPLAY_GONE);
    cJSON_AddNumberToObject(summary, "seconds", recording->seconds);
    cJSON_AddStringToObject(document, "verdict", verdict_text(replay));
    cJSON_AddStringToObject(document, "reason", replay->reason);
    cJSON_AddStringToObject(document, "replayed", replay->trigger.text);
    cook_cli_add_statuses(replay->cli, document);
    if (replay->verdict == REPLAY_GONE)
        replace(finding, "state", validate_state_text(VALIDATE_GONE));
    else
        replace(finding, "state", replay->row.state);
    replace(finding, "reason", replay->reason);
    cJSON_AddItemToArray(cJSON_AddArrayToObject(document, "findings"), finding);
    return document;
}

static enum cook_status conclude(struct replay *replay, int64_t started_ns,
                                 struct cook_error *error)
{
    struct cook_cli as_replay = *replay->cli;
    struct cook_recording recording = { .cli = &as_replay,
                                        .project = &replay->project,
                                        .started_ns = started_ns,
                                        .history = replay->history };
    int64_t now_ns;
    enum cook_status status = cook_fs_now(&now_ns, replay->project.fd, error);
    if (status != COOK_OK)
        return status;
    replay->cli->statuses[COOK_EXIT_FINDINGS] = replay->verdict != REPLAY_GONE;
    as_replay.statuses[COOK_EXIT_FINDINGS] = replay->verdict != REPLAY_GONE;
    as_replay.verb =
        "replay"; /* it says nothing of the other packages: no validation of the project */
    recording.seconds = (double)(now_ns - started_ns) / 1e9;
    cook_recording_begin(&recording, NULL, cook_recording_patience_ms(recording.seconds));
    cJSON *document = make_document(replay, &recording);
    status = cook_recording_end(&recording, document, error);
    if (status == COOK_OK)
        status = cook_cli_write_json(replay->cli, document, error);
    cJSON_Delete(document);
    fprintf(replay->cli->out, "%s: %s  [%s]\n    %s\n", verdict_text(replay),
            replay->row.package, replay->row.id, replay->reason);
    return status;
}

/* ---- the whole ---- */

static enum cook_status open_work(struct replay *replay, struct cook_error *error)
{
    const char *base = getenv("TMPDIR");
    char *path = cook_arena_printf(&replay->arena, "%s/cook-replay-XXXXXX",
                                   base && *base == '/' ? base : "/tmp");
    if (!path)
        return cook_error_no_memory(error);
    if (!mkdtemp(path))
        return cook_error_set_errno(error, "cannot make a folder to work in");
    replay->work = path;
    replay->work_fd = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    return replay->work_fd >= 0 ? COOK_OK
                                : cook_error_set_errno(error, "cannot open '%s'", path);
}

static enum cook_status run(struct replay *replay, const char *id, struct cook_error *error)
{
    int64_t started_ns;
    enum cook_status status =
        cook_project_open(&replay->project, &replay->cli->run.project, error);
    if (status == COOK_OK)
        status = cook_fs_now(&started_ns, replay->project.fd, error);
    if (status == COOK_OK)
        status = cook_history_open(&replay->history, replay->project.fd, error);
    if (status == COOK_OK)
        status = find_finding(replay, id, error);
    if (status == COOK_OK)
        status = read_facts(replay, error);
    if (status == COOK_OK)
        status = open_work(replay, error);
    if (status == COOK_OK && !replay->cli->quiet)
        fprintf(replay->cli->out, "Replay: finding %s of %s for %s\n", replay->row.id,
                replay->project.name, replay->project.target);
    (void)fflush(replay->cli->out);
    if (status == COOK_OK)
        status = judge(replay, error);
    return status == COOK_OK ? conclude(replay, started_ns, error) : status;
}

enum cook_status replay_finding(struct cook_cli *cli, const char *id, struct cook_error *error)
{
    struct replay replay = { .cli = cli, .project = { .fd = -1 }, .work_fd = -1 };
    enum cook_status status = run(&replay, id, error);
    if (replay.work_fd >= 0)
        close(replay.work_fd);
    if (replay.work) /* what is left of it is no reason to fail */
        (void)!cook_fs_remove_tree(AT_FDCWD, replay.work, NULL);
    cJSON_Delete(replay.finding);
    cook_history_close(replay.history);
    cook_project_finish(&replay.project);
    cook_arena_finish(&replay.arena);
    return status;
}
