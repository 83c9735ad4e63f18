/*
 * What all verbs share on the command line: common options, messages, exit statuses, documents.
 * Only code in cli/, and the mains, prints.
 */
#ifndef COOK_CLI_CLI_H
#define COOK_CLI_CLI_H

#include <popt.h>
#include <stdio.h>

#include "cook/plan/run.h"

struct cJSON;

/* Exit statuses (design section 7). Where several hold, the largest is used. */
enum cook_exit {
    COOK_EXIT_CLEAN = 0,
    COOK_EXIT_FINDINGS = 1,
    COOK_EXIT_USAGE = 2,
    COOK_EXIT_FAILED_PACKAGES = 3,
    COOK_EXIT_ENVIRONMENT = 4,
};

#define COOK_EXIT_COUNT 5

struct cook_cli {
    const char *verb;    /* "full" */
    bool statuses[COOK_EXIT_COUNT]; /* exit statuses that hold, by enum cook_exit */
    struct cook_arena arena;
    struct cook_run_options run;
    const char *target;
    char *folder, *json_path, *worker_prefix, *progress, *trace_path, *store_name;
    int workers;
    char **targets; /* --target, as often as it was given; `target` is the first */
    char **maps;
    char **inis;
    int quiet, verbose, rehash, keep_editor_only;
    char *configuration;
    char *command_line;
    const char **arguments; /* what is left; NULL-terminated */
    const char *const *class_arguments; /* after "--" */
    size_t class_argument_count;
    bool seen[128]; /* by `val` of the verb's own options: it was given, if without its value */
    poptContext context;
    FILE *out; /* results: standard output, or standard error when --json is -; as cook_cli_stream() */
    FILE *err; /* standard error, likewise */
    int out_fd;
    bool color;      /* of messages, on standard error */
    bool show_progress;
};

enum cook_cli_groups { COOK_CLI_PROJECT = 1, COOK_CLI_COOKING = 2, COOK_CLI_TARGETS = 4 };

/*
 * Parse the command line of a verb: the common options of `groups`, and the verb's own table (may be
 * NULL). Returns -1 to go on, or the exit status to end with (after --help, --version, a mistake).
 * `usage` is the text after the verb's name: "[OPTION...]".
 */
int cook_cli_begin(struct cook_cli *cli, const char *verb, const char *usage, int groups,
                   struct poptOption *own, int argc, const char **argv);
void cook_cli_end(struct cook_cli *cli);
/* For verbs without operands, after cook_cli_begin: -1, or the exit status of an argument too many. */
int cook_cli_no_arguments(const struct cook_cli *cli);
/* The largest exit status that holds. */
int cook_cli_exit_status(const struct cook_cli *cli);
/* End of a verb: prints what went wrong, when `status` says so, and gives the exit status. */
int cook_cli_finish(struct cook_cli *cli, enum cook_status status, struct cook_error *error);
/* "exit_statuses": those that hold, but the clean one. */
void cook_cli_add_statuses(const struct cook_cli *cli, struct cJSON *document);
/* Free a list that POPT_ARG_ARGV filled; NULL allowed. */
void cook_cli_free_texts(char **texts);

/*
 * Open a run as the command line says, and bring it up to date: what is on disk, and the values of
 * dependencies. `heading` ("Full cook") is printed with the project and the target before the work
 * begins; NULL prints nothing. Without a cook to read the error says "there is no cook of target
 * Windows to `purpose`". cook_run_close also after an error, which is one of the run's or the store's.
 */
enum cook_status cook_cli_open_run(struct cook_cli *cli, struct cook_run *run, const char *heading,
                                   const char *purpose, struct cook_error *error) COOK_CHECK_RESULT;
/* The error of a store that holds no cook yet, as above. */
enum cook_status cook_cli_no_cook(const char *target, const char *purpose,
                                  struct cook_error *error);

/* A stream on which what is printed is shown (base/text.h): lines of text without anything hidden. Owned
 * by the caller, who closes it; not the descriptor. NULL when memory is short. */
FILE *cook_cli_stream(int fd);

/* "cook: message" on standard error, and the exit status that goes with the error. */
int cook_cli_error(const struct cook_cli *cli, const struct cook_error *error);
int cook_exit_of(enum cook_status status);
void cook_cli_message(const struct cook_cli *cli, const char *severity, const char *subject,
                      const char *text);

/* Write a document to --json FILE, when asked for; takes ownership of nothing. */
enum cook_status cook_cli_write_json(const struct cook_cli *cli, const struct cJSON *document,
                                     struct cook_error *error) COOK_CHECK_RESULT;

/* A progress line on a terminal, redrawn in place; nothing elsewhere. */
struct cook_progress_figures;
void cook_cli_progress(void *cli, const struct cook_progress_figures *figures, const char *slowest,
                       double slowest_seconds);
void cook_cli_progress_done(const struct cook_cli *cli);

/* The verbs. Each returns its exit status. */
int cook_verb_cook(int argc, const char **argv, bool incremental);
int cook_verb_init(int argc, const char **argv);
int cook_verb_doctor(int argc, const char **argv);
int cook_verb_resave(int argc, const char **argv);
int cook_verb_store(int argc, const char **argv);

#endif
