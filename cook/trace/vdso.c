/*
 * The vDSO answers for the clock without a system call. Its functions are overwritten, in this
 * process's own copy, by jumps to ours: whoever reads a clock through it is then seen.
 */
#include <elf.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/mman.h>
#include <unistd.h>

#include "cook/trace/kernel.h"

#if COOK_TRACE_SUPPORTED

#define JUMP_BYTES  14 /* jmp *0(%rip), and the address */
#define MAX_SYMBOLS 256

struct vdso {
    uintptr_t bias;
    uintptr_t start;
    size_t size;
    const Elf64_Sym *symbols;
    const char *names;
    size_t symbol_count;
};

/* The number of symbols stands in neither table but the hashes: the chain's end in the newer one. */
static size_t count_symbols(const uint32_t *hash, const uint32_t *gnu_hash)
{
    if (hash)
        return hash[1];
    if (!gnu_hash)
        return 0;
    uint32_t buckets = gnu_hash[0];
    const uint32_t *bucket = gnu_hash + 4 + gnu_hash[2] * 2;
    const uint32_t *chain = bucket + buckets;
    uint32_t last = 0;
    for (uint32_t i = 0; i < buckets; i++)
        last = bucket[i] > last ? bucket[i] : last;
    if (last < gnu_hash[1])
        return gnu_hash[1];
    while (!(chain[last - gnu_hash[1]] & 1))
        last++;
    return (size_t)last + 1;
}

static void find_tables(struct vdso *vdso, const Elf64_Dyn *entry)
{
    const uint32_t *hash = NULL;
    const uint32_t *gnu_hash = NULL;
    for (; entry && entry->d_tag != DT_NULL; entry++) {
        const void *at = (const void *)(vdso->bias + entry->d_un.d_ptr);
        if (entry->d_tag == DT_SYMTAB)
            vdso->symbols = at;
        else if (entry->d_tag == DT_STRTAB)
            vdso->names = at;
        else if (entry->d_tag == DT_HASH)
            hash = at;
        else if (entry->d_tag == DT_GNU_HASH)
            gnu_hash = at;
    }
    vdso->symbol_count = count_symbols(hash, gnu_hash);
    if (vdso->symbol_count > MAX_SYMBOLS)
        vdso->symbol_count = 0;
}

static bool find_vdso(struct vdso *vdso)
{
    vdso->start = getauxval(AT_SYSINFO_EHDR);
    if (!vdso->start)
        return false;
    const Elf64_Ehdr *header = (const void *)vdso->start;
    const Elf64_Phdr *segments = (const void *)(vdso->start + header->e_phoff);
    const Elf64_Dyn *dynamic = NULL;
    for (unsigned i = 0; i < header->e_phnum; i++) {
        const Elf64_Phdr *segment = &segments[i];
        if (segment->p_type == PT_LOAD) {
            vdso->bias = vdso->start + segment->p_offset - segment->p_vaddr;
            vdso->size = segment->p_offset + segment->p_memsz;
        } else if (segment->p_type == PT_DYNAMIC) {
            dynamic = (const void *)(vdso->start + segment->p_offset);
        }
    }
    find_tables(vdso, dynamic);
    return vdso->symbols && vdso->names && vdso->symbol_count;
}

static bool patch(const struct vdso *vdso, const char *name, const void *address)
{
    for (size_t i = 0; i < vdso->symbol_count; i++) {
        const Elf64_Sym *symbol = &vdso->symbols[i];
        if (!symbol->st_value || strcmp(vdso->names + symbol->st_name, name) != 0)
            continue;
        if (symbol->st_size < JUMP_BYTES) /* shorter than the jump: its neighbour would suffer */
            return false;
        unsigned char jump[JUMP_BYTES] = { 0xff, 0x25, 0, 0, 0, 0 };
        memcpy(jump + 6, &address, sizeof(address));
        memcpy((void *)(vdso->bias + symbol->st_value), jump, sizeof(jump));
        return true;
    }
    return false;
}

bool cook_trace_vdso_patch(const struct cook_trace_vdso *functions)
{
    struct vdso vdso = { 0 };
    if (!find_vdso(&vdso))
        return false;
    size_t page = (size_t)sysconf(_SC_PAGESIZE);
    size_t size = (vdso.size + page - 1) & ~(page - 1);
    void *start = (void *)vdso.start;
    if (mprotect(start, size, PROT_READ | PROT_WRITE | PROT_EXEC) != 0)
        return false;
    const void *clock_gettime, *gettimeofday, *time;
    memcpy(&clock_gettime, &functions->clock_gettime, sizeof(clock_gettime));
    memcpy(&gettimeofday, &functions->gettimeofday, sizeof(gettimeofday));
    memcpy(&time, &functions->time, sizeof(time));
    bool done = patch(&vdso, "__vdso_clock_gettime", clock_gettime);
    done &= patch(&vdso, "__vdso_gettimeofday", gettimeofday);
    done &= patch(&vdso, "__vdso_time", time);
    (void)mprotect(start, size, PROT_READ | PROT_EXEC);
    return done;
}

#else

bool cook_trace_vdso_patch(const struct cook_trace_vdso *functions)
{
    (void)functions;
    return false;
}

#endif
