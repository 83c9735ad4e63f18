/*
 * cook reproduce: cook a finding's package as the finding did, from a bundle
 * (cook/bundle/bundle.h) that is unpacked into a folder of its own, and show how it differs
 * from the kept result. A finding that is given by its id is bundled first, so that both ways
 * are one.
 */
#ifndef VALIDATE_REPRODUCE_H
#define VALIDATE_REPRODUCE_H

#include <cjson/cJSON.h>

#include "cook/bundle/bundle.h"
#include "cook/cli/cli.h"
#include "cook/plan/facts.h"
#include "cook/symbols/symbolize.h"
#include "diffcook/diff.h"
#include "diffcook/saved.h"

/* One cook of the package. */
struct reproduce_version {
    bool have;
    uint8_t *bytes; /* owned */
    size_t size;
    struct cook_token_map tokens;
    struct cook_stack_set stacks; /* in the arena of the verb */
    uint32_t *stack_ids;
    size_t stack_id_count;
    const char *failure; /* why there is none; NULL: there is one */
};

struct reproduce {
    struct cook_cli cli;
    struct cook_arena arena;
    char *folder; /* --folder */
    int debug;
    const char *work; /* where the bundle was unpacked */
    bool own_work;    /* made here: removed at the end */
    int work_fd;
    struct cook_bundle bundle;
    cJSON *head;
    cJSON *finding;
    struct cook_run_facts then, now; /* of the kept cook, and of the finding */
    const char *id, *package, *target;
    const char **overrides; /* config that leads to the plugins of the bundle */
    size_t override_count;
    struct cook_run run;
    const char *lacking; /* why it cannot be cooked here; NULL: it can */
    struct cook_token_map kept_tokens, reported_tokens;
    struct diff_saved saved; /* callstacks, by name, of the validation that found it */
    struct reproduce_version recook, again; /* `again`: of a finding that is not stable */
    struct diff_result diff;                /* kept against recook; without one against reported */
    bool shown;                             /* there is such a difference */
    bool reproduced;                        /* the recook differs from the kept result */
    bool as_reported;                       /* … and is what the finding was found by */
};

/* Unpack the operand: checks it, fills in what it says, sets up its project (reproduce_open.c).
 */
enum cook_status reproduce_open(struct reproduce *reproduce, const char *operand,
                                struct cook_error *error) COOK_CHECK_RESULT;
void reproduce_close(struct reproduce *reproduce);
/* Open the run of the unpacked project; `prefix` NULL for none. It is `reproduce->run`. */
enum cook_status reproduce_start(struct reproduce *reproduce, const char *prefix,
                                 struct cook_error *error) COOK_CHECK_RESULT;
/* Cook the package once with callstacks. */
enum cook_status reproduce_cook(struct reproduce *reproduce, struct reproduce_version *out,
                                struct cook_error *error) COOK_CHECK_RESULT;
/* Cook it under gdb, and stop at the write that differs first (reproduce_debug.c). */
enum cook_status reproduce_debug(struct reproduce *reproduce,
                                 struct cook_symbolizer *symbolizer,
                                 struct cook_error *error) COOK_CHECK_RESULT;
int reproduce_verb(int argc, const char **argv);

#endif
