/* The verb cook-churn. */
#include "validate/churn.h"

#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cook/base/fs.h"

#define STATE_FILE "churn.json"
#define MAX_STATE  (UINT64_C(256) << 20)
#define ROWS       "rows"

/* ---- the state ---- */

static enum cook_status save(struct churn *churn, struct cook_error *error)
{
    char *text = cJSON_Print(churn->state);
    enum cook_status status =
        text ? cook_fs_write(churn->work_fd, STATE_FILE, text, strlen(text), true, error)
             : cook_error_no_memory(error);
    cJSON_free(text);
    return status;
}

static enum cook_status load(struct churn *churn, struct cook_error *error)
{
    struct cook_buf text = COOK_BUF_INIT;
    enum cook_status status =
        cook_fs_read(&text, NULL, churn->work_fd, STATE_FILE, MAX_STATE, error);
    if (status == COOK_OK) {
        churn->state = cJSON_ParseWithLength((const char *)text.data, text.size);
        if (!cJSON_IsArray(cJSON_GetObjectItemCaseSensitive(churn->state, ROWS)) ||
            !cJSON_IsArray(cJSON_GetObjectItemCaseSensitive(churn->state, "steps")))
            status = cook_error_set(
                error, COOK_E_DAMAGED,
                "%s/" STATE_FILE " is damaged; remove the folder to begin anew", churn->work);
    }
    cook_buf_finish(&text);
    return status;
}

static bool same_source(const struct churn *churn)
{
    return strcmp(churn_text(churn->state, "source"), churn->source) == 0 &&
           strcmp(churn_text(churn->state, "range"), churn->range ? churn->range : "") == 0;
}

/* A later bisection makes the steps as they were made. */
static void remember_options(struct churn *churn)
{
    cJSON *build = cJSON_AddArrayToObject(churn->state, "build");
    for (size_t i = 0; i < churn->cli.class_argument_count; i++)
        cJSON_AddItemToArray(build, cJSON_CreateString(churn->cli.class_arguments[i]));
    cJSON_AddStringToObject(churn->state, "content", churn->content);
    cJSON_AddStringToObject(churn->state, "skeleton", churn->skeleton ? churn->skeleton : "");
    cJSON_AddStringToObject(churn->state, "project",
                            churn->cli.folder ? churn->cli.folder : "");
}

static enum cook_status recall_option(char **option, const struct churn *churn, const char *key,
                                      struct cook_error *error)
{
    const char *text = churn_text(churn->state, key);
    free(*option);
    *option = *text ? strdup(text) : NULL;
    return *text && !*option ? cook_error_no_memory(error) : COOK_OK;
}

static enum cook_status recall_options(struct churn *churn, struct cook_error *error)
{
    const cJSON *build = cJSON_GetObjectItemCaseSensitive(churn->state, "build");
    const cJSON *word;
    size_t count = 0;
    const char **words = cook_arena_alloc(
        &churn->arena, ((size_t)cJSON_GetArraySize(build) + 1) * sizeof(char *));
    if (!words)
        return cook_error_no_memory(error);
    cJSON_ArrayForEach(word, build)
    {
        if (cJSON_IsString(word))
            words[count++] = word->valuestring;
    }
    churn->cli.class_arguments = words;
    churn->cli.class_argument_count = count;
    enum cook_status status = recall_option(&churn->content, churn, "content", error);
    if (status == COOK_OK)
        status = recall_option(&churn->skeleton, churn, "skeleton", error);
    if (status == COOK_OK)
        status = recall_option(&churn->cli.folder, churn, "project", error);
    return status;
}

static enum cook_status begin(struct churn *churn, struct cook_error *error)
{
    cJSON *steps;
    churn->state = cJSON_CreateObject();
    cJSON_AddStringToObject(churn->state, "source", churn->source);
    cJSON_AddStringToObject(churn->state, "range", churn->range ? churn->range : "");
    remember_options(churn);
    enum cook_status status = churn_list(churn, &steps, error);
    cJSON_AddItemToObject(churn->state, "steps", steps);
    cJSON_AddArrayToObject(churn->state, ROWS);
    if (status == COOK_OK && cJSON_GetArraySize(steps) < 2)
        return cook_error_set(error, COOK_E_USAGE, "there is no step to replay");
    return status == COOK_OK ? save(churn, error) : status;
}

/* ---- the folder ---- */

static enum cook_status open_work(struct churn *churn, struct cook_error *error)
{
    const char *name = churn->work_option ? churn->work_option : "cook-churn";
    if (mkdir(name, 0777) != 0 && access(name, W_OK) != 0)
        return cook_error_set_errno(error, "cannot make the work folder '%s'", name);
    char *whole = realpath(name, NULL);
    churn->work = whole ? cook_arena_strdup(&churn->arena, whole) : NULL;
    free(whole);
    churn->work_fd = open(name, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (!churn->work || churn->work_fd < 0)
        return cook_error_set_errno(error, "cannot open the work folder '%s'", name);
    if (flock(churn->work_fd, LOCK_EX | LOCK_NB) != 0)
        return cook_error_set(error, COOK_E_LOCKED, "another churn is using %s", churn->work);
    churn->tree = cook_arena_printf(&churn->arena, "%s/tree", churn->work);
    const char *below = churn->cli.folder ? churn->cli.folder : "";
    churn->project =
        cook_arena_printf(&churn->arena, "%s%s%s", churn->tree, *below ? "/" : "", below);
    return churn->tree && churn->project ? COOK_OK : cook_error_no_memory(error);
}

static enum cook_status find_source(struct churn *churn, struct cook_error *error)
{
    static const char *const none[] = { NULL, NULL };
    const char *const *arguments = churn->cli.arguments ? churn->cli.arguments : none;
    if (!arguments[0] && churn->bisect) { /* as in the state */
        enum cook_status status = load(churn, error);
        churn->source = churn_text(churn->state, "source");
        churn->range =
            *churn_text(churn->state, "range") ? churn_text(churn->state, "range") : NULL;
        if (status == COOK_E_NOT_FOUND)
            return cook_error_set(error, COOK_E_USAGE, "nothing was replayed in %s",
                                  churn->work);
        return status == COOK_OK ? recall_options(churn, error) : status;
    }
    if (!arguments[0] || (arguments[1] && arguments[2]))
        return cook_error_set(
            error, COOK_E_USAGE,
            "cook churn takes a git repository and a range of commits, or a folder "
            "with base/ and history/");
    char *whole = realpath(arguments[0], NULL);
    if (!whole)
        return cook_error_set(error, COOK_E_USAGE, "there is no folder '%s'", arguments[0]);
    churn->source = cook_arena_strdup(&churn->arena, whole);
    free(whole);
    churn->range = arguments[1];
    char *skeleton = churn->skeleton ? realpath(churn->skeleton, NULL) : NULL;
    if (churn->skeleton && !skeleton)
        return cook_error_set(error, COOK_E_USAGE, "there is no folder '%s'", churn->skeleton);
    free(churn->skeleton);
    churn->skeleton = skeleton;
    return churn->source ? COOK_OK : cook_error_no_memory(error);
}

/* ---- replaying ---- */

static void tell(const struct churn *churn, int step, int count, const cJSON *row)
{
    if (churn->cli.quiet)
        return;
    fprintf(churn->cli.err, "%d of %d: %.10s cooked %.0f, false skips %.0f, indeterminate %.0f\n", step,
            count - 1, churn_text(row, "step"), churn_number(row, "cooked"),
            churn_number(row, "false_skips") + churn_number(row, "both"),
            churn_number(row, "indeterminate") + churn_number(row, "both"));
}

/* A step that was stopped half way is made again as a whole: "at" tells what is checked out. */
static enum cook_status replay(struct churn *churn, struct cook_error *error)
{
    cJSON *rows = cJSON_GetObjectItemCaseSensitive(churn->state, ROWS);
    int count = cJSON_GetArraySize(cJSON_GetObjectItemCaseSensitive(churn->state, "steps"));
    enum cook_status status = COOK_OK;
    for (int step = cJSON_GetArraySize(rows); status == COOK_OK && step < count; step++) {
        cJSON *row;
        if (step == 0) /* nothing of a first attempt is left standing */
            status = cook_fs_remove_tree(churn->work_fd, "tree", error);
        if (status == COOK_OK)
            status = churn_check_out(churn, "tree", step ? step - 1 : -1, step, error);
        if (status == COOK_OK)
            status = churn_step(churn, &row, step, error);
        if (status != COOK_OK)
            return status;
        cJSON_AddItemToArray(rows, row);
        status = save(churn, error);
        tell(churn, step, count, row);
    }
    return status;
}

static enum cook_status run(struct churn *churn, struct cook_error *error)
{
    enum cook_status status = open_work(churn, error);
    if (status == COOK_OK)
        status = find_source(churn, error);
    if (status == COOK_OK && !churn->state) {
        status = load(churn, error);
        if (status == COOK_E_NOT_FOUND)
            status = begin(churn, error);
        else if (status == COOK_OK && !same_source(churn))
            status = cook_error_set(
                error, COOK_E_USAGE,
                "%s holds a replay of %s %s; name another folder with --work", churn->work,
                churn_text(churn->state, "source"), churn_text(churn->state, "range"));
    }
    if (status != COOK_OK)
        return status;
    if (churn->bisect)
        return churn_bisect(churn, error);
    if (!churn->cli.quiet)
        fprintf(churn->cli.out, "Churn: %s %s\n", churn->source,
                churn->range ? churn->range : "");
    (void)fflush(churn->cli.out);
    status = replay(churn, error);
    return status == COOK_OK ? churn_report(churn, error) : status;
}

int churn_main(int argc, const char **argv)
{
    struct churn churn = { .work_fd = -1 };
    struct cook_error error = COOK_ERROR_INIT;
    struct poptOption own[] = {
        { "workers", 0, POPT_ARG_INT, &churn.cli.workers, 0,
          "worker processes (default: processors)", "N" },
        { "compare", 0, POPT_ARG_NONE, &churn.compare, 0,
          "compare each step with a full cook too", NULL },
        { "work", 0, POPT_ARG_STRING, &churn.work_option, 0,
          "the work folder (default: cook-churn); a replay that was stopped there goes on",
          "DIR" },
        { "content", 0, POPT_ARG_STRING, &churn.content, 0,
          "where the files of numbered steps belong in the project (default: Content)", "DIR" },
        { "skeleton", 0, POPT_ARG_STRING, &churn.skeleton, 0,
          "a project to put numbered steps into", "DIR" },
        { "bisect", 0, POPT_ARG_STRING, &churn.bisect, 0,
          "find the changed files of its step that cause this false skip", "ID" },
        POPT_TABLEEND
    };
    int exit_status = cook_cli_begin(&churn.cli, "churn",
                                     "[OPTION...] REPOSITORY FROM..TO [-- BUILD COMMAND]",
                                     COOK_CLI_PROJECT, own, argc, argv);
    if (!churn.content)
        churn.content = strdup("Content");
    if (exit_status < 0)
        exit_status = cook_cli_finish(&churn.cli, run(&churn, &error), &error);
    cJSON_Delete(churn.state);
    if (churn.work_fd >= 0)
        close(churn.work_fd);
    free(churn.work_option);
    free(churn.content);
    free(churn.skeleton);
    free(churn.bisect);
    cook_arena_finish(&churn.arena);
    cook_cli_end(&churn.cli);
    return exit_status;
}
