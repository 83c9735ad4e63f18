/* cook doctor: whether this machine, and the project if there is one, let the instruments see. */
#include <stdarg.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cjson/cJSON.h>

#include "cook/cli/cli.h"
#include "cook/symbols/elf_file.h"
#include "cook/trace/hooks.h"
#include "cook/trace/kernel.h"
#include "cook/worker/pool.h"
#include "cook/worker/traced_start.h"

#define FILES_PER_WORKER 8   /* sockets, pipes, what it maps */
#define FILES_OF_A_COOK  256 /* the store, content being read */

struct doctor {
    struct cook_cli *cli;
    cJSON *checks;
    size_t bad;
};

/* `fix` NULL: all is well. */
static void say(struct doctor *doctor, const char *name, const char *text, const char *fix)
{
    cJSON *check = cJSON_CreateObject();
    cJSON_AddStringToObject(check, "name", name);
    cJSON_AddBoolToObject(check, "ok", !fix);
    cJSON_AddStringToObject(check, "text", text);
    if (fix)
        cJSON_AddStringToObject(check, "fix", fix);
    else
        cJSON_AddNullToObject(check, "fix");
    cJSON_AddItemToArray(doctor->checks, check);
    doctor->bad += fix != NULL;
    if (doctor->cli->quiet && !fix)
        return;
    fprintf(doctor->cli->out, "%-4s %s: %s\n", fix ? "BAD" : "ok", name, text);
    if (fix)
        fprintf(doctor->cli->out, "     fix: %s\n", fix);
}

static __attribute__((format(printf, 2, 3))) const char *
text_of(const struct doctor *doctor, const char *format, ...)
{
    char text[4096];
    va_list arguments;
    va_start(arguments, format);
    (void)vsnprintf(text, sizeof(text), format, arguments);
    va_end(arguments);
    char *copy = cook_arena_strdup(&doctor->cli->arena, text);
    return copy ? copy : "";
}

/* ---- tracing ---- */

/* In a child, since the filter stays: the reason of a refusal, "" for none. */
static void probe_filter(char *reason, size_t size)
{
    int pipes[2];
    reason[0] = '\0';
    if (pipe(pipes) != 0)
        return;
    pid_t child = fork();
    if (child == 0) {
        struct cook_error error = COOK_ERROR_INIT;
        int listener;
        if (cook_trace_filter_install(&listener, &error) != COOK_OK)
            (void)!write(pipes[1], error.message, strlen(error.message));
        _exit(0);
    }
    close(pipes[1]);
    ssize_t length = child > 0 ? read(pipes[0], reason, size - 1) : 0;
    reason[length > 0 ? length : 0] = '\0';
    close(pipes[0]);
    if (child > 0)
        (void)waitpid(child, NULL, 0);
}

static void check_tracing(struct doctor *doctor, const char *worker)
{
    char reason[1024];
    const char *refusal = cook_traced_refusal(NULL);
    const char *slash = worker ? strrchr(worker, '/') : NULL;
    const char *preload = slash ? text_of(doctor, "%.*s%s", (int)(slash + 1 - worker), worker,
                                          COOK_TRACE_PRELOAD)
                                : COOK_TRACE_PRELOAD;
    probe_filter(reason, sizeof(reason));
    if (refusal)
        say(doctor, "tracing", refusal, "use a build without sanitizers");
    else if (access(preload, R_OK) != 0)
        say(doctor, "tracing", text_of(doctor, "%s is missing: environment reads are not seen",
                                       preload),
            "install Cookproof whole");
    else if (reason[0])
        say(doctor, "tracing", text_of(doctor, "%s: only calls through the C library are seen",
                                       reason),
            "allow seccomp(2) with a listener, which Linux has since 5.0, in the container's profile");
    else
        say(doctor, "tracing", "complete: undeclared inputs are seen", NULL);
}

/* ---- the machine ---- */

static void check_machine(struct doctor *doctor)
{
    struct rlimit files = { 0, 0 };
    const char *worker = cook_worker_find(&doctor->cli->arena);
    long processors = sysconf(_SC_NPROCESSORS_ONLN);
    unsigned workers = doctor->cli->workers ? (unsigned)doctor->cli->workers
                                            : (unsigned)(processors > 0 ? processors : 1);
    unsigned long needed = FILES_OF_A_COOK + (unsigned long)workers * FILES_PER_WORKER;
    if (worker)
        say(doctor, "worker", worker, NULL);
    else
        say(doctor, "worker", "cook-worker is not found", "install it, or set COOK_WORKER");
    check_tracing(doctor, worker);
    (void)getrlimit(RLIMIT_NOFILE, &files);
    bool enough = files.rlim_cur >= needed;
    say(doctor, "open files",
        text_of(doctor, "%llu allowed, %lu needed for %u workers",
                (unsigned long long)files.rlim_cur, needed, workers),
        enough ? NULL : text_of(doctor, "ulimit -n %lu", needed));
}

/* ---- the project ---- */

static void check_plugin(struct doctor *doctor, const struct cook_project *project,
                         const char *plugin)
{
    struct cook_error error = COOK_ERROR_INIT;
    struct cook_elf *elf;
    const char *name = text_of(doctor, "plugin %s", plugin);
    const char *path = plugin[0] == '/' ? plugin : text_of(doctor, "%s/%s", project->path, plugin);
    if (cook_elf_open(&elf, path, &error) != COOK_OK) {
        say(doctor, name, error.message, "build it");
        return;
    }
    if (!*cook_elf_build_id(elf))
        say(doctor, name, "has no build id: its functions cannot be named later",
            "link it with -Wl,--build-id, or build it with cook_add_plugin()");
    else if (!cook_elf_has_debug_info(elf))
        say(doctor, name, "has no debug information: callstacks show no files and lines",
            "compile it with -g, or build it with cook_add_plugin()");
    else
        say(doctor, name, "has a build id and debug information", NULL);
    cook_elf_close(elf);
}

static enum cook_status check_project(struct doctor *doctor, struct cook_error *error)
{
    struct cook_project project = { 0 };
    enum cook_status status = cook_project_open(&project, &doctor->cli->run.project, error);
    bool none = access(text_of(doctor, "%s/cook.ini", doctor->cli->run.project.folder), F_OK) != 0;
    if (status == COOK_OK)
        for (size_t i = 0; i < project.plugin_count; i++)
            check_plugin(doctor, &project, project.plugins[i]);
    cook_project_finish(&project);
    if (status != COOK_OK && !none)
        return status;
    if (none && !doctor->cli->quiet)
        fprintf(doctor->cli->out, "no cook.ini here: the machine alone was looked at\n");
    return COOK_OK;
}

static enum cook_status examine(struct doctor *doctor, struct cook_error *error)
{
    cJSON *document = cJSON_CreateObject();
    cJSON_AddStringToObject(document, "schema", "cookproof/doctor/1");
    cJSON *summary = cJSON_AddObjectToObject(document, "summary");
    doctor->checks = cJSON_AddArrayToObject(document, "checks");
    check_machine(doctor);
    enum cook_status status = check_project(doctor, error);
    cJSON_AddNumberToObject(summary, "checks", cJSON_GetArraySize(doctor->checks));
    cJSON_AddNumberToObject(summary, "bad", (double)doctor->bad);
    doctor->cli->statuses[COOK_EXIT_FINDINGS] = doctor->bad != 0;
    cook_cli_add_statuses(doctor->cli, document);
    if (status == COOK_OK)
        status = cook_cli_write_json(doctor->cli, document, error);
    cJSON_Delete(document);
    return status;
}

int cook_verb_doctor(int argc, const char **argv)
{
    struct cook_cli cli;
    struct cook_error error = COOK_ERROR_INIT;
    struct doctor doctor = { .cli = &cli };
    int exit_status = cook_cli_begin(&cli, "doctor", "[OPTION...]", COOK_CLI_PROJECT, NULL, argc,
                                     argv);
    if (exit_status < 0)
        exit_status = cook_cli_no_arguments(&cli);
    if (exit_status < 0)
        exit_status = cook_cli_finish(&cli, examine(&doctor, &error), &error);
    cook_cli_end(&cli);
    return exit_status;
}
