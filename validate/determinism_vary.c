/* The perturbations: their names, what this machine can do, and how a worker is started under
 * them. */
#include <fcntl.h>
#include <locale.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/personality.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "cook/base/fs.h"
#include "cook/worker/perturb.h"
#include "validate/determinism.h"

#define DAYS_AHEAD      400
#define MAX_ASSIGNMENTS 24
#define FILL            85 /* each byte of fresh memory is the complement, of freed memory this */
#define OTHER_FILL      170
#define JOB_DELAY_MS    "12"
#define OTHER_HOST      "perturbed-host"
#define THE_PROCESS     4242
#define OTHER_PROCESS   31337

static const struct {
    const char *text;
    const char *does;
} varies[] = {
#define DETERMINISM_VARY_ROW(name, text, does) { text, does },
    DETERMINISM_VARIES(DETERMINISM_VARY_ROW)
#undef DETERMINISM_VARY_ROW
};

const char *determinism_vary_text(enum determinism_vary vary)
{
    return varies[vary].text;
}

const char *determinism_vary_does(enum determinism_vary vary)
{
    return varies[vary].does;
}

/* ---- --vary ---- */

static enum cook_status parse_name(uint32_t *set, bool *chosen, const char *name, size_t length,
                                   struct cook_error *error)
{
    bool off = length && *name == '-';
    name += off;
    length -= off;
    for (unsigned i = 0; i < DETERMINISM_VARY_COUNT; i++) {
        if (strlen(varies[i].text) != length || strncmp(varies[i].text, name, length) != 0)
            continue;
        if (!off && !*chosen) {
            *set = 0;
            *chosen = true;
        }
        *set = off ? *set & ~(1u << i) : *set | 1u << i;
        return COOK_OK;
    }
    return cook_error_set(error, COOK_E_USAGE,
                          "no perturbation is named '%.*s'; see: cook determinism --list",
                          (int)length, name);
}

enum cook_status determinism_parse_vary(uint32_t *set, const char *const *lists, size_t count,
                                        struct cook_error *error)
{
    bool chosen = false;
    enum cook_status status = COOK_OK;
    *set = (1u << DETERMINISM_VARY_COUNT) - 1;
    for (size_t i = 0; i < count; i++) {
        for (const char *at = lists[i]; status == COOK_OK && *at;) {
            size_t length = strcspn(at, ",");
            status = parse_name(set, &chosen, at, length, error);
            at += length + (at[length] == ',');
        }
    }
    return status;
}

/* ---- the machine ---- */

static bool can_fix_addresses(void)
{
    int now = personality(0xffffffff);
    if (now < 0 || personality((unsigned long)now | ADDR_NO_RANDOMIZE) < 0)
        return false;
    return personality((unsigned long)now) >= 0;
}

static bool addresses_are_random(void)
{
    FILE *file = fopen("/proc/sys/kernel/randomize_va_space", "re");
    int value = file ? fgetc(file) : '2';
    if (file)
        fclose(file);
    return value != '0';
}

/* Only a process that does nothing else may try it. */
static bool can_rename_host(void)
{
    int status = 1;
    pid_t child = fork();
    if (child == 0)
        _exit(unshare(CLONE_NEWUTS) == 0 ? 0 : 1);
    return child > 0 && waitpid(child, &status, 0) == child && status == 0;
}

static const char *other_locale(void)
{
    static const char *const candidates[] = { "de_DE.UTF-8", "tr_TR.UTF-8", "C.UTF-8",
                                              "POSIX" };
    const char *now = getenv("LC_ALL");
    for (size_t i = 0; i < sizeof(candidates) / sizeof(candidates[0]); i++) {
        locale_t locale = newlocale(LC_ALL_MASK, candidates[i], (locale_t)0);
        if (!locale)
            continue;
        freelocale(locale);
        if (!now || strcmp(now, candidates[i]) != 0)
            return candidates[i];
    }
    return NULL;
}

static char *find_preload(struct cook_arena *arena)
{
#ifdef COOK_ARENA_MALLOC /* a build with sanitizers, whose runtime wants to come first */
    (void)arena;
    return NULL;
#else
    char *worker = cook_worker_find(arena);
    char *slash = worker ? strrchr(worker, '/') : NULL;
    if (!slash)
        return NULL;
    char *path = cook_arena_printf(arena, "%.*s/%s", (int)(slash - worker), worker,
                                   COOK_PERTURB_PRELOAD);
    if (!path || access(path, R_OK) != 0)
        return NULL;
    const char *others = getenv("LD_PRELOAD");
    return others && *others ? cook_arena_printf(arena, "%s:%s", path, others) : path;
#endif
}

static const char *no_addresses(const struct determinism_machine *machine)
{
    if (!machine->fixed_addresses)
        return "address randomisation cannot be switched off here (personality is refused)";
    return addresses_are_random() ? NULL : "this machine does not randomise addresses";
}

/* ---- other places ---- */

static char *make_folder(struct cook_arena *arena)
{
    const char *temporary = getenv("TMPDIR");
    char *path = cook_arena_printf(arena, "%s/cook-elsewhere-XXXXXX",
                                   temporary && *temporary ? temporary : "/tmp");
    return path && !strchr(path, ',') && mkdtemp(path) ? path : NULL;
}

/* Relative paths lead to the same files from there. */
static bool link_all(const char *project, const char *links, struct cook_arena *arena)
{
    struct cook_folder_entry *entries;
    size_t count;
    bool linked = true;
    if (cook_fs_list(&entries, &count, arena, AT_FDCWD, project, NULL) != COOK_OK)
        return false;
    for (size_t i = 0; linked && i < count; i++) {
        const char *to = cook_arena_printf(arena, "%s/%s", project, entries[i].name);
        const char *from = cook_arena_printf(arena, "%s/%s", links, entries[i].name);
        linked = to && from && symlink(to, from) == 0;
    }
    return linked;
}

static void probe_places(struct determinism_machine *machine, const char *project,
                         struct cook_arena *arena)
{
    machine->links = make_folder(arena);
    machine->place = make_folder(arena);
    if (!machine->links || !link_all(project, machine->links, arena))
        machine->reasons[DETERMINISM_FOLDER] = "no folder can be made in TMPDIR";
    if (!machine->place || !cook_perturb_can_move(project, machine->place))
        machine->reasons[DETERMINISM_PROJECT] =
            "this user may not mount a folder elsewhere; cook a copy, and use: cook diff";
}

void determinism_forget(const struct determinism_machine *machine)
{
    if (machine->links)
        (void)!cook_fs_remove_tree(AT_FDCWD, machine->links, NULL);
    if (machine->place)
        (void)rmdir(machine->place);
}

void determinism_probe(struct determinism_machine *machine, const char *project,
                       unsigned worker_count, struct cook_arena *arena)
{
    const char *missing = COOK_PERTURB_PRELOAD " is not beside cook-worker";
    const char **reasons = machine->reasons;
    *machine = (struct determinism_machine){ .preload = find_preload(arena),
                                             .locale = other_locale(),
                                             .worker_count = worker_count,
                                             .clock_ns = (int64_t)time(NULL) * 1000000000,
                                             .fixed_addresses = can_fix_addresses() };
    long processors = sysconf(_SC_NPROCESSORS_ONLN);
    machine->processors = processors == 1 ? 3 : 1;
    reasons[DETERMINISM_ASLR] = no_addresses(machine);
    if (!machine->preload) {
        reasons[DETERMINISM_CLOCK] = missing;
        reasons[DETERMINISM_SEED] = missing;
        reasons[DETERMINISM_PROCESS] = missing;
        reasons[DETERMINISM_DIRECTORY] = missing;
        reasons[DETERMINISM_HOST] = can_rename_host() ? NULL : missing;
        reasons[DETERMINISM_PROCESSORS] = processors == 1 ? missing : NULL;
    }
    if (!machine->locale)
        reasons[DETERMINISM_LOCALE] = "no other locale is installed";
    if (worker_count < 2)
        reasons[DETERMINISM_WORKERS] = "there is one worker only; see --workers";
    probe_places(machine, project, arena);
}

/* ---- starting ---- */

struct starting {
    struct cook_arena *arena;
    const char **environment;
    size_t count;
    bool failed;
};

static void assign(struct starting *starting, const char *name, const char *value)
{
    char *text = cook_arena_printf(starting->arena, "%s=%s", name, value);
    if (!text || starting->count == MAX_ASSIGNMENTS)
        starting->failed = true;
    else
        starting->environment[starting->count++] = text;
}

static void assign_number(struct starting *starting, const char *name, long long value)
{
    char text[32];
    (void)snprintf(text, sizeof(text), "%lld", value);
    assign(starting, name, text);
}

/* The allocator's settings are one variable, whatever of it varies. */
static void assign_heap(struct starting *starting, uint32_t set)
{
    char text[256];
    int fill = set & DETERMINISM_BIT(HEAP) ? OTHER_FILL : FILL;
    (void)snprintf(text, sizeof(text), "glibc.malloc.perturb=%d%s", fill,
                   set & DETERMINISM_BIT(REUSE)
                       ? ":glibc.malloc.tcache_count=0:glibc.malloc.mmap_threshold=8192"
                         ":glibc.malloc.arena_max=1"
                       : "");
    assign(starting, "GLIBC_TUNABLES", text);
    assign_number(starting, "MALLOC_PERTURB_", fill);
    assign_number(starting, COOK_PERTURB_HEAP, fill);
    assign_number(starting, COOK_PERTURB_STACK, fill);
}

static void assign_preload(struct starting *starting, const struct determinism_machine *machine,
                           uint32_t set)
{
    if (!machine->preload)
        return;
    int64_t ahead = set & DETERMINISM_BIT(CLOCK)
                        ? ((int64_t)DAYS_AHEAD * 86400 + 26111) * 1000000000 + 123456789
                        : 0;
    assign(starting, "LD_PRELOAD", machine->preload);
    assign_number(starting, COOK_PERTURB_CLOCK, machine->clock_ns + ahead);
    assign_number(starting, COOK_PERTURB_SEED, set & DETERMINISM_BIT(SEED) ? 2 : 1);
    assign_number(starting, COOK_PERTURB_PROCESS,
                  set & DETERMINISM_BIT(PROCESS) ? OTHER_PROCESS : THE_PROCESS);
    assign(starting, COOK_PERTURB_LISTING,
           set & DETERMINISM_BIT(DIRECTORY) ? "reversed" : "sorted");
    if (set & DETERMINISM_BIT(PROCESSORS))
        assign_number(starting, COOK_PERTURB_PROCESSORS, machine->processors);
    if (set & DETERMINISM_BIT(HOST))
        assign(starting, COOK_PERTURB_HOST, OTHER_HOST);
}

static void assign_rest(struct starting *starting, const struct determinism_machine *machine,
                        uint32_t set)
{
    if (set & DETERMINISM_BIT(TIMEZONE))
        assign(starting, "TZ", "PTB-5:47");
    if ((set & DETERMINISM_BIT(LOCALE)) && machine->locale)
        assign(starting, "LC_ALL", machine->locale);
    if (set & DETERMINISM_BIT(TIMING))
        assign(starting, COOK_PERTURB_ASYNC_MS, JOB_DELAY_MS);
    /* Links would lead back from another project folder, which is another working folder too.
     */
    if ((set & DETERMINISM_BIT(FOLDER)) && !(set & DETERMINISM_BIT(PROJECT)) && machine->links)
        assign(starting, COOK_PERTURB_FOLDER, machine->links);
    if (set & (DETERMINISM_BIT(ENVIRONMENT) | DETERMINISM_CONTROL))
        assign(starting, "COOK_PERTURBED", "1");
    if (!(set & DETERMINISM_BIT(ENVIRONMENT)))
        return;
    assign(starting, "HOME", "/nonexistent/perturbed");
    assign(starting, "USER", "perturbed");
    assign(starting, "LOGNAME", "perturbed");
}

static char *arguments_text(const struct determinism_machine *machine, uint32_t set,
                            struct cook_arena *arena)
{
    mode_t mask = umask(0);
    (void)umask(mask);
    bool moves = (set & DETERMINISM_BIT(PROJECT)) && machine->place;
    bool random = (set & DETERMINISM_BIT(ASLR)) || !machine->fixed_addresses;
    unsigned value = set & DETERMINISM_BIT(UMASK) ? (mask == 077 ? 022 : 077) : (unsigned)mask;
    return cook_arena_printf(arena, "umask=%03o%s%s%s%s%s", value,
                             set & DETERMINISM_BIT(PROCESSORS) ? ",cpus=1" : "",
                             set & DETERMINISM_BIT(HOST) ? ",host=" OTHER_HOST : "",
                             moves ? ",project=" : "", moves ? machine->place : "",
                             random ? "" : ",aslr=off");
}

const struct cook_pool_start *determinism_start(const struct determinism_machine *machine,
                                                uint32_t set, struct cook_arena *arena)
{
    struct cook_pool_start *start = cook_arena_alloc(arena, sizeof(*start));
    const char **arguments = cook_arena_alloc(arena, 2 * sizeof(*arguments));
    struct starting starting = { .arena = arena };
    starting.environment = cook_arena_alloc(arena, MAX_ASSIGNMENTS * sizeof(char *));
    if (!start || !arguments || !starting.environment)
        return NULL;
    assign_heap(&starting, set);
    assign_preload(&starting, machine, set);
    assign_rest(&starting, machine, set);
    arguments[0] = "--perturb";
    arguments[1] = arguments_text(machine, set, arena);
    if (starting.failed || !arguments[1])
        return NULL;
    *start = (struct cook_pool_start){ .environment = starting.environment,
                                       .environment_count = starting.count,
                                       .arguments = arguments,
                                       .argument_count = 2,
                                       .count = set & DETERMINISM_BIT(WORKERS) ? 0 : 1 };
    return start;
}
