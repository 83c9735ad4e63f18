/* The cooks of a replay, by the verbs that people use. */
#include <fcntl.h>
#include <string.h>
#include <unistd.h>

#include "cook/base/child.h"
#include "cook/base/fs.h"
#include "validate/replay_private.h"

#define MAX_OUTPUT   (1u << 20)
#define MAX_DOCUMENT (UINT64_C(256) << 20)

/* The plugins of a build instead of those that the project finds. */
static enum cook_status add_plugins(struct cook_child_words *words, struct replay *replay,
                                    const struct cook_run_facts *builds,
                                    struct cook_error *error)
{
    for (size_t i = 0; builds && i < builds->plugins.count; i++) {
        const char *id = builds->plugins.items[i].value;
        const char *path = cook_arena_printf(&replay->arena, "%s/Saved/Cook/%s/plugins/%s.so",
                                             replay->project.path, replay->project.target, id);
        if (!path)
            return cook_error_no_memory(error);
        if (access(path, R_OK) != 0)
            return cook_error_set(error, COOK_E_NOT_FOUND,
                                  "build %s of %s is not kept any more", id,
                                  builds->plugins.items[i].name);
        cook_child_add(words, "--ini");
        cook_child_add(words,
            cook_arena_printf(&replay->arena, "Project.%sPlugin=%s", i ? "+" : "", path));
    }
    return COOK_OK;
}

struct call {
    const char *verb;
    const char *name;           /* of the copy */
    const char *package_option; /* "--map" or "--package" */
    const char *const *more;    /* NULL-terminated; NULL: none */
    const struct cook_run_facts *builds;
    bool old; /* variables and tokens of the kept cook */
};

static enum cook_status make_words(struct cook_child_words *words, struct replay *replay,
                                   const struct call *call,
                                   struct cook_error *error)
{
    const struct cook_run_facts *facts =
        call->old && replay->trigger.tokens ? &replay->then : &replay->now;
    cook_child_add(words, cook_arena_printf(&replay->arena, "cook-%s", call->verb));
    cook_child_add(words, "-C");
    cook_child_add(words, cook_arena_printf(&replay->arena, "%s/%s", replay->work, call->name));
    cook_child_add(words, "--target");
    cook_child_add(words, replay->project.target);
    cook_child_add(words, "--json");
    cook_child_add(words, cook_arena_printf(&replay->arena, "%s/%s.json", replay->work, call->name));
    cook_child_add(words, call->package_option);
    cook_child_add(words, replay->row.package);
    if (strcmp(call->package_option, "--map") != 0) { /* the same roots as the cooks */
        cook_child_add(words, "--map");
        cook_child_add(words, replay->row.package);
    }
    for (size_t i = 0; call->more && call->more[i]; i++)
        cook_child_add(words, call->more[i]);
    for (size_t i = 0; i < replay->now.override_count; i++) {
        cook_child_add(words, "--ini");
        cook_child_add(words, replay->now.overrides[i]);
    }
    for (size_t i = 0; i < replay->cli->run.project.override_count; i++) {
        cook_child_add(words, "--ini");
        cook_child_add(words, replay->cli->run.project.overrides[i]);
    }
    enum cook_status status = add_plugins(words, replay, call->builds, error);
    cook_child_add(words, "--");
    for (size_t i = 0; facts->tokens && i < facts->token_count; i++)
        cook_child_add(words, facts->tokens[i]);
    return status == COOK_OK && words->failed ? cook_error_no_memory(error) : status;
}

/* Run a verb; its document comes out, and what it printed is in `out`. */
static enum cook_status run_verb(struct replay *replay, cJSON **document, struct cook_buf *out,
                                 const struct call *call, struct cook_error *error)
{
    struct cook_child_words words = { 0 };
    struct cook_child child = COOK_CHILD_INIT;
    struct cook_buf bytes = COOK_BUF_INIT;
    char path[64];
    int exit_status = 0;
    *document = NULL;
    enum cook_status status = make_words(&words, replay, call, error);
    child.program = cook_child_verb_path(call->verb, &replay->arena);
    child.argv = words.items;
    child.set = call->old ? replay->trigger.then : replay->trigger.now;
    child.out = out;
    child.max_out_bytes = MAX_OUTPUT;
    child.err_fd = replay->cli->verbose ? STDERR_FILENO : -1;
    if (status == COOK_OK)
        status = cook_child_run(&exit_status, &child, error);
    if (status == COOK_OK && exit_status > COOK_EXIT_FINDINGS)
        status = cook_error_set(error, COOK_E_FAILED,
                                "cook %s of the replay ended with exit status %d; -v shows why",
                                call->verb, exit_status);
    (void)snprintf(path, sizeof(path), "%s.json", call->name);
    if (status == COOK_OK)
        status = cook_fs_read(&bytes, NULL, replay->work_fd, path, MAX_DOCUMENT, error);
    if (status == COOK_OK) {
        *document = cJSON_ParseWithLength((const char *)bytes.data, bytes.size);
        if (!*document)
            status = cook_error_set(error, COOK_E_MALFORMED, "cook %s wrote no document",
                                    call->verb);
    }
    cook_buf_finish(&bytes);
    cook_child_words_finish(&words);
    return status;
}

static enum cook_status run_silently(struct replay *replay, const struct call *call,
                                     struct cook_error *error)
{
    struct cook_buf out = COOK_BUF_INIT;
    cJSON *document;
    enum cook_status status = run_verb(replay, &document, &out, call, error);
    cJSON_Delete(document);
    cook_buf_finish(&out);
    return status;
}

/* ---- what the change does ---- */

/* The lines under "would cook PACKAGE: key changed": the dependencies that changed. */
static const char *changed_lines(struct replay *replay, struct cook_buf *out)
{
    const char *text = cook_buf_text(out);
    const char *head = cook_arena_printf(&replay->arena, "would cook %s: key changed\n    ",
                                         replay->row.package);
    const char *at = head ? strstr(text, head) : NULL;
    if (!at)
        return "";
    at += strlen(head);
    const char *line = cook_arena_strndup(&replay->arena, at, strcspn(at, "\n"));
    return line ? line : "";
}

static enum cook_status plan(struct replay *replay, struct replay_outcome *outcome,
                             const struct call *call, struct cook_error *error)
{
    struct cook_buf out = COOK_BUF_INIT;
    cJSON *document;
    const cJSON *package;
    enum cook_status status = run_verb(replay, &document, &out, call, error);
    outcome->reason = changed_lines(replay, &out);
    cJSON_ArrayForEach(package, cJSON_GetObjectItemCaseSensitive(document, "packages"))
    {
        const char *reason = replay_text(package, "reason");
        if (strcmp(replay_text(package, "name"), replay->row.package) != 0 ||
            strcmp(replay_text(package, "result"), "would cook") != 0)
            continue;
        outcome->recooked = strcmp(reason, "key changed") == 0;
        outcome->opted_out = strncmp(reason, "opted-out", 9) == 0;
    }
    cJSON_Delete(document);
    cook_buf_finish(&out);
    return status;
}

static enum cook_status validate_now(struct replay *replay, struct replay_outcome *outcome,
                                     const struct call *call, struct cook_error *error)
{
    struct cook_buf out = COOK_BUF_INIT;
    cJSON *document;
    const cJSON *finding;
    enum cook_status status = run_verb(replay, &document, &out, call, error);
    const cJSON *summary = cJSON_GetObjectItemCaseSensitive(document, "summary");
    const cJSON *validated = cJSON_GetObjectItemCaseSensitive(summary, "validated");
    outcome->validated = cJSON_IsNumber(validated) && validated->valuedouble > 0;
    cJSON_ArrayForEach(finding, cJSON_GetObjectItemCaseSensitive(document, "findings"))
        outcome->differs |= cJSON_IsTrue(cJSON_GetObjectItemCaseSensitive(finding, "seen")) &&
                            strcmp(replay_text(finding, "package"), replay->row.package) == 0;
    cJSON_Delete(document);
    cook_buf_finish(&out);
    return status;
}

enum cook_status replay_once(struct replay *replay, struct replay_outcome *outcome,
                             const char *name, const struct cook_run_facts *builds,
                             struct cook_error *error)
{
    static const char *const dry[] = { "--dry-run", NULL };
    const struct replay_trigger *trigger = &replay->trigger;
    const struct call before = {
        "full", name, "--map", NULL, trigger->plugins ? &replay->then : builds, true
    };
    const struct call planned = { "incremental", name, "--map", dry, builds, false };
    const struct call after = { "incremental", name, "--map", NULL, builds, false };
    const struct call check = {
        "incremental-validate", name, "--package", NULL, builds, false
    };
    *outcome = (struct replay_outcome){ .reason = "" };
    enum cook_status status = replay_copy(replay, name, error);
    for (size_t i = 0; status == COOK_OK && trigger->files && trigger->files[i]; i++) {
        bool known = false;
        status = replay_old_file(replay, name, trigger->files[i], &known, error);
        replay->trigger.substituted |= !known;
    }
    if (status == COOK_OK)
        status = run_silently(replay, &before, error);
    for (size_t i = 0; status == COOK_OK && trigger->files && trigger->files[i]; i++)
        status = replay_new_file(replay, name, trigger->files[i], error);
    if (status == COOK_OK)
        status = plan(replay, outcome, &planned, error);
    if (status == COOK_OK && outcome->recooked)
        status = run_silently(replay, &after, error);
    if (status == COOK_OK && !outcome->opted_out)
        status = validate_now(replay, outcome, &check, error);
    return status;
}

enum cook_status replay_determinism(struct replay *replay, bool *unstable, const char *name,
                                    const struct cook_run_facts *builds,
                                    struct cook_error *error)
{
    const struct call call = { "determinism", name, "--package", NULL, builds, false };
    struct cook_buf out = COOK_BUF_INIT;
    cJSON *document;
    enum cook_status status = replay_copy(replay, name, error);
    if (status == COOK_OK)
        status = run_verb(replay, &document, &out, &call, error);
    else
        document = NULL;
    *unstable = cJSON_GetArraySize(cJSON_GetObjectItemCaseSensitive(document, "findings")) != 0;
    cJSON_Delete(document);
    cook_buf_finish(&out);
    return status;
}
