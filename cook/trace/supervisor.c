#include "cook/trace/supervisor.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/seccomp.h>
#include <poll.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/signalfd.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "cook/base/hash.h"
#include "cook/trace/calls.h"
#include "cook/trace/line.h"
#include "cook/trace/noise.h"
#include "cook/trace/remote.h"

#ifndef SECCOMP_IOCTL_NOTIF_SET_FLAGS
#define SECCOMP_IOCTL_NOTIF_SET_FLAGS SECCOMP_IOW(4, __u64)
#endif
#define SYNC_WAKE_UP 1u /* since Linux 6.6 */

#define NOTICE_BYTES 1024 /* the kernel's structures may be longer than ours */
#define MAX_ASKED    64
#define MAX_CHILDREN 256
#define RECENT_COUNT 4096 /* a power of two */
#define FOLLOW_NOTICES 64 /* to look where the worker runs */
#define ASK_MS       10   /* after which it is looked whether a thread blocks signals */
#define PATIENCE_MS  2000 /* one that does not is only waiting for a processor */

struct asked {
    struct seccomp_notif notice;
    int64_t since_ms;
};

/* A process below the worker: it reads for the package and the function that started it. */
struct child {
    int tid;
    uint32_t package;
    uint32_t count;
    void *pcs[COOK_TRACE_FRAMES];
};

struct supervisor {
    struct cook_trace_shared *shared;
    pid_t worker;
    int listener;
    int tasks_fd; /* /proc/WORKER/task */
    bool follows; /* the worker's processor: the kernel does not wake us there by itself */
    unsigned notices;
    struct asked asked[MAX_ASKED];
    unsigned asked_count;
    struct child start; /* where the worker last started a process */
    struct child children[MAX_CHILDREN];
    unsigned child_count;
    uint64_t recent[RECENT_COUNT]; /* hashes of what was told in this epoch */
    unsigned epoch;
    int deaf_tid; /* it did not answer once: whether it can is looked at first */
    char own_program[COOK_TRACE_PATH_BYTES];
    char path[2 * COOK_TRACE_PATH_BYTES];
    char program[COOK_TRACE_PATH_BYTES];
    _Alignas(16) unsigned char notice[NOTICE_BYTES];
    _Alignas(16) unsigned char response[NOTICE_BYTES];
};

static int64_t now_ms(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (int64_t)now.tv_sec * 1000 + now.tv_nsec / 1000000;
}

/* ---- answers ---- */

static void let_go_on(struct supervisor *supervisor, uint64_t id)
{
    struct seccomp_notif_resp *response = (void *)supervisor->response;
    *response =
        (struct seccomp_notif_resp){ .id = id, .flags = SECCOMP_USER_NOTIF_FLAG_CONTINUE };
    (void)ioctl(supervisor->listener, SECCOMP_IOCTL_NOTIF_SEND, response); /* it may be gone */
}

/* ---- telling the worker ---- */

/* Where a hash stands if it was told in this epoch. */
static uint64_t *place_of(struct supervisor *supervisor, uint64_t hash)
{
    unsigned epoch = atomic_load(&supervisor->shared->epoch);
    if (epoch != supervisor->epoch) {
        memset(supervisor->recent, 0, sizeof(supervisor->recent));
        supervisor->epoch = epoch;
    }
    return &supervisor->recent[(hash >> 8) % RECENT_COUNT];
}

/* Of a call without its stack: the next of the same instruction that reads the same for the same
 * package, as in a loop, is not worth asking for another. */
static uint64_t hash_call(const struct supervisor *supervisor, const struct seccomp_data *call,
                          int flags, uint32_t package)
{
    uint64_t parts[] = { call->instruction_pointer, (uint64_t)(uint32_t)call->nr << 32 | package,
                         (uint64_t)(uint32_t)flags,
                         cook_hash64(supervisor->path, strlen(supervisor->path)) };
    return cook_hash64(parts, sizeof(parts)) | 1;
}

static void tell(struct supervisor *supervisor, const struct seccomp_data *call, int flags,
                 uint32_t package, void *const *pcs, uint32_t pc_count)
{
    size_t path_bytes = strlen(supervisor->path) + 1;
    size_t program_bytes = strlen(supervisor->program) + 1;
    if (path_bytes > COOK_TRACE_PATH_BYTES)
        path_bytes = COOK_TRACE_PATH_BYTES;
    size_t size = sizeof(struct cook_trace_sighting) + pc_count * sizeof(*pcs) + path_bytes +
                  program_bytes;
    struct cook_trace_sighting *sighting = cook_trace_ring_reserve(supervisor->shared, size);
    if (!sighting)
        return;
    sighting->package = package;
    sighting->number = call->nr;
    sighting->flags = flags;
    sighting->pc_count = (uint16_t)pc_count;
    sighting->path_bytes = (uint16_t)path_bytes;
    sighting->program_bytes = (uint16_t)program_bytes;
    uint8_t *at = (uint8_t *)(sighting + 1);
    memcpy(at, pcs, pc_count * sizeof(*pcs));
    at += pc_count * sizeof(*pcs);
    memcpy(at, supervisor->path, path_bytes - 1);
    at[path_bytes - 1] = '\0';
    memcpy(at + path_bytes, supervisor->program, program_bytes);
    /* All but its order is what it says. */
    size_t skipped = offsetof(struct cook_trace_sighting, package);
    uint64_t hash = cook_hash64((const uint8_t *)sighting + skipped, size - skipped) | 1;
    uint64_t *place = place_of(supervisor, hash);
    sighting->order = atomic_fetch_add(&supervisor->shared->order, 1);
    if (*place == hash)
        return;
    *place = hash;
    cook_trace_ring_publish(supervisor->shared, sighting);
}

/* ---- what a call reads ---- */

static int read_flags(const struct cook_trace_call_info *info, const struct seccomp_notif *notice)
{
    uint64_t how = 0;
    if (info->flags >= 0)
        return (int)notice->data.args[info->flags];
    if (notice->data.nr == SYS_openat2 &&
        cook_trace_remote_bytes(&how, sizeof(how), (int)notice->pid, notice->data.args[2]))
        return (int)how;
    return 0;
}

static void read_peer(struct supervisor *supervisor, const struct seccomp_notif *notice)
{
    struct sockaddr_un peer = { .sun_family = AF_UNSPEC };
    size_t size = (size_t)notice->data.args[2];
    if (size > sizeof(peer))
        size = sizeof(peer);
    (void)cook_trace_remote_bytes(&peer, size, (int)notice->pid, notice->data.args[1]);
    if (peer.sun_family == AF_UNIX)
        (void)snprintf(supervisor->path, sizeof(supervisor->path), "%.107s", peer.sun_path);
}

/* The path of the call, absolute where only the caller could tell; false when it reads nothing that
 * matters. */
static bool read_subject(struct supervisor *supervisor, const struct cook_trace_call_info *info,
                         const struct seccomp_notif *notice, int flags)
{
    const __u64 *arguments = notice->data.args;
    supervisor->path[0] = '\0';
    if (info->class == COOK_TRACE_MOVE) {
        atomic_store(&supervisor->shared->moved, true);
        return false;
    }
    if (info->class == COOK_TRACE_CONNECT)
        read_peer(supervisor, notice);
    if (info->path < 0)
        return true;
    (void)cook_trace_remote_text(supervisor->path, COOK_TRACE_PATH_BYTES, (int)notice->pid,
                                 arguments[info->path]);
    if (!supervisor->path[0]) /* a bad address; or the descriptor itself, opened by another call */
        return info->class == COOK_TRACE_EXEC && (flags & AT_EMPTY_PATH);
    int folder = info->folder >= 0 ? (int)arguments[info->folder] : AT_FDCWD;
    cook_trace_remote_resolve(supervisor->path, sizeof(supervisor->path), (int)notice->pid, folder,
                              atomic_load(&supervisor->shared->moved));
    return !cook_trace_is_noise(supervisor->path);
}

/* ---- threads of the worker ---- */

static bool is_thread(const struct supervisor *supervisor, int tid)
{
    char name[16];
    (void)snprintf(name, sizeof(name), "%d", tid);
    return tid == supervisor->worker || faccessat(supervisor->tasks_fd, name, F_OK, 0) == 0;
}

static void forget_asked(struct supervisor *supervisor, unsigned at)
{
    supervisor->asked[at] = supervisor->asked[--supervisor->asked_count];
}

static uint32_t package_of(const struct supervisor *supervisor, const struct cook_trace_slot *slot)
{
    unsigned own = slot ? atomic_load(&slot->package) : 0;
    return own ? own : atomic_load(&supervisor->shared->active);
}

static bool ask(struct supervisor *supervisor, struct cook_trace_slot *slot,
                const struct seccomp_notif *notice)
{
    int tid = (int)notice->pid;
    if (supervisor->asked_count == MAX_ASKED ||
        (tid == supervisor->deaf_tid && cook_trace_remote_blocks(tid, COOK_TRACE_SIGNAL)))
        return false;
    atomic_store(&slot->want, true);
    if (syscall(SYS_tgkill, supervisor->worker, tid, COOK_TRACE_SIGNAL) != 0) {
        atomic_store(&slot->want, false);
        return false;
    }
    supervisor->asked[supervisor->asked_count++] = (struct asked){ *notice, now_ms() };
    return true;
}

/* Copies: the slot is the thread's again once its call goes on. */
static void note_start(struct supervisor *supervisor, uint32_t package, void *const *pcs,
                       uint32_t count)
{
    supervisor->start.package = package;
    supervisor->start.count = count;
    memcpy(supervisor->start.pcs, pcs, count * sizeof(*pcs));
}

/* A call of the worker itself. False: it has been asked for its stack, and is not answered yet. */
static bool take_own(struct supervisor *supervisor, struct cook_trace_slot *slot,
                     const struct cook_trace_call_info *info, const struct seccomp_notif *notice)
{
    int tid = (int)notice->pid;
    bool covered = slot && atomic_load(&slot->covered) > 0;
    uint32_t package = package_of(supervisor, slot);
    if (covered) {
        if (info->class == COOK_TRACE_FORK)
            note_start(supervisor, package, slot->pcs, slot->count);
        return true;
    }
    int flags = read_flags(info, notice);
    supervisor->program[0] = '\0';
    if (!read_subject(supervisor, info, notice, flags))
        return true;
    if (!slot)
        slot = cook_trace_slot_make(supervisor->shared, tid);
    bool answered = slot && atomic_load(&slot->have);
    uint64_t call = hash_call(supervisor, &notice->data, flags, package);
    if (!answered && info->class != COOK_TRACE_FORK && *place_of(supervisor, call) == call)
        return true;
    void *place[1] = { (void *)(uintptr_t)notice->data.instruction_pointer };
    void *const *pcs = place;
    uint32_t count = 1;
    if (answered) {
        pcs = slot->pcs;
        count = slot->count;
        atomic_store(&slot->have, false);
    } else if (slot && ask(supervisor, slot, notice)) {
        return false;
    }
    if (info->class == COOK_TRACE_FORK)
        note_start(supervisor, package, pcs, count);
    else
        tell(supervisor, &notice->data, flags, package, pcs, count);
    *place_of(supervisor, call) = call;
    return true;
}

/* ---- processes below it ---- */

static struct child *find_child(struct supervisor *supervisor, int tid)
{
    for (unsigned i = 0; i < supervisor->child_count; i++)
        if (supervisor->children[i].tid == tid)
            return &supervisor->children[i];
    return NULL;
}

/* It inherits where its parent was started; that of one the worker started is its last start. */
static struct child *take_in_child(struct supervisor *supervisor, int tid)
{
    int group = cook_trace_remote_group(tid);
    const struct child *parent = group != tid ? find_child(supervisor, group) : NULL;
    if (!parent)
        parent = find_child(supervisor, cook_trace_remote_parent(tid));
    struct child made = parent ? *parent : supervisor->start;
    if (supervisor->child_count == MAX_CHILDREN) /* the oldest has ended, most likely */
        memmove(supervisor->children, supervisor->children + 1,
                --supervisor->child_count * sizeof(supervisor->children[0]));
    struct child *child = &supervisor->children[supervisor->child_count++];
    *child = made;
    child->tid = tid;
    return child;
}

static void take_child(struct supervisor *supervisor, const struct cook_trace_call_info *info,
                       const struct seccomp_notif *notice)
{
    int tid = (int)notice->pid;
    const struct child *child = find_child(supervisor, tid);
    if (!child)
        child = take_in_child(supervisor, tid);
    int flags = read_flags(info, notice);
    if (info->class == COOK_TRACE_FORK || !read_subject(supervisor, info, notice, flags))
        return;
    cook_trace_remote_program(supervisor->program, sizeof(supervisor->program), tid);
    /* A copy of the worker is no other program; a program's start is told of its starter. */
    if (strcmp(supervisor->program, supervisor->own_program) == 0)
        supervisor->program[0] = '\0';
    tell(supervisor, &notice->data, flags, child->package, child->pcs, child->count);
}

/* ---- the loop ---- */

/* Woken on another processor it would answer ten times as late. */
static void follow(struct supervisor *supervisor, int tid)
{
    cpu_set_t processors;
    int processor = supervisor->notices++ % FOLLOW_NOTICES == 0 ? cook_trace_remote_processor(tid)
                                                                : -1;
    if (processor < 0 || processor >= CPU_SETSIZE)
        return;
    CPU_ZERO(&processors);
    CPU_SET((size_t)processor, &processors);
    (void)sched_setaffinity(0, sizeof(processors), &processors);
}

static void take_notice(struct supervisor *supervisor)
{
    struct seccomp_notif *notice = (void *)supervisor->notice;
    memset(supervisor->notice, 0, sizeof(supervisor->notice));
    if (ioctl(supervisor->listener, SECCOMP_IOCTL_NOTIF_RECV, notice) != 0)
        return; /* its thread was interrupted meanwhile, or has ended */
    int tid = (int)notice->pid;
    if (supervisor->follows)
        follow(supervisor, tid);
    for (unsigned i = 0; i < supervisor->asked_count; i++)
        if ((int)supervisor->asked[i].notice.pid == tid)
            forget_asked(supervisor, i--);
    const struct cook_trace_call_info *info = cook_trace_call_find(notice->data.nr);
    struct cook_trace_slot *slot = cook_trace_slot_find(supervisor->shared, tid);
    bool done = true;
    if (info && (slot || is_thread(supervisor, tid)))
        done = take_own(supervisor, slot, info, notice);
    else if (info)
        take_child(supervisor, info, notice);
    if (done)
        let_go_on(supervisor, notice->id);
}

/* A thread that blocks signals cannot say where it is; what is known is the place of the call. */
static void give_up_asking(struct supervisor *supervisor)
{
    int64_t now = now_ms();
    for (unsigned i = 0; i < supervisor->asked_count; i++) {
        struct asked asked = supervisor->asked[i];
        int tid = (int)asked.notice.pid;
        int64_t waited = now - asked.since_ms;
        if (waited < ASK_MS ||
            (waited < PATIENCE_MS && !cook_trace_remote_blocks(tid, COOK_TRACE_SIGNAL)))
            continue;
        forget_asked(supervisor, i--);
        struct cook_trace_slot *slot = cook_trace_slot_find(supervisor->shared, tid);
        if (slot && !atomic_exchange(&slot->want, false))
            continue; /* it has just answered: its call comes anew */
        supervisor->deaf_tid = tid;
        (void)take_own(supervisor, slot, cook_trace_call_find(asked.notice.data.nr),
                       &asked.notice);
        let_go_on(supervisor, asked.notice.id);
    }
}

static void end_as(int status) __attribute__((noreturn));
static void end_as(int status)
{
    if (WIFSIGNALED(status)) {
        struct rlimit none = { 0, 0 };
        (void)setrlimit(RLIMIT_CORE, &none);
        (void)signal(WTERMSIG(status), SIG_DFL);
        raise(WTERMSIG(status));
    }
    _exit(WIFEXITED(status) ? WEXITSTATUS(status) : 1);
}

static void pass_signals(const struct supervisor *supervisor, int signals)
{
    struct signalfd_siginfo info;
    if (read(signals, &info, sizeof(info)) == (ssize_t)sizeof(info))
        (void)kill(supervisor->worker, (int)info.ssi_signo);
}

static void serve(struct supervisor *supervisor, int ended, int signals)
{
    struct pollfd fds[] = { { .fd = ended, .events = POLLIN },
                            { .fd = signals, .events = POLLIN },
                            { .fd = supervisor->listener, .events = POLLIN } };
    for (;;) {
        int ready = poll(fds, 3, supervisor->asked_count ? ASK_MS / 2 : -1);
        if (ready < 0 && errno != EINTR)
            return;
        if (ready > 0 && fds[1].revents)
            pass_signals(supervisor, signals);
        if (ready > 0 && (fds[2].revents & POLLIN))
            take_notice(supervisor);
        else if (ready > 0 && fds[2].revents)
            fds[2].fd = -1; /* no thread is left that it could tell of */
        if (ready > 0 && fds[0].revents)
            return;
        if (supervisor->asked_count)
            give_up_asking(supervisor);
    }
}

void cook_trace_supervise(struct cook_trace_shared *shared, pid_t worker,
                          const struct cook_trace_line *line)
{
    static struct supervisor supervisor; /* of a process of its own, too large for a stack */
    sigset_t passed;
    char tasks[64];
    int status = 0;
    (void)prctl(PR_SET_NAME, "cook-tracer");
    supervisor.listener = cook_trace_line_receive(line);
    sigemptyset(&passed);
    sigaddset(&passed, SIGUSR2);
    (void)sigprocmask(SIG_BLOCK, &passed, NULL);
    supervisor.shared = shared;
    supervisor.worker = worker;
    cook_trace_remote_program(supervisor.own_program, sizeof(supervisor.own_program), getpid());
    (void)snprintf(tasks, sizeof(tasks), "/proc/%d/task", worker);
    supervisor.tasks_fd = open(tasks, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    int signals = signalfd(-1, &passed, SFD_CLOEXEC | SFD_NONBLOCK);
    int ended = (int)syscall(SYS_pidfd_open, worker, 0);
    if (supervisor.listener >= 0)
        supervisor.follows =
            ioctl(supervisor.listener, SECCOMP_IOCTL_NOTIF_SET_FLAGS, SYNC_WAKE_UP) != 0;
    serve(&supervisor, ended, signals);
    while (waitpid(worker, &status, 0) < 0 && errno == EINTR)
        ;
    end_as(status);
}
