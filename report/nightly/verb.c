#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "cook/base/child.h"
#include "cook/base/fs.h"
#include "report/nightly/nightly.h"
#include "report/report.h"

#define FOLDER     "Saved/Nightly"
#define MAX_WORDS  32
#define MAX_BYTES  (UINT64_C(1) << 20)
#define LEAST_SECONDS 1.0 /* of validation, whatever is left of the time */

enum step { STEP_INCREMENTAL, STEP_VALIDATE, STEP_REPORT, STEP_GATE, STEP_COUNT };
static const char *const step_names[STEP_COUNT] = { "incremental", "incremental-validate", "report",
                                                    "gate" };

struct verb {
    struct cook_cli cli;
    struct cook_project project;
    struct cook_arena arena;
    char *policy, *output;
    double time_limit;
    int again;
    /* of the state file */
    cJSON *state; /* {"open", "statuses": {step: exit status}, "next"} */
    char *state_path, *validation_path, *report_path, *pictures_path; /* relative to the project */
    double started;
    int statuses[STEP_COUNT]; /* -1: not run */
};

static double now(void)
{
    struct timespec time;
    (void)clock_gettime(CLOCK_MONOTONIC, &time);
    return (double)time.tv_sec + (double)time.tv_nsec / 1e9;
}

/* ---- what is done ---- */

static enum cook_status load_state(struct verb *verb, struct cook_error *error)
{
    struct cook_buf text = COOK_BUF_INIT;
    const char *target = verb->project.target;
    verb->state_path = cook_arena_printf(&verb->arena, FOLDER "/%s.json", target);
    verb->validation_path = cook_arena_printf(&verb->arena, FOLDER "/%s-validation.json", target);
    verb->report_path = cook_arena_printf(&verb->arena, FOLDER "/%s.html", target);
    verb->pictures_path = cook_arena_printf(&verb->arena, FOLDER "/%s-pictures", target);
    if (!verb->state_path || !verb->validation_path || !verb->report_path || !verb->pictures_path)
        return cook_error_no_memory(error);
    enum cook_status status = cook_fs_make_folders(verb->project.fd, FOLDER, error);
    if (status != COOK_OK)
        return status;
    status = cook_fs_read(&text, NULL, verb->project.fd, verb->state_path, MAX_BYTES, error);
    if (status == COOK_OK)
        verb->state = cJSON_ParseWithLength((const char *)text.data, text.size);
    cook_buf_finish(&text);
    if (status != COOK_OK && status != COOK_E_NOT_FOUND)
        return status;
    if (!cJSON_IsObject(verb->state)) { /* none, or broken: a night from the start loses nothing */
        cJSON_Delete(verb->state);
        verb->state = cJSON_CreateObject();
    }
    return COOK_OK;
}

static enum cook_status save_state(struct verb *verb, struct cook_error *error)
{
    char *text = cJSON_Print(verb->state);
    if (!text)
        return cook_error_no_memory(error);
    enum cook_status status = cook_fs_write(verb->project.fd, verb->state_path, text, strlen(text),
                                            true, error);
    cJSON_free(text);
    return status;
}

/* Begin a night, or go on with the one that was cut short. */
static bool resume(struct verb *verb)
{
    const cJSON *done = cJSON_GetObjectItemCaseSensitive(verb->state, "statuses");
    bool open = !verb->again &&
                cJSON_IsTrue(cJSON_GetObjectItemCaseSensitive(verb->state, "open"));
    for (int i = 0; i < STEP_COUNT; i++) {
        const cJSON *status = cJSON_GetObjectItemCaseSensitive(done, step_names[i]);
        verb->statuses[i] = open && cJSON_IsNumber(status) ? status->valueint : -1;
    }
    if (!open) {
        cJSON_DeleteItemFromObjectCaseSensitive(verb->state, "statuses");
        cJSON_DeleteItemFromObjectCaseSensitive(verb->state, "open");
        cJSON_AddObjectToObject(verb->state, "statuses");
        cJSON_AddTrueToObject(verb->state, "open");
    }
    return open;
}

static enum cook_status note_step(struct verb *verb, enum step step, int exit_status,
                                  struct cook_error *error)
{
    cJSON *done = cJSON_GetObjectItemCaseSensitive(verb->state, "statuses");
    cJSON_DeleteItemFromObjectCaseSensitive(done, step_names[step]);
    cJSON_AddNumberToObject(done, step_names[step], exit_status);
    verb->statuses[step] = exit_status;
    return save_state(verb, error);
}

/* Where the next validation goes on; nowhere when this one came around. */
static void note_next(struct verb *verb)
{
    struct cook_buf text = COOK_BUF_INIT;
    cJSON *document = NULL;
    if (cook_fs_read(&text, NULL, verb->project.fd, verb->validation_path, UINT64_C(1) << 30, NULL) ==
        COOK_OK)
        document = cJSON_ParseWithLength((const char *)text.data, text.size);
    const char *next = report_text(document, "next");
    cJSON_DeleteItemFromObjectCaseSensitive(verb->state, "next");
    if (*next)
        cJSON_AddStringToObject(verb->state, "next", next);
    cJSON_Delete(document);
    cook_buf_finish(&text);
}

/* ---- steps ---- */

struct words {
    const char *items[MAX_WORDS];
    size_t count;
};

static void add(struct words *words, const char *word)
{
    if (words->count + 1 < MAX_WORDS)
        words->items[words->count++] = word;
}

static const char *below_project(struct verb *verb, const char *path)
{
    const char *text = cook_arena_printf(&verb->arena, "%s/%s", verb->cli.run.project.folder, path);
    return text ? text : path;
}

static void make_words(struct verb *verb, enum step step, struct words *words)
{
    *words = (struct words){ .count = 0 };
    add(words, cook_arena_printf(&verb->arena, "cook-%s", step_names[step]));
    if (step == STEP_REPORT)
        add(words, "html");
    add(words, "-C");
    add(words, verb->cli.run.project.folder);
    add(words, "--target");
    add(words, verb->project.target);
    if (step == STEP_VALIDATE) {
        add(words, "--json");
        add(words, below_project(verb, verb->validation_path));
        add(words, "--pictures"); /* which the page takes in */
        add(words, below_project(verb, verb->pictures_path));
    }
    if (step == STEP_VALIDATE && verb->time_limit > 0) {
        double left = verb->time_limit - (now() - verb->started);
        const char *next = report_text(verb->state, "next");
        add(words, "--time-limit");
        add(words, cook_arena_printf(&verb->arena, "%.3f", left > LEAST_SECONDS ? left : LEAST_SECONDS));
        if (*next) {
            add(words, "--after");
            add(words, next);
        }
    }
    if (step == STEP_REPORT) {
        add(words, "--output");
        add(words, verb->output ? verb->output : below_project(verb, verb->report_path));
    }
    if (step == STEP_GATE) {
        add(words, "--policy");
        add(words, verb->policy);
    }
}

static enum cook_status run_step(struct verb *verb, enum step step, struct cook_error *error)
{
    struct words words;
    struct cook_child child = COOK_CHILD_INIT;
    int exit_status;
    if (step == STEP_VALIDATE) { /* those of the last night */
        enum cook_status cleared = cook_fs_remove_tree(verb->project.fd, verb->pictures_path, error);
        if (cleared != COOK_OK)
            return cleared;
    }
    make_words(verb, step, &words);
    child.program = cook_child_verb_path(step_names[step], &verb->arena);
    child.argv = words.items;
    child.out_fd = verb->cli.out_fd;
    child.err_fd = STDERR_FILENO;
    if (!child.program)
        return cook_error_no_memory(error);
    fprintf(verb->cli.out, "\n==== cook %s\n", step_names[step]);
    (void)fflush(verb->cli.out);
    enum cook_status status = cook_child_run(&exit_status, &child, error);
    if (status != COOK_OK)
        return status;
    if (step == STEP_VALIDATE && exit_status <= COOK_EXIT_FINDINGS)
        note_next(verb);
    return note_step(verb, step, exit_status, error);
}

/* Whether what comes after a step makes sense: packages that fail do not spoil the others. */
static bool goes_on(int exit_status)
{
    return exit_status == COOK_EXIT_CLEAN || exit_status == COOK_EXIT_FINDINGS ||
           exit_status == COOK_EXIT_FAILED_PACKAGES;
}

static enum cook_status run_steps(struct verb *verb, struct cook_error *error)
{
    enum cook_status status = save_state(verb, error);
    for (int step = 0; status == COOK_OK && step < STEP_COUNT; step++) {
        if (step == STEP_GATE && !verb->policy)
            continue;
        if (verb->statuses[step] >= 0 && goes_on(verb->statuses[step])) {
            fprintf(verb->cli.out, "\n==== cook %s: done before\n", step_names[step]);
            continue;
        }
        status = run_step(verb, (enum step)step, error);
        if (status == COOK_OK && !goes_on(verb->statuses[step]))
            return COOK_OK;
    }
    if (status == COOK_OK) {
        cJSON_DeleteItemFromObjectCaseSensitive(verb->state, "open");
        status = save_state(verb, error);
    }
    return status;
}

/* ---- the end ---- */

/* Where there is a gate, it says whether findings are failures. */
static void set_statuses(struct verb *verb)
{
    for (int step = 0; step < STEP_COUNT; step++) {
        int status = verb->statuses[step];
        bool judged = verb->policy && step != STEP_GATE && status == COOK_EXIT_FINDINGS;
        if (status >= 0 && status < COOK_EXIT_COUNT && !judged)
            verb->cli.statuses[status] = true;
        else if (status >= COOK_EXIT_COUNT)
            verb->cli.statuses[COOK_EXIT_ENVIRONMENT] = true;
    }
}

static enum cook_status report(struct verb *verb, struct cook_error *error)
{
    FILE *out = verb->cli.out;
    const char *next = report_text(verb->state, "next");
    cJSON *document = cJSON_CreateObject();
    set_statuses(verb);
    fprintf(out, "\n==== %s for %s in %.1f s\n", verb->project.name, verb->project.target,
            now() - verb->started);
    cJSON_AddStringToObject(document, "schema", "cookproof/nightly/1");
    cJSON_AddStringToObject(document, "project", verb->project.name);
    cJSON_AddStringToObject(document, "target", verb->project.target);
    cJSON *steps = cJSON_AddObjectToObject(document, "steps");
    for (int step = 0; step < STEP_COUNT; step++) {
        if (verb->statuses[step] < 0)
            continue;
        fprintf(out, "%-22s exit status %d\n", step_names[step], verb->statuses[step]);
        cJSON_AddNumberToObject(steps, step_names[step], verb->statuses[step]);
    }
    if (*next)
        fprintf(out, "validation stopped for want of time; the next night goes on behind %s\n", next);
    if (verb->statuses[STEP_REPORT] == 0) {
        const char *path = verb->output ? verb->output : below_project(verb, verb->report_path);
        fprintf(out, "report: %s\n", path);
        cJSON_AddStringToObject(document, "report", path);
    }
    cook_cli_add_statuses(&verb->cli, document);
    enum cook_status status = cook_cli_write_json(&verb->cli, document, error);
    cJSON_Delete(document);
    return status;
}

static enum cook_status run(struct verb *verb, struct cook_error *error)
{
    if (verb->time_limit < 0)
        return cook_error_set(error, COOK_E_USAGE, "--time-limit takes seconds, not %g",
                              verb->time_limit);
    enum cook_status status = cook_project_open(&verb->project, &verb->cli.run.project, error);
    if (status == COOK_OK)
        status = load_state(verb, error);
    if (status == COOK_OK && resume(verb) && !verb->cli.quiet)
        fprintf(verb->cli.out, "going on with a night that was cut short (--again begins anew)\n");
    if (status == COOK_OK)
        status = run_steps(verb, error);
    return status == COOK_OK ? report(verb, error) : status;
}

int nightly_verb(int argc, const char **argv)
{
    struct verb verb = { .project = { .fd = -1 }, .started = now() };
    struct cook_error error = COOK_ERROR_INIT;
    struct poptOption own[] = {
        { "policy", 0, POPT_ARG_STRING, &verb.policy, 0, "of the gate; without one there is none", "FILE" },
        { "output", 'o', POPT_ARG_STRING, &verb.output, 0,
          "where the report goes (default: Saved/Nightly/TARGET.html)", "FILE" },
        { "time-limit", 0, POPT_ARG_DOUBLE, &verb.time_limit, 0,
          "validate what fits; the next night goes on where this one stopped", "SECONDS" },
        { "again", 0, POPT_ARG_NONE, &verb.again, 0, "begin anew, though the last night was cut short",
          NULL },
        POPT_TABLEEND
    };
    int exit_status =
        cook_cli_begin(&verb.cli, "nightly", "[OPTION...]", COOK_CLI_PROJECT, own, argc, argv);
    if (exit_status < 0)
        exit_status = cook_cli_no_arguments(&verb.cli);
    if (exit_status < 0)
        exit_status = cook_cli_finish(&verb.cli, run(&verb, &error), &error);
    cJSON_Delete(verb.state);
    cook_project_finish(&verb.project);
    cook_arena_finish(&verb.arena);
    free(verb.policy);
    free(verb.output);
    cook_cli_end(&verb.cli);
    return exit_status;
}
