/* What a dead worker tells: the signal, and where it was. */
#include <signal.h>
#include <string.h>
#include <sys/wait.h>

#include "cook/plan/dispatch.h"
#include "cook/symbols/symbolize.h"

#define MAX_FRAMES 64

/* What calls class code, or a thread of its own: it helps nobody below a hook. */
static bool is_ours(const struct cook_symbol_frame *frame)
{
    static const char *const threads[] = { "start_thread", "clone3", "clone" };
    for (size_t i = 0; frame->function && i < sizeof(threads) / sizeof(threads[0]); i++)
        if (strcmp(frame->function, threads[i]) == 0)
            return true;
    static const char *const files[] = { "cook/worker/", "cook/registry/scan.c" };
    for (size_t i = 0; frame->file && i < sizeof(files) / sizeof(files[0]); i++)
        if (strncmp(frame->file, files[i], strlen(files[i])) == 0)
            return true;
    return false;
}

/* Without the calls that led to the outermost hook; all, where no class code is in it. */
static size_t frames_of_interest(const struct cook_symbol_frame *frames, size_t count)
{
    size_t all = count;
    for (size_t i = 0; i < count; i++)
        if (frames[i].function && (strcmp(frames[i].function, "cook_worker_run") == 0 ||
                                   strcmp(frames[i].function, "run_jobs") == 0))
            all = count = i;
    while (count && is_ours(&frames[count - 1]))
        count--;
    return count ? count : all;
}

static void put_frames(const struct cook_symbol_frame *frames, size_t count, struct cook_buf *out,
                       struct cook_arena *arena)
{
    const char *last = "";
    size_t times = 0;
    for (size_t i = 0; i <= count; i++) {
        const char *text = i < count ? cook_symbol_text(&frames[i], arena) : "";
        if (!text)
            text = "?";
        if (times && strcmp(text, last) == 0) {
            times++;
            continue;
        }
        if (times > 1) /* a recursion */
            cook_buf_printf(out, ", %zu times", times);
        if (i < count)
            cook_buf_printf(out, "\n    at %s", text);
        last = text;
        times = 1;
    }
}

static void put_stack(struct cook_run *run, const struct cook_stack_set *set, struct cook_buf *out,
                      struct cook_arena *arena)
{
    const char *folders[] = { run->plugin_folder };
    struct cook_symbolizer_options options = { .folders = folders, .folder_count = 1 };
    struct cook_symbolizer *symbolizer;
    struct cook_symbol_frame frames[MAX_FRAMES];
    if (cook_symbolizer_create(&symbolizer, &options, NULL) != COOK_OK)
        return;
    size_t count = cook_symbolizer_stack(symbolizer, set, 0, frames, MAX_FRAMES);
    put_frames(frames, frames_of_interest(frames, count), out, arena);
    cook_symbolizer_destroy(symbolizer);
}

static void put_end(const struct cook_pool_event *event, struct cook_buf *out)
{
    int status = event->wait_status;
    if (event->hung_up)
        cook_buf_printf(out, "its worker closed its connection and was ended");
    else if (WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL)
        cook_buf_printf(out, "its worker%s was killed from outside, as the system does when memory "
                             "is short", event->traced ? " (or the process that traces it)" : "");
    else if (WIFSIGNALED(status))
        cook_buf_printf(out, "its worker was ended by a signal: %s", strsignal(WTERMSIG(status)));
    else
        cook_buf_printf(out, "its worker exited with status %d",
                        WIFEXITED(status) ? WEXITSTATUS(status) : -1);
}

char *cook_death_text(struct cook_run *run, const struct cook_pool_event *event,
                      struct cook_arena *arena)
{
    struct cook_buf out = COOK_BUF_INIT;
    struct cook_crash crash;
    bool have_crash = event->crash->size &&
                      cook_crash_decode(&crash, event->crash->data, event->crash->size, arena,
                                        NULL) == COOK_OK;
    if (event->timed_out)
        cook_buf_printf(&out, "did not return within %lld s and was ended%s",
                        (long long)cook_config_i64(run->project.config, "Cook",
                                                   "PackageTimeoutSeconds", 300),
                        have_crash ? "; it was" : "");
    else if (have_crash)
        cook_buf_printf(&out, "crashed: %s", strsignal(crash.signal));
    else
        put_end(event, &out);
    if (have_crash)
        put_stack(run, &crash.set, &out, arena);
    char *text = cook_arena_strdup(arena, cook_buf_text(&out));
    cook_buf_finish(&out);
    return text;
}

enum cook_status cook_run_died_at_start(struct cook_run *run, const struct cook_pool_event *event,
                                        struct cook_error *error)
{
    char *reason = cook_death_text(run, event, &run->arena);
    for (char *line = reason ? strchr(reason, '\n') : NULL; line; line = strchr(line, '\n'))
        memmove(line, line + 4, strlen(line + 4) + 1); /* "\n    at": one line for an error */
    return cook_error_set(error, COOK_E_CRASHED, "loading the plugins: %s",
                          reason ? reason : "it ended");
}
