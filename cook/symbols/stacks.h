/*
 * Callstack capture: unw_backtrace of libunwind, interned. A stack is captured per write (and
 * per read when studied), so the same few stacks come back a hundred thousand times: each
 * distinct one is kept once, as addresses resolved to (module, offset) only when it is encoded.
 * stacks.c and crash.c alone see libunwind. One table belongs to one thread at a time.
 */
#ifndef COOK_SYMBOLS_STACKS_H
#define COOK_SYMBOLS_STACKS_H

#include "cook/base/buf.h"
#include "cook/base/error.h"

#define COOK_STACK_MAX_FRAMES 128
#define COOK_STACK_NONE       UINT32_MAX

struct cook_stacks; /* the intern table */

enum cook_status cook_stacks_create(struct cook_stacks **out,
                                    struct cook_error *error) COOK_CHECK_RESULT;
void cook_stacks_destroy(struct cook_stacks *stacks);
/*
 * The number of frames from the caller outwards, the caller's own included; taken in the SDK
 * function that calls a hook.
 */
unsigned cook_stacks_depth(void);
/*
 * Capture the caller's stack, the caller's own frame first. `skip` innermost frames (the SDK's
 * own below the hook) are left out, and the `outer_depth` outermost ones: given what
 * cook_stacks_depth() told the function that called the hook, the hook's frame is the last
 * kept. 0 keeps all. At most COOK_STACK_MAX_FRAMES innermost frames are kept. The id, or
 * COOK_STACK_NONE when memory is short or when called again from within a capture.
 */
uint32_t cook_stacks_capture(struct cook_stacks *stacks, unsigned skip, unsigned outer_depth);
size_t cook_stacks_count(const struct cook_stacks *stacks);
/*
 * The parts of a capture, for stacks that are taken where no table may be touched. Walk the
 * caller's stack, the caller's own frame first; or that which a signal interrupted, given what its
 * handler got (async-signal-safe once the unwinder is warm). At most `max` return addresses; the
 * number. Then intern what was walked.
 */
size_t cook_stacks_walk(void **pcs, size_t max);
size_t cook_stacks_walk_signal(void **pcs, size_t max, void *ucontext);
uint32_t cook_stacks_add(struct cook_stacks *stacks, void *const *pcs, size_t count);
/* The return addresses of an interned stack; borrowed until the next is added. */
void *const *cook_stacks_pcs(const struct cook_stacks *stacks, uint32_t id, size_t *count);

/* One frame as recorded: enough to name it later, on another machine. */
struct cook_stack_frame {
    uint32_t module; /* index into modules */
    uint64_t offset; /* pc - load address; already minus 1 for return addresses */
};
struct cook_stack_module {
    const char *name;     /* soname, else file name: "arena.so"; "?" outside all modules */
    const char *path;     /* as loaded; a hint for finding symbols, never printed */
    const char *build_id; /* lower-case hex, "" when it has none */
};
struct cook_stack {
    struct cook_stack_frame *frames; /* innermost first */
    uint32_t count;
};
struct cook_stack_set {
    struct cook_stack_module *modules;
    uint32_t module_count;
    struct cook_stack *stacks; /* by id */
    uint32_t stack_count;
};
/* Encode all interned stacks with the modules they touch, and decode them (untrusted bytes). */
void cook_stacks_encode(const struct cook_stacks *stacks, struct cook_buf *out);
/* The same without those that were interned before: stack `first` is number 0 of the set. */
void cook_stacks_encode_from(const struct cook_stacks *stacks, size_t first, struct cook_buf *out);
enum cook_status cook_stack_set_decode(struct cook_stack_set *set, const void *bytes,
                                       size_t size, struct cook_arena *arena,
                                       struct cook_error *error) COOK_CHECK_RESULT;
/*
 * Drop the innermost frames that lie in module `name` ("libcook.so", also as "libcook.so.0")
 * from every stack, so that what remains starts in class code. A stack wholly inside stays as
 * it is.
 */
void cook_stack_set_trim(struct cook_stack_set *set, const char *name);

/*
 * Crash and hang reports. cook_crash_install() sets handlers for SIGSEGV, SIGBUS, SIGFPE,
 * SIGILL, SIGABRT and (for a hang asked from outside) SIGUSR2 on an alternate stack for this
 * thread; the handler writes "signal number, then module name, path, build id and offset per
 * frame" to `fd` with async-signal-safe calls only, in the encoding that cook_crash_decode()
 * reads, and ends the process by the default action of the signal (SIGUSR2: _exit(1)). Should
 * the report itself hang, SIGALRM ends the process after COOK_CRASH_LIMIT_SECONDS. Call once
 * per process (again only to change `fd`), and cook_crash_install_thread() on each further
 * thread (alternate stacks are per thread, and freed with it).
 */
#define COOK_CRASH_LIMIT_SECONDS 10
enum cook_status cook_crash_install(int fd, struct cook_error *error) COOK_CHECK_RESULT;
enum cook_status cook_crash_install_thread(struct cook_error *error) COOK_CHECK_RESULT;
/*
 * Note the modules loaded now: the handler cannot ask the loader. cook_crash_install() does it
 * once; call it again after loading plugins, or their frames come without a module.
 */
enum cook_status cook_crash_refresh_modules(struct cook_error *error) COOK_CHECK_RESULT;
struct cook_crash {
    int signal;
    struct cook_stack_set set; /* exactly one stack */
};
/* A report that ends early, at a frame's end, is accepted: its writer may have died writing. */
enum cook_status cook_crash_decode(struct cook_crash *crash, const void *bytes, size_t size,
                                   struct cook_arena *arena,
                                   struct cook_error *error) COOK_CHECK_RESULT;

#endif
