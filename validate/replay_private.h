/* What the parts of the replay share. */
#ifndef VALIDATE_REPLAY_PRIVATE_H
#define VALIDATE_REPLAY_PRIVATE_H

#include <cjson/cJSON.h>

#include "cook/cli/recording.h"
#include "cook/plan/facts.h"
#include "validate/replay.h"

enum replay_verdict {
    REPLAY_NOT_SHOWN = 0, /* neither: the state of the finding stays */
    REPLAY_STILL_THERE,
    REPLAY_GONE,
};

/* What is turned back and forth between the two cooks of a replay. */
struct replay_trigger {
    const char **then; /* "NAME=value" or "NAME": variables, NULL-terminated */
    const char **now;
    bool tokens;        /* the command line of class code */
    bool plugins;       /* the first cook is by the plugins of the kept cook */
    const char **files; /* paths in the project, NULL-terminated */
    bool absent;      /* … the file missing; else its content with one byte more */
    bool substituted;   /* a file's old content is not known: another stands for it */
    const char *text;   /* for people: "MOOD, the plugins" */
};

struct replay {
    struct cook_cli *cli;
    struct cook_arena arena;
    struct cook_project project;
    struct cook_history *history;
    struct cook_history_finding row;
    cJSON *finding;
    struct cook_run_facts then, now;
    struct replay_trigger trigger;
    char *work; /* folder of the copies; removed at the end */
    int work_fd;
    enum replay_verdict verdict;
    const char *reason; /* of the verdict, for people */
};

const char *replay_text(const cJSON *object, const char *key); /* "" */

/* Copy the project's tree, without Saved and .git, to `work`/NAME (replay_copy.c). */
enum cook_status replay_copy(struct replay *replay, const char *name,
                             struct cook_error *error) COOK_CHECK_RESULT;
/* The content that a file had at the kept cook, from the project's git repository, into the
 * copy; or something else in its place: `*known` tells which. */
enum cook_status replay_old_file(struct replay *replay, const char *name, const char *path,
                                 bool *known, struct cook_error *error) COOK_CHECK_RESULT;
enum cook_status replay_new_file(struct replay *replay, const char *name, const char *path,
                                 struct cook_error *error) COOK_CHECK_RESULT;

/* How one replay went (replay_cook.c). */
struct replay_outcome {
    bool recooked;      /* the change recooks the package, by a dependency */
    bool opted_out;     /* it is recooked each time, whatever changes */
    bool differs;       /* validation finds a difference */
    bool validated;     /* validation recooked it, and it came out the same */
    const char *reason; /* the dependency that changed, for people; "" */
};
/* `builds` NULL: today's plugins; else those of the facts, from the store. COOK_E_NOT_FOUND
 * when one of them is not kept any more. */
enum cook_status replay_once(struct replay *replay, struct replay_outcome *outcome,
                             const char *name, const struct cook_run_facts *builds,
                             struct cook_error *error) COOK_CHECK_RESULT;
/* Whether cooks of the package differ by themselves, with today's plugins or those of `builds`.
 */
enum cook_status replay_determinism(struct replay *replay, bool *unstable, const char *name,
                                    const struct cook_run_facts *builds,
                                    struct cook_error *error) COOK_CHECK_RESULT;

#endif
