#include "cook/cli/cli.h"

#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <cjson/cJSON.h>

#include "cook/base/fs.h"
#include "cook/base/text.h"
#include "cook/plan/cook.h"

#define VERSION_TEXT "0.1.0"

int cook_exit_of(enum cook_status status)
{
    switch (status) {
    case COOK_OK:
        return COOK_EXIT_CLEAN;
    case COOK_E_USAGE:
    case COOK_E_CONFIG:
    case COOK_E_NOT_FOUND:
    case COOK_E_INVALID:
        return COOK_EXIT_USAGE;
    case COOK_E_NO_MEMORY:
    case COOK_E_IO:
    case COOK_E_MALFORMED:
    case COOK_E_LIMIT:
    case COOK_E_LOCKED:
    case COOK_E_DAMAGED:
    case COOK_E_NO_SPACE:
    case COOK_E_CRASHED:
    case COOK_E_TIMEOUT:
    case COOK_E_PROTOCOL:
    case COOK_E_FAILED:
    case COOK_E_UNSUPPORTED:
    case COOK_E_EXISTS:
        break;
    }
    return COOK_EXIT_ENVIRONMENT;
}

int cook_cli_error(const struct cook_cli *cli, const struct cook_error *error)
{
    cook_cli_progress_done(cli);
    fprintf(cli->err, "cook: %s\n",
            error->message[0] ? error->message : cook_status_text(error->status));
    return cook_exit_of(error->status);
}

void cook_cli_message(const struct cook_cli *cli, const char *severity, const char *subject,
                      const char *text)
{
    const char *color = "";
    if (cli->color)
        color = strcmp(severity, "error") == 0     ? "\033[31m"
                : strcmp(severity, "warning") == 0 ? "\033[33m"
                                                   : "";
    if (*color)
        fprintf(stderr, "%s%s\033[0m", color, severity);
    fprintf(cli->err, "%s: %s%s%s\n", *color ? "" : severity, subject, *subject ? ": " : "", text);
}

/* ---- options ---- */

static int unknown_option(struct cook_cli *cli, int code)
{
    fprintf(cli->err, "cook: '%s': %s\ncook: see 'cook %s --help'\n",
            poptBadOption(cli->context, 0), poptStrerror(code), cli->verb);
    return COOK_EXIT_USAGE;
}

static size_t count_texts(char **texts)
{
    size_t count = 0;
    while (texts && texts[count])
        count++;
    return count;
}

static void remember_command_line(struct cook_cli *cli, int argc, const char **argv)
{
    struct cook_buf text = COOK_BUF_INIT;
    cook_buf_printf(&text, "cook %s", cli->verb);
    for (int i = 1; i < argc; i++)
        cook_buf_printf(&text, " %s", argv[i]);
    cli->command_line = cook_arena_strdup(&cli->arena, cook_buf_text(&text));
    cook_buf_finish(&text);
}

/* Options that stand for a config value, after those of --ini. NULL when memory is short. */
static const char **make_overrides(struct cook_cli *cli, size_t *count)
{
    char **inis = cli->inis;
    size_t given = count_texts(inis);
    const char **overrides = cook_arena_alloc(&cli->arena, (given + 2) * sizeof(*overrides));
    *count = 0;
    for (size_t i = 0; overrides && i < given; i++)
        overrides[(*count)++] = inis[i];
    if (overrides && cli->configuration)
        overrides[(*count)++] =
            cook_arena_printf(&cli->arena, "Cook.Configuration=%s", cli->configuration);
    if (overrides && cli->keep_editor_only)
        overrides[(*count)++] = "Cook.KeepEditorOnly=true";
    return *count && !overrides[*count - 1] ? NULL : overrides;
}

static int check_options(struct cook_cli *cli, int groups)
{
    if (count_texts(cli->targets) > 1 && !(groups & COOK_CLI_TARGETS)) {
        fprintf(stderr, "cook: %s takes one --target\n", cli->verb);
        return COOK_EXIT_USAGE;
    }
    cli->target = cli->targets ? cli->targets[0] : NULL;
    const char *progress = cli->progress ? cli->progress : "auto";
    bool terminal = isatty(STDERR_FILENO);
    if (strcmp(progress, "always") != 0 && strcmp(progress, "never") != 0 &&
        strcmp(progress, "auto") != 0) {
        fprintf(cli->err, "cook: --progress takes auto, always or never, not '%s'\n", progress);
        return COOK_EXIT_USAGE;
    }
    if (cli->workers < 0 || cli->workers > 256) {
        fprintf(stderr, "cook: --workers takes 1 to 256, not %d\n", cli->workers);
        return COOK_EXIT_USAGE;
    }
    cli->show_progress = !cli->quiet && (strcmp(progress, "always") == 0 ||
                                         (strcmp(progress, "auto") == 0 && terminal));
    cli->color = terminal && !getenv("NO_COLOR");
    cli->out_fd = cli->json_path && strcmp(cli->json_path, "-") == 0 ? STDERR_FILENO : STDOUT_FILENO;
    cli->out = cli->out_fd == STDERR_FILENO ? cli->err : cook_cli_stream(STDOUT_FILENO);
    if (!cli->out)
        return COOK_EXIT_ENVIRONMENT;
    char **maps = cli->maps;
    size_t override_count;
    const char **overrides = make_overrides(cli, &override_count);
    if (!overrides)
        return COOK_EXIT_ENVIRONMENT;
    cli->run = (struct cook_run_options){
        .project = { .folder = cli->folder ? cli->folder : ".",
                     .target = cli->target,
                     .overrides = overrides,
                     .override_count = override_count },
        .workers = (unsigned)cli->workers,
        .worker_prefix = cli->worker_prefix,
        .maps = (const char *const *)maps,
        .map_count = count_texts(maps),
        .arguments = cli->class_arguments,
        .argument_count = cli->class_argument_count,
        .verb = cli->verb,
        .command_line = cli->command_line,
        .rehash = cli->rehash != 0,
        .trace_path = cli->trace_path,
        .store_name = cli->store_name,
    };
    return -1;
}

static int parse(struct cook_cli *cli, int version, int groups)
{
    int code;
    while ((code = poptGetNextOpt(cli->context)) > 0) {
        if (code == version) {
            printf("cook %s\n", VERSION_TEXT);
            return COOK_EXIT_CLEAN;
        }
        if (code == 'h') {
            poptPrintHelp(cli->context, stdout, 0);
            return COOK_EXIT_CLEAN;
        }
        if ((size_t)code < sizeof(cli->seen) / sizeof(cli->seen[0]))
            cli->seen[code] = true;
    }
    if (code < -1)
        return unknown_option(cli, code);
    cli->arguments = poptGetArgs(cli->context);
    return check_options(cli, groups);
}

/* What follows "--" is for class code alone; the number of arguments before it. */
static int split_arguments(struct cook_cli *cli, int argc, const char **argv)
{
    for (int i = 1; i < argc; i++) {
        if (strcmp(argv[i], "--") != 0)
            continue;
        cli->class_arguments = argv + i + 1;
        cli->class_argument_count = (size_t)(argc - i - 1);
        return i;
    }
    return argc;
}

/* The help of popt shows no title for a table that is not there. */
static void include(struct poptOption *option, struct poptOption *table, const char *title)
{
    *option = (struct poptOption){ NULL, 0, POPT_ARG_INCLUDE_TABLE, table, 0, title, NULL };
}

int cook_cli_begin(struct cook_cli *cli, const char *verb, const char *usage, int groups,
                   struct poptOption *own, int argc, const char **argv)
{
    *cli = (struct cook_cli){ .verb = verb, .err = cook_cli_stream(STDERR_FILENO) };
    if (!cli->err)
        return COOK_EXIT_ENVIRONMENT;
    struct poptOption project[] = {
        { "project", 'C', POPT_ARG_STRING, &cli->folder, 0, "the project's folder", "DIR" },
        { "target", 0, POPT_ARG_ARGV, &cli->targets, 0, "platform to cook for", "NAME" },
        { "ini", 0, POPT_ARG_ARGV, &cli->inis, 0, "set a config value, over all files", "S.K=V" },
        { "json", 0, POPT_ARG_STRING, &cli->json_path, 0, "write a JSON document (- for stdout)",
          "FILE" },
        { "quiet", 'q', POPT_ARG_NONE, &cli->quiet, 0, "print only what is wrong", NULL },
        { "verbose", 'v', POPT_ARG_NONE, &cli->verbose, 0, "print information messages too", NULL },
        POPT_TABLEEND
    };
    struct poptOption cooking[] = {
        { "workers", 0, POPT_ARG_INT, &cli->workers, 0, "worker processes (default: processors)",
          "N" },
        { "map", 0, POPT_ARG_ARGV, &cli->maps, 0, "cook this map instead of the configured ones",
          "PACKAGE" },
        { "worker-prefix", 0, POPT_ARG_STRING, &cli->worker_prefix, 0,
          "put a debugger or valgrind in front of the workers", "'gdb --args'" },
        { "progress", 0, POPT_ARG_STRING, &cli->progress, 0, "auto, always or never", "WHEN" },
        { "trace", 0, POPT_ARG_STRING, &cli->trace_path, 0,
          "write a trace for chrome://tracing or Perfetto", "FILE" },
        { "configuration", 0, POPT_ARG_STRING, &cli->configuration, 0,
          "what the target is cooked as, for example client or server", "NAME" },
        { "keep-editor-only", 0, POPT_ARG_NONE, &cli->keep_editor_only, 0,
          "save editor-only properties and objects too", NULL },
        { "rehash", 0, POPT_ARG_NONE, &cli->rehash, 0, "hash every file, whatever its times", NULL },
        { "store-name", 0, POPT_ARG_STRING | POPT_ARGFLAG_DOC_HIDDEN, &cli->store_name, 0, NULL,
          NULL }, /* for incremental-compare, which has two stores of one target */
        POPT_TABLEEND
    };
    struct poptOption help[] = {
        { "help", 'h', POPT_ARG_NONE, NULL, 'h', "print this", NULL },
        { "version", 0, POPT_ARG_NONE, NULL, 'V', "print the version", NULL },
        POPT_TABLEEND
    };
    struct poptOption table[] = { POPT_TABLEEND, POPT_TABLEEND, POPT_TABLEEND, POPT_TABLEEND,
                                  POPT_TABLEEND };
    int tables = 0;
    if (own)
        include(&table[tables++], own, "Options of this verb:");
    if (groups & COOK_CLI_COOKING)
        include(&table[tables++], cooking, "Cooking:");
    if (groups & COOK_CLI_PROJECT)
        include(&table[tables++], project, "Project and output:");
    include(&table[tables++], help, "Help:");
    signal(SIGXFSZ, SIG_IGN); /* a limit on file sizes is an error like that of a full disk */
    remember_command_line(cli, argc, argv);
    argc = split_arguments(cli, argc, argv);
    char *name = cook_arena_printf(&cli->arena, "cook %s", verb);
    const char **named = cook_arena_alloc(&cli->arena, ((size_t)argc + 1) * sizeof(*named));
    if (!name || !named)
        return COOK_EXIT_ENVIRONMENT;
    memcpy(named, argv, (size_t)argc * sizeof(*named));
    named[0] = name;
    cli->context = poptGetContext(name, argc, named, table, 0);
    poptSetOtherOptionHelp(cli->context, usage);
    return parse(cli, 'V', groups);
}

int cook_cli_no_arguments(const struct cook_cli *cli)
{
    struct cook_error error = COOK_ERROR_INIT;
    if (!cli->arguments || !cli->arguments[0])
        return -1;
    (void)cook_error_set(&error, COOK_E_USAGE, "unexpected argument '%s'", cli->arguments[0]);
    return cook_cli_error(cli, &error);
}

int cook_cli_exit_status(const struct cook_cli *cli)
{
    int largest = 0;
    for (int i = 0; i < COOK_EXIT_COUNT; i++)
        if (cli->statuses[i])
            largest = i;
    return largest;
}

enum cook_status cook_cli_no_cook(const char *target, const char *purpose, struct cook_error *error)
{
    return cook_error_set(error, COOK_E_USAGE,
                          "there is no cook of target %s to %s; run: cook full --target %s", target,
                          purpose, target);
}

enum cook_status cook_cli_open_run(struct cook_cli *cli, struct cook_run *run, const char *heading,
                                   const char *purpose, struct cook_error *error)
{
    enum cook_status status = cook_run_open(run, &cli->run, error);
    if (status == COOK_E_NOT_FOUND && run->project.config && !run->store)
        return cook_cli_no_cook(run->project.target, purpose, error);
    if (status != COOK_OK)
        return status;
    if (heading && !cli->quiet)
        fprintf(cli->out, "%s: %s for %s\n", heading, run->project.name, run->project.target);
    fflush(cli->out);
    status = cook_run_refresh(run, error);
    return status == COOK_OK ? cook_run_evaluate(run, error) : status;
}

int cook_cli_finish(struct cook_cli *cli, enum cook_status status, struct cook_error *error)
{
    if (status != COOK_OK) {
        error->status = status;
        cli->statuses[cook_cli_error(cli, error)] = true;
    }
    return cook_cli_exit_status(cli);
}

void cook_cli_add_statuses(const struct cook_cli *cli, cJSON *document)
{
    cJSON *statuses = cJSON_AddArrayToObject(document, "exit_statuses");
    for (int i = 1; i < COOK_EXIT_COUNT; i++)
        if (cli->statuses[i])
            cJSON_AddItemToArray(statuses, cJSON_CreateNumber(i));
}

void cook_cli_free_texts(char **texts)
{
    for (size_t i = 0; texts && texts[i]; i++)
        free(texts[i]);
    free(texts);
}

void cook_cli_end(struct cook_cli *cli)
{
    if (cli->context)
        poptFreeContext(cli->context);
    free(cli->folder);
    cook_cli_free_texts(cli->targets);
    free(cli->json_path);
    free(cli->worker_prefix);
    free(cli->progress);
    free(cli->trace_path);
    free(cli->store_name);
    cook_cli_free_texts(cli->maps);
    free(cli->configuration);
    cook_cli_free_texts(cli->inis);
    if (cli->out && cli->out != cli->err)
        (void)fclose(cli->out);
    if (cli->err)
        (void)fclose(cli->err);
    cook_arena_finish(&cli->arena);
}

enum cook_status cook_cli_write_json(const struct cook_cli *cli, const struct cJSON *document,
                                     struct cook_error *error)
{
    if (!cli->json_path)
        return COOK_OK;
    char *text = cJSON_Print(document);
    if (!text)
        return cook_error_no_memory(error);
    struct cook_buf buf = COOK_BUF_INIT;
    cook_text_put_json(&buf, text);
    cook_buf_put_u8(&buf, '\n');
    cJSON_free(text);
    enum cook_status status;
    if (buf.failed)
        status = cook_error_no_memory(error);
    else if (strcmp(cli->json_path, "-") == 0)
        status = cook_fs_write_all(STDOUT_FILENO, buf.data, buf.size, error);
    else
        status = cook_fs_write_output(cli->json_path, buf.data, buf.size, error);
    cook_buf_finish(&buf);
    return status;
}

/* ---- progress ---- */

void cook_cli_progress(void *user, const struct cook_progress_figures *figures,
                       const char *slowest, double slowest_seconds)
{
    const struct cook_cli *cli = user;
    if (!cli->show_progress)
        return;
    struct winsize window = { 0 };
    int width = 100;
    if (ioctl(STDERR_FILENO, TIOCGWINSZ, &window) == 0 && window.ws_col > 20)
        width = window.ws_col;
    char line[1024];
    int length = snprintf(line, sizeof(line), "cooked %zu, skipped %zu, failed %zu, left %zu",
                          figures->cooked, figures->skipped, figures->failed, figures->left);
    if (slowest && slowest_seconds >= 0.5 && length > 0 && (size_t)length < sizeof(line))
        (void)snprintf(line + length, sizeof(line) - (size_t)length, "  (now %.1f s: %s)",
                       slowest_seconds, slowest);
    fputs("\r\033[K", stderr);
    fprintf(cli->err, "%.*s", width - 1, line);
    fflush(cli->err);
}

void cook_cli_progress_done(const struct cook_cli *cli)
{
    if (cli->show_progress) {
        fputs("\r\033[K", stderr);
        fflush(stderr);
    }
}
