/* Shared by the files that look for causes. */
#ifndef VALIDATE_CAUSES_INTERNAL_H
#define VALIDATE_CAUSES_INTERNAL_H

#include "cook/plan/facts.h"
#include "cook/worker/reads.h"
#include "validate/causes.h"
#include "validate/determinism.h"
#include "validate/validate.h"

/* The facts of one earlier cook that kept results come from. */
struct causing_cook {
    uint32_t id;
    bool have; /* its facts are known */
    int64_t ended_ns;
    const char *facts_json;
    struct cook_run_facts facts;
};

struct causing {
    struct validate *validate;
    struct determinism determinism; /* cooks under perturbations, and as they were */
    struct cook_symbolizer *symbolizer;
    struct cook_run_facts now;
    struct causing_cook *cooks;
    size_t cook_count, cook_capacity;
    struct validate_finding **list; /* scratch: of the experiment at hand */
    bool *cleared;                  /* scratch: by index of `list` */
    bool turned; /* the experiment at hand came to its end: what it did not clear is ruled out */
    struct validate_cause spare;    /* never read: what has no memory is written here */
};

/* ---- building a cause (causes.c) ---- */
struct validate_cause *cause_add(struct causing *causing, struct validate_finding *finding,
                                 enum validate_cause_kind kind,
                                 enum validate_confidence confidence, const char *format, ...)
    __attribute__((format(printf, 5, 6))); /* never NULL: a spare one when memory is short */
void cause_say(struct causing *causing, struct validate_cause *cause, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
void cause_fix(struct causing *causing, struct validate_cause *cause, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
/* Name an input of the cause; none where no dependency can stand for it. */
void cause_input(struct causing *causing, struct validate_cause *cause, uint32_t kind,
                 const char *args);
/* The frames of a stack, SDK frames at both ends left out. */
void cause_stack(struct causing *causing, struct validate_cause *cause,
                 const struct cook_stack_set *set, uint32_t stack);
/* The stack of the finding's first write that differs and stands on its own. */
void cause_write_stack(struct causing *causing, struct validate_cause *cause,
                       const struct validate_finding *finding);
/* Something of the result differs from the kept one whatever is repeated. */
bool cause_wants_stable(const struct validate_finding *finding);
const struct causing_cook *cause_cook_of(const struct causing *causing,
                                         const struct validate_finding *finding);
/* "a, b and 3 more": names for one line, in the arena. */
const char *cause_names(struct causing *causing, const char *const *names, size_t count);
/* The class of the object that differs, or the first class of the package. */
const char *cause_class(struct causing *causing, const struct validate_finding *finding);
/* The property that differs first and stands on its own; "the result" for none. */
const char *cause_property(const struct validate_finding *finding);
/* The SDK call that would declare a dependency, "cook_config(context, \"A\", \"B\")"; in the
 * arena. */
const char *cause_call(struct causing *causing, uint32_t kind, const char *args);

/* ---- experiments (cause_turn.c) ---- */
/*
 * Recook findings in a worker that is started so. `cleared[i]`: something that differed from
 * the kept result does not any more. A worker that does not start so clears nothing, and is no
 * error.
 */
enum cook_status cause_turn_back(struct causing *causing, const struct cook_pool_start *start,
                                 struct validate_finding **findings, size_t count,
                                 bool *cleared, struct cook_error *error) COOK_CHECK_RESULT;
/* Findings with a stable part and no cause yet whose kept result comes from this cook. */
size_t cause_select(struct causing *causing, const struct causing_cook *cook,
                    struct validate_finding **out);

/* ---- builds of a plugin (cause_code.c) ---- */
struct cook_code;
struct cause_builds {
    const char *name; /* of the plugin */
    const char *old_id;
    const char *new_id;
    struct cook_code *old;
    struct cook_code *new;
    const char *reason; /* why they cannot be compared; NULL: they can */
};
/* Where a plugin, or a library that came with one, is kept; in the arena. */
const char *cause_copy_path(struct causing *causing, const char *build_id);
void cause_open_builds(struct causing *causing, struct cause_builds *builds);
void cause_close_builds(struct cause_builds *builds, size_t count);
/* Symbols of the plugin to compare from: functions on the stacks of writes that differ, and
 * what describes the classes of the package. Returns how many. */
size_t cause_stack_roots(const struct validate_finding *finding,
                         const struct cause_builds *builds, const char **roots, size_t max);
size_t cause_class_roots(const struct validate_finding *finding,
                         const struct cause_builds *builds, const char **roots, size_t max);

/* Each adds causes to the findings that have none yet. */
enum cook_status cause_find_code(struct causing *causing, const struct causing_cook *cook,
                                 struct cook_error *error) COOK_CHECK_RESULT;
enum cook_status cause_find_surroundings(struct causing *causing,
                                         const struct causing_cook *cook,
                                         struct cook_error *error) COOK_CHECK_RESULT;
enum cook_status cause_find_libraries(struct causing *causing, const struct causing_cook *cook,
                                      struct cook_error *error) COOK_CHECK_RESULT;
enum cook_status cause_find_hidden(struct causing *causing,
                                   struct cook_error *error) COOK_CHECK_RESULT;
/* Those that packages read; then, `loading`, those of plugin load. */
enum cook_status cause_find_inputs(struct causing *causing, bool loading,
                                   struct cook_error *error) COOK_CHECK_RESULT;
enum cook_status cause_find_cached(struct causing *causing,
                                   struct cook_error *error) COOK_CHECK_RESULT;
enum cook_status cause_find_left(struct causing *causing,
                                 struct cook_error *error) COOK_CHECK_RESULT;
/* Of what recooks disagree about. */
void cause_name_noise(struct causing *causing, struct validate_finding *finding);

#endif
