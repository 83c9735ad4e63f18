/* What a dead worker tells: the signal, and where it was. */
#include <signal.h>
#include <string.h>
#include <sys/wait.h>

#include "cook/plan/dispatch.h"
#include "cook/symbols/symbolize.h"

#define MAX_FRAMES 64

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
    for (size_t i = 0; i < count; i++) {
        /* The worker's own loop, below the hook, helps nobody. */
        if (frames[i].function && strcmp(frames[i].function, "cook_worker_run") == 0)
            break;
        const char *text = cook_symbol_text(&frames[i], arena);
        cook_buf_printf(out, "\n    at %s", text ? text : "?");
    }
    cook_symbolizer_destroy(symbolizer);
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
        cook_buf_printf(&out, "did not return within %lld s and was ended; it was",
                        (long long)cook_config_i64(run->project.config, "Cook",
                                                   "PackageTimeoutSeconds", 300));
    else if (have_crash)
        cook_buf_printf(&out, "crashed: %s", strsignal(crash.signal));
    else if (WIFSIGNALED(event->wait_status))
        cook_buf_printf(&out, "its worker was killed: %s", strsignal(WTERMSIG(event->wait_status)));
    else
        cook_buf_printf(&out, "its worker exited with status %d",
                        WIFEXITED(event->wait_status) ? WEXITSTATUS(event->wait_status) : -1);
    if (have_crash)
        put_stack(run, &crash.set, &out, arena);
    char *text = cook_arena_strdup(arena, cook_buf_text(&out));
    cook_buf_finish(&out);
    return text;
}
