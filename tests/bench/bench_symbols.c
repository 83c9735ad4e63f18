/*
 * Capturing a callstack against the bare unwinder, and naming addresses against addr2line.
 *
 *     bench_symbols [FILE [COUNT]]
 *
 * FILE is an ELF file with a build id and debug information, this program by default; COUNT
 * addresses (10,000) are taken from all over its code. Best of the rounds, in the same process
 * and interleaved. Capturing aims at 1.5 times the unwinder, naming at 1.2 times addr2line.
 */
#include <elf.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#define UNW_LOCAL_ONLY
#include <libunwind.h>

#include "cook/base/alloc.h"
#include "cook/symbols/elf_file.h"
#include "cook/symbols/symbolize.h"

#define CAPTURES       20000
#define CAPTURE_ROUNDS 15
#define NAMING_ROUNDS  5
#define MAX_FRAMES     256

static double seconds(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + (double)now.tv_nsec / 1e9;
}

struct capture {
    struct cook_stacks *stacks;
    double bare; /* best, seconds a call */
    double interned;
    int depth; /* as the unwinder counts */
};

static __attribute__((noinline)) void measure(struct capture *capture)
{
    void *pcs[COOK_STACK_MAX_FRAMES];
    double start = seconds();
    for (int i = 0; i < CAPTURES; i++)
        capture->depth = unw_backtrace(pcs, COOK_STACK_MAX_FRAMES);
    double middle = seconds();
    for (int i = 0; i < CAPTURES; i++) {
        if (cook_stacks_capture(capture->stacks, 0, 0) == COOK_STACK_NONE)
            exit(1);
    }
    double end = seconds();
    double bare = (middle - start) / CAPTURES, interned = (end - middle) / CAPTURES;
    capture->bare = bare < capture->bare ? bare : capture->bare;
    capture->interned = interned < capture->interned ? interned : capture->interned;
}

static __attribute__((noinline)) void descend(struct capture *capture, int levels)
{
    if (levels > 0)
        descend(capture, levels - 1);
    else
        measure(capture);
    __asm__ volatile("");
}

static void bench_capture(int depth)
{
    struct capture capture = { .bare = 1e9, .interned = 1e9 };
    if (cook_stacks_create(&capture.stacks, NULL) != COOK_OK)
        exit(1);
    for (int round = 0; round < CAPTURE_ROUNDS; round++)
        descend(&capture, depth);
    printf("capture, depth %d: %.0f ns, unw_backtrace %.0f ns, ratio %.2f\n", capture.depth,
           capture.interned * 1e9, capture.bare * 1e9, capture.interned / capture.bare);
    cook_stacks_destroy(capture.stacks);
}

/* The executable segment of a 64-bit file. */
static void find_code(const char *path, Elf64_Phdr *code)
{
    Elf64_Ehdr head;
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    if (fd < 0 || pread(fd, &head, sizeof(head), 0) != sizeof(head))
        exit(1);
    for (int i = 0; i < head.e_phnum; i++) {
        off_t at = (off_t)head.e_phoff + i * (off_t)sizeof(*code);
        if (pread(fd, code, sizeof(*code), at) != sizeof(*code))
            exit(1);
        if (code->p_type == PT_LOAD && (code->p_flags & PF_X))
            break;
    }
    close(fd);
}

static void fill_addresses(uint64_t *addresses, size_t count, const char *path)
{
    Elf64_Phdr code;
    uint64_t random = 88172645463325252u;
    find_code(path, &code);
    if (!(code.p_flags & PF_X) || !code.p_memsz)
        exit(1);
    for (size_t i = 0; i < count; i++) {
        random ^= random << 13;
        random ^= random >> 7;
        random ^= random << 17;
        addresses[i] = code.p_vaddr + (random >> 11) % code.p_memsz;
    }
}

/* From nothing, as one run of a tool does it. */
static size_t name_all(const char *path, const uint64_t *addresses, size_t count)
{
    struct cook_elf *elf;
    struct cook_symbolizer *symbolizer;
    struct cook_symbolizer_options options = { NULL, 0 };
    struct cook_symbol_frame frames[MAX_FRAMES];
    size_t total = 0;
    if (cook_elf_open(&elf, path, NULL) != COOK_OK ||
        cook_symbolizer_create(&symbolizer, &options, NULL) != COOK_OK)
        exit(1);
    struct cook_stack_module module = { path, path, cook_elf_build_id(elf) };
    struct cook_stack_frame frame = { 0, 0 };
    struct cook_stack stack = { &frame, 1 };
    struct cook_stack_set set = { &module, 1, &stack, 1 };
    for (size_t i = 0; i < count; i++) {
        frame.offset = addresses[i];
        total += cook_symbolizer_stack(symbolizer, &set, 0, frames, MAX_FRAMES);
    }
    cook_symbolizer_destroy(symbolizer);
    cook_elf_close(elf);
    return total;
}

static void write_addresses(const char *path, const uint64_t *addresses, size_t count)
{
    FILE *file = fopen(path, "w");
    if (!file)
        exit(1);
    for (size_t i = 0; i < count; i++)
        fprintf(file, "0x%llx\n", (unsigned long long)addresses[i]);
    if (fclose(file) != 0)
        exit(1);
}

static double best_of(double best, double start)
{
    double took = seconds() - start;
    return took < best ? took : best;
}

static void bench_naming(const char *path, size_t count)
{
    uint64_t *addresses = calloc(count, sizeof(*addresses));
    char list[] = "/tmp/cook-bench-XXXXXX", command[8192];
    int fd = mkstemp(list);
    double ours = 1e9, theirs = 1e9, one = 1e9;
    size_t frames = 0;
    if (!addresses || fd < 0)
        exit(1);
    close(fd);
    fill_addresses(addresses, count, path);
    write_addresses(list, addresses, count);
    snprintf(command, sizeof(command), "addr2line -fie '%s' < %s > /dev/null", path, list);
    for (int round = 0; round < NAMING_ROUNDS; round++) {
        double start = seconds();
        name_all(path, addresses, 1);
        one = best_of(one, start);
        start = seconds();
        frames = name_all(path, addresses, count);
        ours = best_of(ours, start);
        start = seconds();
        if (system(command) != 0)
            exit(1);
        theirs = best_of(theirs, start);
    }
    printf("name %zu addresses (%zu frames): %.0f ms, addr2line %.0f ms, ratio %.2f; one "
           "address %.1f ms\n",
           count, frames, ours * 1e3, theirs * 1e3, ours / theirs, one * 1e3);
    unlink(list);
    free(addresses);
}

int main(int argc, char **argv)
{
    char path[4096];
    size_t count = argc > 2 ? strtoul(argv[2], NULL, 10) : 10000;
    if (!realpath(argc > 1 ? argv[1] : "/proc/self/exe", path) || !count)
        return 1;
    bench_capture(5);
    bench_capture(15);
    bench_capture(35);
    bench_naming(path, count);
    return 0;
}
