#include "cook/trace/tracer.h"

#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <link.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "cook/trace/kernel.h"
#include "cook/trace/remote.h"
#include "cook/trace/supervisor.h"
#include "cook/trace/tracer_private.h"

/* Interposed functions and signal handlers take no argument of ours: the process's one tracer. */
static struct cook_tracer self = { .lock = PTHREAD_MUTEX_INITIALIZER };
static _Thread_local struct cook_trace_slot *own_slot;

struct cook_tracer *cook_tracer_self(void)
{
    return &self;
}

bool cook_tracer_is_on(void)
{
    return atomic_load_explicit(&self.on, memory_order_relaxed);
}

bool cook_tracer_is_wanted(void)
{
    return self.wanted;
}

static struct cook_trace_slot *slot_of_thread(void)
{
    if (!own_slot)
        own_slot = cook_trace_slot_make(self.shared,
                                        (int)cook_trace_call(SYS_gettid, 0, 0, 0, 0, 0, 0));
    return own_slot;
}

/* ---- what the wrappers tell ---- */

static bool is_sdk(const void *address)
{
    return (uintptr_t)address - self.sdk_start < self.sdk_end - self.sdk_start;
}

static uint32_t package_at_hand(const struct cook_trace_slot *slot)
{
    unsigned package = atomic_load(&slot->package);
    return package ? package : atomic_load(&self.shared->active);
}

/* The stack without the tracer's own frames, which alone are of the SDK until its caller. */
static void walk_to_caller(struct cook_trace_slot *slot)
{
    size_t count = cook_stacks_walk(slot->pcs, COOK_TRACE_FRAMES);
    size_t own = 0;
    while (own < count && is_sdk(slot->pcs[own]))
        own++;
    memmove(slot->pcs, slot->pcs + own, (count - own) * sizeof(slot->pcs[0]));
    slot->count = (uint32_t)(count - own);
}

static void note_call(struct cook_trace_slot *slot, long number, int folder_fd, const char *path,
                      int flags)
{
    int saved_errno = errno;
    bool moved = atomic_load(&self.shared->moved);
    if (number >= 0 && path[0] && path[0] != '/' && (folder_fd != AT_FDCWD || moved)) {
        size_t length = strnlen(path, COOK_TRACE_PATH_BYTES - 1);
        memcpy(slot->path, path, length);
        slot->path[length] = '\0';
        cook_trace_remote_resolve(slot->path, sizeof(slot->path), self.pid, folder_fd, moved);
        path = slot->path;
    }
    walk_to_caller(slot);
    struct cook_trace_note note = { .package = package_at_hand(slot),
                                    .number = (int32_t)number,
                                    .flags = flags,
                                    .order = atomic_fetch_add(&self.shared->order, 1) };
    pthread_mutex_lock(&self.lock);
    cook_trace_notes_add(&self.notes, note, path, "", slot->pcs, slot->count);
    pthread_mutex_unlock(&self.lock);
    errno = saved_errno;
}

static bool enter(long number, int folder_fd, const char *path, int flags, const void *caller)
{
    if (!cook_tracer_is_on())
        return false;
    struct cook_trace_slot *slot = slot_of_thread();
    if (!slot)
        return false;
    if (atomic_fetch_add(&slot->covered, 1) == 0 && path && !is_sdk(caller))
        note_call(slot, number, folder_fd, path, flags);
    return true;
}

static void leave(void)
{
    if (own_slot)
        atomic_fetch_sub(&own_slot->covered, 1);
}

static void thread(bool begins)
{
    if (!cook_tracer_is_on())
        return;
    if (begins) {
        (void)!cook_crash_install_thread(NULL); /* the stack to answer questions on */
    } else if (own_slot) {
        cook_trace_slot_free(own_slot);
        own_slot = NULL;
    }
}

/* ---- what the supervisor asks and tells ---- */

static void answer(int signal_number, siginfo_t *info, void *context)
{
    (void)signal_number;
    (void)info;
    int saved_errno = errno;
    struct cook_trace_slot *slot = cook_tracer_is_on() ? slot_of_thread() : NULL;
    if (slot && atomic_exchange(&slot->want, false)) {
        atomic_fetch_add(&slot->covered, 1); /* the unwinder may open files itself */
        slot->count = (uint32_t)cook_stacks_walk_signal(slot->pcs, COOK_TRACE_FRAMES, context);
        atomic_fetch_sub(&slot->covered, 1);
        atomic_store(&slot->have, true);
    }
    errno = saved_errno;
}

void cook_tracer_drain(struct cook_tracer *tracer)
{
    const struct cook_trace_sighting *sighting;
    while ((sighting = cook_trace_ring_peek(tracer->shared)) != NULL) {
        struct cook_trace_note note = { .package = sighting->package,
                                        .number = sighting->number,
                                        .flags = sighting->flags,
                                        .order = sighting->order };
        cook_trace_notes_add(&tracer->notes, note, cook_trace_sighting_path(sighting),
                             cook_trace_sighting_program(sighting),
                             cook_trace_sighting_pcs(sighting), sighting->pc_count);
        cook_trace_ring_release(tracer->shared, sighting);
    }
}

/* ---- clocks that are no system calls ---- */

static long read_clock(long number, long a, long b, int flags, const void *caller)
{
    if (enter(number, AT_FDCWD, "", flags, caller)) {
        long result = cook_trace_call(number, a, b, 0, 0, 0, 0);
        leave();
        return result;
    }
    int saved_errno = errno; /* the vDSO gives negative numbers and leaves errno alone */
    long result = syscall(number, a, b);
    if (result < 0) {
        result = -errno;
        errno = saved_errno;
    }
    return result;
}

static int vdso_clock_gettime(clockid_t clock, struct timespec *now)
{
    return (int)read_clock(SYS_clock_gettime, clock, (long)now, clock, __builtin_return_address(0));
}

static int vdso_gettimeofday(struct timeval *now, void *zone)
{
    return (int)read_clock(SYS_gettimeofday, (long)now, (long)zone, 0,
                           __builtin_return_address(0));
}

static time_t vdso_time(time_t *now)
{
    return read_clock(SYS_time, (long)now, 0, 0, __builtin_return_address(0));
}

/* ---- the package at hand ---- */

struct cook_tracer_place cook_tracer_enter(const char *package, bool loading)
{
    struct cook_tracer_place place = { 0, 0 };
    struct cook_trace_slot *slot = cook_tracer_is_on() ? slot_of_thread() : NULL;
    if (!slot)
        return place;
    cook_tracer_pause();
    pthread_mutex_lock(&self.lock);
    uint32_t id = cook_intern_add(&self.notes.packages, package);
    pthread_mutex_unlock(&self.lock);
    cook_tracer_resume();
    unsigned now = id == COOK_INTERN_NONE ? 0 : id * 2 + loading;
    place.thread = atomic_exchange(&slot->package, now);
    place.process = atomic_load(&self.shared->active);
    if (atomic_load(&slot->tid) == self.main_tid) /* threads of class code work for it too */
        atomic_store(&self.shared->active, now);
    return place;
}

void cook_tracer_leave(struct cook_tracer_place place)
{
    struct cook_trace_slot *slot = cook_tracer_is_on() ? slot_of_thread() : NULL;
    if (!slot)
        return;
    atomic_store(&slot->package, place.thread);
    if (atomic_load(&slot->tid) == self.main_tid)
        atomic_store(&self.shared->active, place.process);
}

void cook_tracer_pause(void)
{
    struct cook_trace_slot *slot = cook_tracer_is_on() ? slot_of_thread() : NULL;
    if (slot)
        atomic_fetch_add(&slot->covered, 1);
}

void cook_tracer_resume(void)
{
    if (cook_tracer_is_on())
        leave();
}

/* ---- start ---- */

/* Class code, and the processes it starts, see the environment that they would see untraced. */
static void restore_environment(void)
{
    const char *preloaded = getenv("LD_PRELOAD");
    const char *name = preloaded ? strstr(preloaded, COOK_TRACE_PRELOAD) : NULL;
    if (!name)
        return;
    const char *rest = name + strlen(COOK_TRACE_PRELOAD);
    rest += *rest == ':';
    char *copy = *rest ? cook_strdup(rest) : NULL;
    if (copy)
        (void)setenv("LD_PRELOAD", copy, 1);
    else
        (void)unsetenv("LD_PRELOAD");
    cook_free(copy);
}

static void find_hooks(void)
{
    self.hooks = dlsym(RTLD_DEFAULT, COOK_TRACE_HOOKS_SYMBOL);
    if (!self.hooks)
        (void)snprintf(self.partial, sizeof(self.partial),
                       COOK_TRACE_PRELOAD " was not loaded: environment reads are not seen");
}

static int find_sdk(struct dl_phdr_info *info, size_t size, void *unused)
{
    (void)size;
    (void)unused;
    for (ElfW(Half) i = 0; i < info->dlpi_phnum; i++) {
        const ElfW(Phdr) *segment = &info->dlpi_phdr[i];
        uintptr_t start = info->dlpi_addr + segment->p_vaddr;
        uintptr_t here = (uintptr_t)find_sdk;
        if (segment->p_type != PT_LOAD || here < start || here >= start + segment->p_memsz)
            continue;
        self.sdk_start = start;
        self.sdk_end = start + segment->p_memsz;
        return 1;
    }
    return 0;
}

static void stop_in_copy(void)
{
    atomic_store(&self.on, false);
}

static void answer_questions(void)
{
    struct sigaction action;
    memset(&action, 0, sizeof(action));
    action.sa_sigaction = answer;
    action.sa_flags = SA_SIGINFO | SA_RESTART | SA_ONSTACK;
    sigfillset(&action.sa_mask);
    (void)sigaction(COOK_TRACE_SIGNAL, &action, NULL);
    void *pcs[4]; /* the unwinder initialises itself at its first use */
    (void)cook_stacks_walk(pcs, 4);
}

/* In the worker: the filter, then everything that tells. */
static void begin(void)
{
    int listener;
    struct cook_error error = COOK_ERROR_INIT;
    self.pid = getpid();
    self.main_tid = gettid();
    (void)dl_iterate_phdr(find_sdk, NULL);
    (void)pthread_atfork(NULL, NULL, stop_in_copy);
    answer_questions();
    static const struct cook_trace_vdso clocks = { vdso_clock_gettime, vdso_gettimeofday,
                                                   vdso_time };
    bool patched = cook_trace_vdso_patch(&clocks);
    if (cook_trace_filter_install(&listener, &error) == COOK_OK) {
        self.supervised = cook_trace_line_send(&self.line, listener);
        (void)close(listener);
    } else {
        (void)snprintf(self.partial, sizeof(self.partial),
                       "%.*s: only calls through the C library are seen",
                       (int)sizeof(self.partial) - 64, error.message);
    }
    if (!patched && !self.partial[0])
        (void)snprintf(self.partial, sizeof(self.partial),
                       "the kernel protects the vDSO: clocks that libraries read by themselves are "
                       "not seen");
    atomic_store(&self.on, true);
    if (self.hooks)
        *self.hooks = (struct cook_trace_hooks){ enter, leave, cook_trace_call, thread };
}

void cook_tracer_start(void)
{
    struct cook_trace_line other = { -1, { -1, -1 } };
    pid_t above = getpid();
    self.wanted = true;
    restore_environment();
    find_hooks();
    pid_t worker = -1;
    if (cook_trace_notes_init(&self.notes) &&
        cook_trace_shared_create(&self.shared, NULL) == COOK_OK &&
        cook_trace_line_make(&self.line, &other))
        worker = fork();
    if (worker < 0) {
        (void)snprintf(self.partial, sizeof(self.partial),
                       "a worker could not start its supervisor: nothing is seen");
        return;
    }
    if (worker > 0)
        cook_trace_supervise(self.shared, worker, &other);
    cook_trace_line_close(&other);
    /* A worker without its supervisor would be told that nothing exists. */
    (void)prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (getppid() != above)
        (void)raise(SIGKILL);
    begin();
    (void)close(self.line.channel);
    self.line.channel = -1;
}
