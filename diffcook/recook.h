/*
 * Modified packages cooked once more, with a callstack per write: the new side of a comparison
 * whose new cook has just been made from the sources as they are. Nothing of it is kept.
 */
#ifndef DIFFCOOK_RECOOK_H
#define DIFFCOOK_RECOOK_H

#include "compare.h"
#include "cook/plan/run.h"
#include "cook/symbols/symbolize.h"

struct diff_recook {
    const char *name; /* of the package, borrowed from the comparison */
    uint32_t package; /* row in the run's state */
    struct cook_hash hash;
    uint8_t *bytes;
    struct cook_token_map tokens;
    struct cook_stack_set stacks;
    struct diff_version version; /* of all this; no bytes: it was not recooked */
    const char *problem;         /* why not: text in the arena */
};
struct diff_recooks {
    struct cook_arena arena;
    struct diff_recook *items; /* ascending by name */
    size_t count, capacity;
    size_t size_bytes;                  /* of the bytes held */
    struct cook_symbolizer *symbolizer; /* for their stacks */
};

/*
 * Recook the first `limit` packages (0: all) whose bytes differ. A package that fails now has a
 * problem; an error is one of the environment. Finish also after one, when nothing prints any
 * more.
 */
enum cook_status diff_recooks_run(struct diff_recooks *recooks,
                                  const struct diff_comparison *comparison, size_t limit,
                                  const struct cook_run_options *options,
                                  struct cook_error *error) COOK_CHECK_RESULT;
void diff_recooks_finish(struct diff_recooks *recooks);

/* As struct diff_report_options wants it; `user` is the recooks. */
const struct diff_version *diff_recooks_version(void *user, const struct diff_entry *entry,
                                                const char **note);

#endif
