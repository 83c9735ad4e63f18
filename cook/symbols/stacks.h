/*
 * Callstack capture: unw_backtrace of libunwind, interned. A stack is captured per write (and per
 * read when studied), so the same few stacks come back a hundred thousand times: each distinct one
 * is kept once, as addresses resolved to (module, offset) only when it is encoded.
 * stacks.c alone sees libunwind. One table belongs to one thread at a time.
 */
#ifndef COOK_SYMBOLS_STACKS_H
#define COOK_SYMBOLS_STACKS_H

#include "cook/base/buf.h"
#include "cook/base/error.h"

#define COOK_STACK_MAX_FRAMES 128
#define COOK_STACK_NONE UINT32_MAX

struct cook_stacks; /* the intern table */

enum cook_status cook_stacks_create(struct cook_stacks **out,
                                    struct cook_error *error) COOK_CHECK_RESULT;
void cook_stacks_destroy(struct cook_stacks *stacks);
/* The number of frames from here outwards; taken at the SDK's outer frame, where a hook is called. */
unsigned cook_stacks_depth(void);
/*
 * Capture the caller's stack: `skip` innermost frames (the SDK's own below the hook) are left out,
 * and all at or beyond `outer_depth` frames from the outer end (0: keep all). The id, or
 * COOK_STACK_NONE when memory is short.
 */
uint32_t cook_stacks_capture(struct cook_stacks *stacks, unsigned skip, unsigned outer_depth);
size_t cook_stacks_count(const struct cook_stacks *stacks);

/* One frame as recorded: enough to name it later, on another machine. */
struct cook_stack_frame {
    uint32_t module; /* index into modules */
    uint64_t offset; /* pc - load address; already minus 1 for return addresses */
};
struct cook_stack_module {
    const char *name;     /* file name without its folder: "arena.so" */
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
/* Encode all interned stacks with the modules they touch (dl_iterate_phdr), and back (untrusted). */
void cook_stacks_encode(const struct cook_stacks *stacks, struct cook_buf *out);
enum cook_status cook_stack_set_decode(struct cook_stack_set *set, const void *bytes, size_t size,
                                       struct cook_arena *arena,
                                       struct cook_error *error) COOK_CHECK_RESULT;

/*
 * Crash and hang reports. cook_crash_install() sets handlers for SIGSEGV, SIGBUS, SIGFPE, SIGILL,
 * SIGABRT and (for a hang asked from outside) SIGUSR2 on an alternate stack for this thread; the handler
 * writes "signal number, then module path, build id and offset per frame" to `fd` with
 * async-signal-safe calls only, in the encoding that cook_crash_decode() reads, and ends the process
 * by the default action of the signal (SIGUSR2: _exit(1)). Call once per process, and
 * cook_crash_install_thread() on each further thread (alternate stacks are per thread).
 */
enum cook_status cook_crash_install(int fd, struct cook_error *error) COOK_CHECK_RESULT;
enum cook_status cook_crash_install_thread(struct cook_error *error) COOK_CHECK_RESULT;
struct cook_crash {
    int signal;
    struct cook_stack_set set; /* exactly one stack */
};
enum cook_status cook_crash_decode(struct cook_crash *crash, const void *bytes, size_t size,
                                   struct cook_arena *arena,
                                   struct cook_error *error) COOK_CHECK_RESULT;

#endif
