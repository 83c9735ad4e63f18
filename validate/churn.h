/*
 * cook churn: replay the history of a project, commit by commit, in a folder of its own: check
 * out, rebuild plugins, cook incrementally, validate, and keep what each step cost and found.
 * The source is a git repository with a range of commits, or a folder of numbered steps:
 *
 *     base/                 the files before the first step
 *     history/0001/files/   files of a step, as they are after it
 *     history/0001/DELETED  paths that it deletes, one a line
 *
 * All is in the work folder, tree/ (the checked-out files with the project's Saved) and
 * churn.json, which is written after each step: a run that was stopped goes on where it was.
 */
#ifndef VALIDATE_CHURN_H
#define VALIDATE_CHURN_H

#include <cjson/cJSON.h>

#include "cook/cli/cli.h"

#define CHURN_SCHEMA "cookproof/churn/1"

struct churn {
    struct cook_cli cli;
    struct cook_arena arena;
    int compare;        /* --compare */
    char *work_option;  /* --work */
    char *bisect;       /* --bisect */
    char *content;      /* --content: where steps go in the project */
    char *skeleton;     /* --skeleton: copied first, for steps */
    const char *source; /* absolute */
    const char *range;  /* NULL: a folder of steps */
    const char *work;   /* absolute */
    int work_fd;
    const char *tree;    /* work/tree */
    const char *project; /* below tree */
    cJSON *state;        /* churn.json: source, range, steps [{name, subject}], rows */
};

static inline const char *churn_text(const cJSON *object, const char *key)
{
    const cJSON *item = cJSON_GetObjectItemCaseSensitive(object, key);
    return cJSON_IsString(item) ? item->valuestring : "";
}

static inline double churn_number(const cJSON *object, const char *key)
{
    const cJSON *item = cJSON_GetObjectItemCaseSensitive(object, key);
    return cJSON_IsNumber(item) ? item->valuedouble : 0;
}

/* ---- the source (churn_source.c) ---- */

/* List the steps, step 0 being the state before the first: an array of {name, subject}. */
enum cook_status churn_list(struct churn *churn, cJSON **steps,
                            struct cook_error *error) COOK_CHECK_RESULT;
/* Bring `work`/NAME from step `from` to step `to`; `from` -1: it is not there yet. */
enum cook_status churn_check_out(struct churn *churn, const char *name, int from, int to,
                                 struct cook_error *error) COOK_CHECK_RESULT;
/* Tell git that trees which were checked out are gone. */
void churn_forget(struct churn *churn);
/* Run the build command in the project below `work`/NAME; `*built` false when it failed. */
enum cook_status churn_build(struct churn *churn, const char *name, bool *built,
                             struct cook_error *error) COOK_CHECK_RESULT;

/* ---- a step (churn_step.c) ---- */

/* Run a verb in `project`; its document comes out, NULL where it wrote none. `more` ends with
 * NULL. */
enum cook_status churn_verb(struct churn *churn, cJSON **document, const char *verb,
                            const char *project, const char *const *more,
                            struct cook_error *error) COOK_CHECK_RESULT;
/* Cook and validate what is checked out; the row of the step comes out. */
enum cook_status churn_step(struct churn *churn, cJSON **row, int step,
                            struct cook_error *error) COOK_CHECK_RESULT;

/* ---- the rest ---- */

/* The smallest set of files that must change for one false skip (churn_bisect.c). */
enum cook_status churn_bisect(struct churn *churn, struct cook_error *error) COOK_CHECK_RESULT;
/* The table, and the document of --json and of the history (churn_report.c). */
enum cook_status churn_report(struct churn *churn, struct cook_error *error) COOK_CHECK_RESULT;
int churn_main(int argc, const char **argv);

#endif
