#include "cook/symbols/stacks.h"

#define UNW_LOCAL_ONLY
#include <errno.h>
#include <libunwind.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <string.h>
#include <sys/mman.h>
#include <ucontext.h>
#include <unistd.h>

#include "cook/base/alloc.h"
#include "cook/symbols/crash_format.h"
#include "cook/symbols/modules.h"

#define GUARD_BYTES           ((size_t)4096)
#define ALTERNATE_STACK_BYTES ((size_t)64 * 1024)

/* Snapshots are never freed: a handler on another thread may be reading an older one. */
struct module_table {
    struct cook_modules modules;
    struct module_table *older;
};

/* A signal handler takes no argument of ours, so what it needs stands here, set at install. */
static atomic_int report_fd = -1;
static _Atomic(struct module_table *) module_table;
static atomic_int reporter;     /* the thread that writes the report; 0 while none */
static pthread_key_t stack_key; /* frees a thread's alternate stack with the thread */
static atomic_bool is_installed;

static const int crash_signals[] = { SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT, SIGUSR2 };

/* One record is one write of at most PIPE_BUF bytes, so that a pipe never holds part of one. */
struct record {
    uint8_t bytes[COOK_CRASH_RECORD_BYTES];
    size_t size;
};

static void put_little(struct record *record, uint64_t value, unsigned size)
{
    for (unsigned i = 0; i < size && record->size < sizeof(record->bytes); i++)
        record->bytes[record->size++] = (uint8_t)(value >> (8 * i));
}

static void put_text(struct record *record, const char *text, size_t limit)
{
    size_t length = strlen(text);
    if (length > limit)
        length = 0;
    put_little(record, length, 2);
    memcpy(record->bytes + record->size, text, length);
    record->size += length;
}

static void write_record(const struct record *record)
{
    size_t done = 0;
    while (done < record->size) {
        ssize_t wrote = write(report_fd, record->bytes + done, record->size - done);
        if (wrote > 0)
            done += (size_t)wrote;
        else if (wrote == 0 || errno != EINTR)
            return;
    }
}

static void write_head(int signal_number)
{
    struct record record;
    record.size = 0;
    put_little(&record, COOK_CRASH_MAGIC, 4);
    put_little(&record, COOK_CRASH_VERSION, 1);
    put_little(&record, (uint32_t)signal_number, 4);
    write_record(&record);
}

static void write_frame(const struct cook_modules *modules, uintptr_t pc)
{
    const struct cook_module *module = cook_modules_find(modules, pc);
    struct record record;
    record.size = 0;
    put_little(&record, COOK_CRASH_FRAME, 1);
    put_text(&record, module ? module->name : "?", COOK_CRASH_NAME_BYTES);
    put_text(&record, module ? module->path : "", COOK_CRASH_PATH_BYTES);
    put_text(&record, module ? module->build_id : "", COOK_BUILD_ID_TEXT_SIZE);
    put_little(&record, module ? pc - module->base : pc, 8);
    write_record(&record);
}

static void write_end(void)
{
    struct record record;
    record.size = 0;
    put_little(&record, COOK_CRASH_END, 1);
    write_record(&record);
}

/*
 * A call through a wild pointer has no frame to unwind from: report the wild address, then step
 * back to the caller by hand, whose return address is still on top of the stack.
 */
static void leave_wild_call(const struct cook_modules *modules, ucontext_t *context)
{
#ifdef __x86_64__
    greg_t *registers = context->uc_mcontext.gregs;
    uintptr_t pc = (uintptr_t)registers[REG_RIP];
    if (cook_modules_find(modules, pc))
        return;
    uintptr_t caller;
    memcpy(&caller, (const void *)registers[REG_RSP], sizeof(caller));
    if (!cook_modules_find(modules, caller))
        return;
    write_frame(modules, pc);
    registers[REG_RIP] = (greg_t)(caller - 1);
    registers[REG_RSP] += (greg_t)sizeof(caller);
#else
    (void)modules;
    (void)context;
#endif
}

static void write_frames(const struct cook_modules *modules, ucontext_t context)
{
    unw_cursor_t cursor;
    leave_wild_call(modules, &context);
    if (unw_init_local2(&cursor, &context, UNW_INIT_SIGNAL_FRAME) < 0)
        return;
    bool exact = true; /* where the signal struck; all others are return addresses */
    for (int i = 0; i < COOK_STACK_MAX_FRAMES - 1; i++) {
        unw_word_t pc = 0;
        if (unw_get_reg(&cursor, UNW_REG_IP, &pc) < 0 || (!pc && !exact))
            return;
        write_frame(modules, exact ? pc : pc - 1);
        exact = unw_is_signal_frame(&cursor) > 0;
        if (unw_step(&cursor) <= 0)
            return;
    }
}

static void use_default_action(int signal_number)
{
    struct sigaction action;
    memset(&action, 0, sizeof(action));
    action.sa_handler = SIG_DFL;
    sigaction(signal_number, &action, NULL);
}

/* Unwinding may wait for ever for a lock that the crashed code holds. */
static void limit_time(void)
{
    sigset_t set;
    sigemptyset(&set);
    sigaddset(&set, SIGALRM);
    use_default_action(SIGALRM);
    sigprocmask(SIG_UNBLOCK, &set, NULL);
    alarm(COOK_CRASH_LIMIT_SECONDS);
}

/*
 * All other signals are blocked here, so a fault while unwinding is fatal by itself; what else
 * comes back on the same thread (abort in the unwinder) finds the guard taken and goes on to
 * the default action. Another thread that crashes meanwhile waits for the process to end.
 */
static void handle_signal(int signal_number, siginfo_t *info, void *context)
{
    (void)info;
    int expected = 0;
    int self = gettid();
    if (atomic_compare_exchange_strong(&reporter, &expected, self)) {
        const struct module_table *table = module_table;
        limit_time();
        write_head(signal_number);
        write_frames(&table->modules, *(const ucontext_t *)context);
        write_end();
    } else if (expected != self) {
        for (;;)
            pause();
    }
    if (signal_number == SIGUSR2)
        _exit(1);
    /* Blocked until this returns, then fatal at the very instruction that was interrupted. */
    use_default_action(signal_number);
    raise(signal_number);
}

enum cook_status cook_crash_refresh_modules(struct cook_error *error)
{
    struct module_table *table = cook_calloc(1, sizeof(*table));
    if (!table)
        return cook_error_set(error, COOK_E_NO_MEMORY, "cannot note the loaded modules");
    enum cook_status status = cook_modules_snapshot(&table->modules, error);
    if (status != COOK_OK) {
        cook_free(table);
        return status;
    }
    table->older = module_table;
    while (!atomic_compare_exchange_weak(&module_table, &table->older, table))
        continue;
    return COOK_OK;
}

static void free_stack(void *memory)
{
    stack_t none = { .ss_flags = SS_DISABLE };
    sigaltstack(&none, NULL);
    munmap(memory, GUARD_BYTES + ALTERNATE_STACK_BYTES);
}

enum cook_status cook_crash_install_thread(struct cook_error *error)
{
    if (!is_installed)
        return cook_error_set(error, COOK_E_INVALID, "the crash handler is not installed");
    if (pthread_getspecific(stack_key))
        return COOK_OK;
    unsigned char *memory = mmap(NULL, GUARD_BYTES + ALTERNATE_STACK_BYTES,
                                 PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (memory == MAP_FAILED)
        return cook_error_set_errno(error, "cannot map an alternate stack");
    stack_t stack = { .ss_sp = memory + GUARD_BYTES, .ss_size = ALTERNATE_STACK_BYTES };
    if (mprotect(memory, GUARD_BYTES, PROT_NONE) != 0 || sigaltstack(&stack, NULL) != 0) {
        enum cook_status status = cook_error_set_errno(error, "cannot set an alternate stack");
        munmap(memory, GUARD_BYTES + ALTERNATE_STACK_BYTES);
        return status;
    }
    if (pthread_setspecific(stack_key, memory) != 0) {
        free_stack(memory);
        return cook_error_set(error, COOK_E_NO_MEMORY, "cannot keep an alternate stack");
    }
    return COOK_OK;
}

/* The unwinder initialises itself at its first use, which must not be in the handler. */
static void warm_up_unwinder(void)
{
    unw_context_t context;
    unw_cursor_t cursor;
    unw_getcontext(&context);
    if (unw_init_local(&cursor, &context) < 0)
        return;
    while (unw_step(&cursor) > 0)
        continue;
}

static enum cook_status set_handlers(struct cook_error *error)
{
    struct sigaction action;
    memset(&action, 0, sizeof(action));
    action.sa_sigaction = handle_signal;
    action.sa_flags = SA_SIGINFO | SA_ONSTACK;
    sigfillset(&action.sa_mask);
    for (size_t i = 0; i < sizeof(crash_signals) / sizeof(crash_signals[0]); i++) {
        if (sigaction(crash_signals[i], &action, NULL) != 0)
            return cook_error_set_errno(error, "cannot handle signal %d", crash_signals[i]);
    }
    return COOK_OK;
}

enum cook_status cook_crash_install(int fd, struct cook_error *error)
{
    if (fd < 0)
        return cook_error_set(error, COOK_E_INVALID, "no descriptor for crash reports");
    if (!is_installed) {
        int code = pthread_key_create(&stack_key, free_stack);
        if (code != 0) {
            errno = code;
            return cook_error_set_errno(error, "cannot create a thread key");
        }
        is_installed = true;
        warm_up_unwinder();
    }
    report_fd = fd;
    enum cook_status status = cook_crash_refresh_modules(error);
    if (status == COOK_OK)
        status = cook_crash_install_thread(error);
    if (status == COOK_OK)
        status = set_handlers(error);
    return status;
}
