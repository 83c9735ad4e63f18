/*
 * Undeclared inputs as findings: those of all packages, grouped by what is read and by the function
 * that reads it, less what the project excepts.
 */
#ifndef COOK_TRACE_LINT_H
#define COOK_TRACE_LINT_H

#include "cook/symbols/symbolize.h"
#include "cook/trace/exceptions.h"

#define COOK_LINT_MAX_FRAMES 32

struct cook_lint_input {
    enum cook_input_kind kind;
    const char *key;
    const char *program;  /* of the child process that read it; "" */
    struct cook_hash value;
    const char *text; /* its value for people; "" */
    bool absent;
    bool hidden;
    const char *function; /* "table_pre_save", "arena.so+0x1234", or "" */
    const char *file;     /* "" when unknown */
    uint32_t line;
    struct cook_symbol_frame *frames; /* its callstack, innermost first; texts of the symbolizer */
    size_t frame_count;
    const char **packages; /* sorted; "" stands for plugin load */
    size_t package_count;
    const struct cook_trace_exception *exception; /* that covers it, or NULL */
};

struct cook_lint {
    struct cook_arena arena;
    struct cook_symbolizer *symbolizer;
    struct cook_trace_exceptions exceptions;
    struct cook_lint_input *inputs; /* sorted by kind, key, function and file */
    size_t count;
    size_t finding_count; /* not excepted */
};

struct cook_lint_options {
    const char *plugin_folder; /* where plugin copies lie, for their symbols */
    int project_fd;
    const char *today; /* "YYYY-MM-DD" */
};

/* Make the findings; to be finished also after failure. COOK_E_CONFIG for malformed exceptions. */
enum cook_status cook_lint_make(struct cook_lint *lint, struct cook_traced *traced,
                                const struct cook_lint_options *options,
                                struct cook_error *error) COOK_CHECK_RESULT;
void cook_lint_finish(struct cook_lint *lint);
/* What to do about an input of a kind, in words that end a sentence. */
const char *cook_lint_advice(enum cook_input_kind kind);

#endif
