/*
 * Capturing a callstack against the bare unwinder, and the naming of addresses for symbols.py.
 *
 *     bench_symbols                          best of the rounds, in turn; aims at 1.5 times the unwinder
 *     bench_symbols addresses FILE [COUNT]   COUNT (10,000) addresses from all over an ELF file's code
 *     bench_symbols name FILE                names those of standard input
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

static int print_addresses(const char *path, size_t count)
{
    uint64_t *addresses = calloc(count, sizeof(*addresses));
    if (!addresses)
        return 1;
    fill_addresses(addresses, count, path);
    for (size_t i = 0; i < count; i++)
        printf("0x%llx\n", (unsigned long long)addresses[i]);
    free(addresses);
    return 0;
}

/* As llvm-symbolizer prints them: two lines a frame, an empty one after each address. */
static void print_frames(const struct cook_symbol_frame *frames, size_t count)
{
    for (size_t i = 0; i < count; i++)
        printf("%s\n%s:%u\n", frames[i].function ? frames[i].function : "??",
               frames[i].file ? frames[i].file : "??", frames[i].line);
    printf("\n");
}

/* From nothing, as one run of a tool does it: addresses of standard input. */
static int name_all(const char *path)
{
    struct cook_elf *elf;
    struct cook_symbolizer *symbolizer;
    struct cook_symbolizer_options options = { NULL, 0 };
    struct cook_symbol_frame frames[MAX_FRAMES];
    char line[64];
    if (cook_elf_open(&elf, path, NULL) != COOK_OK ||
        cook_symbolizer_create(&symbolizer, &options, NULL) != COOK_OK)
        return 1;
    struct cook_stack_module module = { path, path, cook_elf_build_id(elf) };
    struct cook_stack_frame frame = { 0, 0 };
    struct cook_stack stack = { &frame, 1 };
    struct cook_stack_set set = { &module, 1, &stack, 1 };
    while (fgets(line, sizeof(line), stdin)) {
        frame.offset = strtoull(line, NULL, 16);
        print_frames(frames, cook_symbolizer_stack(symbolizer, &set, 0, frames, MAX_FRAMES));
    }
    cook_symbolizer_destroy(symbolizer);
    cook_elf_close(elf);
    return 0;
}

int main(int argc, char **argv)
{
    char path[4096];
    if (argc == 1) {
        bench_capture(5);
        bench_capture(15);
        bench_capture(35);
        return 0;
    }
    if (argc < 3 || !realpath(argv[2], path))
        return 2;
    if (strcmp(argv[1], "addresses") == 0)
        return print_addresses(path, argc > 3 ? strtoul(argv[3], NULL, 10) : 10000);
    return strcmp(argv[1], "name") == 0 ? name_all(path) : 2;
}
