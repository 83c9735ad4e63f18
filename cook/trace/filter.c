#include <errno.h>
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <sched.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "cook/trace/calls.h"

#if COOK_TRACE_SUPPORTED

/* The one place that the filter lets pass: from the first to the last byte of this function. */
__asm__(".text\n"
        ".globl cook_trace_call\n"
        ".type cook_trace_call, @function\n"
        "cook_trace_call:\n"
        ".cfi_startproc\n"
        "    mov %rdi, %rax\n"
        "    mov %rsi, %rdi\n"
        "    mov %rdx, %rsi\n"
        "    mov %rcx, %rdx\n"
        "    mov %r8, %r10\n"
        "    mov %r9, %r8\n"
        "    mov 8(%rsp), %r9\n"
        "    syscall\n"
        ".globl cook_trace_call_end\n"
        ".hidden cook_trace_call_end\n"
        "cook_trace_call_end:\n" /* where the instruction pointer stands in the call */
        "    ret\n"
        ".cfi_endproc\n"
        ".size cook_trace_call, .-cook_trace_call\n"
        ".section .note.GNU-stack, \"\", @progbits\n"
        ".text\n");
extern const char cook_trace_call_end[];

#define MAX_INSTRUCTIONS 160
#define X32_BIT          0x40000000u

struct program {
    struct sock_filter code[MAX_INSTRUCTIONS];
    unsigned short size;
};

static void put(struct program *program, uint16_t code, uint32_t value, uint8_t yes, uint8_t no)
{
    if (program->size < MAX_INSTRUCTIONS)
        program->code[program->size++] = (struct sock_filter){ code, yes, no, value };
}

static void load(struct program *program, size_t offset)
{
    put(program, BPF_LD | BPF_W | BPF_ABS, (uint32_t)offset, 0, 0);
}

/* Go on when equal; else skip so many instructions. */
static void unless_equal_skip(struct program *program, uint32_t value, uint8_t skipped)
{
    put(program, BPF_JMP | BPF_JEQ | BPF_K, value, 0, skipped);
}

static void give(struct program *program, uint32_t action)
{
    put(program, BPF_RET | BPF_K, action, 0, 0);
}

#define REFUSE (SECCOMP_RET_ERRNO | (ENOSYS & SECCOMP_RET_DATA))

/* 32-bit calls have other numbers, io_uring reads without calls, clone3 hides its flags. */
static void put_refusals(struct program *program)
{
    static const uint32_t refused[] = { SYS_io_uring_setup, SYS_io_uring_enter,
                                        SYS_io_uring_register, SYS_clone3 };
    load(program, offsetof(struct seccomp_data, arch));
    put(program, BPF_JMP | BPF_JEQ | BPF_K, AUDIT_ARCH_X86_64, 1, 0);
    give(program, REFUSE);
    load(program, offsetof(struct seccomp_data, nr));
    put(program, BPF_JMP | BPF_JGE | BPF_K, X32_BIT, 0, 1);
    give(program, REFUSE);
    for (size_t i = 0; i < sizeof(refused) / sizeof(refused[0]); i++) {
        unless_equal_skip(program, refused[i], 1);
        give(program, REFUSE);
    }
    /* A thread reads nothing. The low half of its first argument holds the flag. */
    unless_equal_skip(program, SYS_clone, 4);
    load(program, offsetof(struct seccomp_data, args[0]));
    put(program, BPF_JMP | BPF_JSET | BPF_K, CLONE_THREAD, 0, 1);
    give(program, SECCOMP_RET_ALLOW);
    load(program, offsetof(struct seccomp_data, nr));
}

static void put_traced(struct program *program)
{
    size_t count;
    const struct cook_trace_call_info *list = cook_trace_call_list(&count);
    for (size_t i = 0; i < count; i++)
        put(program, BPF_JMP | BPF_JEQ | BPF_K, (uint32_t)list[i].number, (uint8_t)(count - i), 0);
    give(program, SECCOMP_RET_ALLOW);
}

static void put_unless_ours(struct program *program)
{
    uintptr_t ours = (uintptr_t)cook_trace_call_end;
    load(program, offsetof(struct seccomp_data, instruction_pointer) + 4);
    unless_equal_skip(program, (uint32_t)(ours >> 32), 3);
    load(program, offsetof(struct seccomp_data, instruction_pointer));
    unless_equal_skip(program, (uint32_t)ours, 1);
    give(program, SECCOMP_RET_ALLOW);
    give(program, SECCOMP_RET_USER_NOTIF);
}

enum cook_status cook_trace_filter_install(int *listener, struct cook_error *error)
{
    struct program program = { .size = 0 };
    put_refusals(&program);
    put_traced(&program);
    put_unless_ours(&program);
    struct sock_fprog filter = { program.size, program.code };
    *listener = -1;
    if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0)
        return cook_error_set(error, COOK_E_UNSUPPORTED, "the kernel refuses no_new_privs: %s",
                              strerror(errno));
    long fd = syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, SECCOMP_FILTER_FLAG_NEW_LISTENER,
                      &filter);
    if (fd < 0)
        return cook_error_set(error, COOK_E_UNSUPPORTED,
                              "the kernel refuses to notify of system calls (seccomp: %s)",
                              strerror(errno));
    *listener = (int)fd;
    return COOK_OK;
}

#else

long cook_trace_call(long number, long a, long b, long c, long d, long e, long f)
{
    long result = syscall(number, a, b, c, d, e, f);
    return result < 0 ? -errno : result;
}

enum cook_status cook_trace_filter_install(int *listener, struct cook_error *error)
{
    *listener = -1;
    return cook_error_set(error, COOK_E_UNSUPPORTED,
                          "system calls are traced on x86-64 only");
}

#endif
