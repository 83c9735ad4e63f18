/*
 * --lint-inputs, shared by the verbs that cook: what traced workers read undeclared, printed and as
 * a document.
 */
#ifndef COOK_CLI_LINT_H
#define COOK_CLI_LINT_H

#include "cook/cli/cli.h"
#include "cook/trace/lint.h"

#define COOK_CLI_LINT_OPTION(variable)                                                           \
    { "lint-inputs", 0, POPT_ARG_NONE, variable, 0,                                              \
      "report what class code reads without declaring it", NULL }

/* Make the findings of a run whose workers were traced. To be finished, by cook_lint_finish(), also
 * after failure. */
enum cook_status cook_cli_lint(struct cook_lint *lint, struct cook_run *run,
                               struct cook_error *error) COOK_CHECK_RESULT;
/*
 * Print findings, and what is wrong with the exceptions. `whole`: every package was cooked, so that
 * an exception that matched nothing has no use.
 */
void cook_cli_print_lint(const struct cook_cli *cli, const struct cook_lint *lint,
                         const struct cook_run *run, bool whole);
/* "inputs", "input_exceptions" and "tracing". */
void cook_cli_add_lint(struct cJSON *document, const struct cook_lint *lint,
                       const struct cook_run *run, bool whole);
/* Keep the values of undeclared inputs in the history, for validations to come. `run_id` is 0 when
 * the run could not be recorded: then nothing is. */
enum cook_status cook_cli_record_lint(const struct cook_lint *lint, const struct cook_run *run,
                                      struct cook_history *history, int64_t run_id,
                                      struct cook_error *error) COOK_CHECK_RESULT;
/* A warning when tracing saw less than everything. */
void cook_cli_print_partial(const struct cook_cli *cli, const struct cook_run *run);

#endif
