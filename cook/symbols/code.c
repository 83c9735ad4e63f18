#include "cook/symbols/code.h"

#include <fcntl.h>
#include <gelf.h>
#include <libelf.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cook/symbols/code_internal.h"

#define MAX_UNNAMED_BYTES 65536 /* of a constant without a name */

/* ---- reading ---- */

static bool add_section(struct cook_code *code, Elf_Scn *section, const GElf_Shdr *head)
{
    const Elf_Data *data = head->sh_type == SHT_NOBITS ? NULL : elf_rawdata(section, NULL);
    uint64_t end;
    if (!(head->sh_flags & SHF_ALLOC) || (head->sh_flags & SHF_TLS) || head->sh_size == 0)
        return true;
    if (__builtin_add_overflow(head->sh_addr, head->sh_size, &end))
        return true;
    if (!cook_grow(&code->sections, &code->section_capacity, code->section_count + 1,
                   sizeof(*code->sections)))
        return false;
    code->sections[code->section_count++] = (struct code_section){
        .address = head->sh_addr,
        .size = head->sh_size,
        .bytes = data && data->d_size == head->sh_size ? data->d_buf : NULL,
        .executable = (head->sh_flags & SHF_EXECINSTR) != 0,
    };
    return true;
}

static bool add_label(struct cook_code *code, uint64_t address)
{
    if (!cook_grow(&code->labels, &code->label_capacity, code->label_count + 1,
                   sizeof(uint64_t)))
        return false;
    code->labels[code->label_count++] = address;
    return true;
}

static bool add_symbols(struct cook_code *code, Elf_Scn *section, const GElf_Shdr *head)
{
    Elf_Data *data = elf_getdata(section, NULL);
    GElf_Sym symbol;
    for (int i = 0; data && gelf_getsym(data, i, &symbol); i++) {
        unsigned char type = GELF_ST_TYPE(symbol.st_info);
        const char *name = elf_strptr(code->elf, head->sh_link, symbol.st_name);
        bool function = type == STT_FUNC || type == STT_GNU_IFUNC;
        if (symbol.st_shndx == SHN_UNDEF || symbol.st_shndx >= SHN_LORESERVE ||
            !(function || type == STT_OBJECT) || !name || !*name || !symbol.st_size ||
            strncmp(name, ".L", 2) == 0) /* a compiler's own name of a constant */
            continue;
        if (!cook_grow(&code->symbols, &code->symbol_capacity, code->symbol_count + 1,
                       sizeof(*code->symbols)) ||
            !add_label(code, symbol.st_value))
            return false;
        code->symbols[code->symbol_count++] =
            (struct code_symbol){ symbol.st_value, symbol.st_size, name, function };
    }
    return true;
}

/* Relocations that mean the same are made one, and get the width of their field. */
static void classify(struct code_reference *reference, uint32_t type, bool *pc_relative,
                     bool *addend_counts)
{
    *pc_relative = false;
    *addend_counts = true;
    reference->type = type;
    reference->width = 4;
    switch (type) {
    case R_X86_64_NONE:
        reference->width = 0;
        break;
    case R_X86_64_64:
    case R_X86_64_PC64:
        reference->width = 8;
        *pc_relative = type == R_X86_64_PC64;
        break;
    case R_X86_64_PLT32:
    case R_X86_64_PC32:
        reference->type = R_X86_64_PC32;
        *pc_relative = true;
        break;
    case R_X86_64_GOTPCREL:
    case R_X86_64_GOTPCRELX:
    case R_X86_64_REX_GOTPCRELX:
        reference->type = R_X86_64_GOTPCREL;
        *addend_counts = false;
        break;
    case R_X86_64_DTPOFF64:
    case R_X86_64_TPOFF64:
        reference->width = 8;
        break;
    default:
        break;
    }
}

static const struct code_section *section_at(const struct cook_code *code, uint64_t address)
{
    for (size_t i = 0; i < code->section_count; i++) {
        const struct code_section *section = &code->sections[i];
        if (address >= section->address && address - section->address < section->size)
            return section;
    }
    return NULL;
}

bool code_field(const struct cook_code *code, uint64_t place, int32_t *value)
{
    const struct code_section *section = section_at(code, place);
    uint64_t offset = section ? place - section->address : 0;
    if (!section || !section->bytes || section->size - offset < sizeof(*value))
        return false;
    memcpy(value, section->bytes + offset, sizeof(*value));
    return true;
}

/* Where a PC-relative field of 4 bytes in code leads; 0 when it has no bytes. */
static uint64_t filled_in(const struct cook_code *code, const struct code_reference *reference)
{
    int32_t distance;
    if (reference->width != sizeof(distance) || !code_field(code, reference->place, &distance))
        return 0;
    return reference->place + sizeof(distance) + (uint64_t)(int64_t)distance;
}

static bool is_in_data(const struct cook_code *code, uint64_t place)
{
    const struct code_section *section = section_at(code, place);
    return section && !section->executable;
}

static bool add_reference(struct cook_code *code, Elf_Data *symbols, size_t names,
                          const GElf_Rela *rela)
{
    struct code_reference reference = { .place = rela->r_offset };
    GElf_Sym symbol;
    bool pc_relative;
    bool addend_counts;
    if (!gelf_getsym(symbols, (int)GELF_R_SYM(rela->r_info), &symbol))
        return true;
    classify(&reference, (uint32_t)GELF_R_TYPE(rela->r_info), &pc_relative, &addend_counts);
    if (!reference.width)
        return true;
    if (symbol.st_shndx == SHN_UNDEF) {
        const char *name = elf_strptr(code->elf, names, symbol.st_name);
        reference.external = name && *name ? name : "?";
    } else if (GELF_ST_TYPE(symbol.st_info) == STT_TLS) {
        reference.external = "thread-local"; /* by its offset alone, which is in the bytes */
        reference.width = 0;
    } else {
        reference.target = symbol.st_value;
        if (addend_counts)
            reference.target += (uint64_t)rela->r_addend + (pc_relative ? 4 : 0);
        reference.relative =
            pc_relative && reference.width == 4 && is_in_data(code, reference.place);
        /* Constants are merged by the linker: where the field leads is right in any case. */
        if (pc_relative && GELF_ST_TYPE(symbol.st_info) == STT_SECTION)
            reference.target = filled_in(code, &reference);
    }
    if (!cook_grow(&code->references, &code->reference_capacity, code->reference_count + 1,
                   sizeof(reference)))
        return false;
    if (reference.relative)
        reference.target = 0; /* see place_relative() */
    code->references[code->reference_count++] = reference;
    return reference.external || reference.relative || add_label(code, reference.target);
}

/* The relocations that --emit-relocs left beside the code, not those for the loader. */
static bool add_references(struct cook_code *code, Elf_Scn *section, const GElf_Shdr *head)
{
    Elf_Scn *of = elf_getscn(code->elf, head->sh_info);
    Elf_Scn *table = elf_getscn(code->elf, head->sh_link);
    GElf_Shdr of_head;
    GElf_Shdr table_head;
    if ((head->sh_flags & SHF_ALLOC) || !head->sh_info || !of || !table ||
        !gelf_getshdr(of, &of_head) || !gelf_getshdr(table, &table_head) ||
        !(of_head.sh_flags & SHF_ALLOC))
        return true;
    Elf_Data *data = elf_getdata(section, NULL);
    Elf_Data *symbols = elf_getdata(table, NULL);
    GElf_Rela rela;
    for (int i = 0; data && symbols && gelf_getrela(data, i, &rela); i++)
        if (!add_reference(code, symbols, table_head.sh_link, &rela))
            return false;
    return true;
}

static bool read_all(struct cook_code *code)
{
    bool room = true;
    for (Elf_Scn *section = NULL; room && (section = elf_nextscn(code->elf, section));) {
        GElf_Shdr head;
        if (!gelf_getshdr(section, &head))
            continue;
        room = add_section(code, section, &head);
        if (room && head.sh_type == SHT_SYMTAB)
            room = add_symbols(code, section, &head);
        else if (room && head.sh_type == SHT_RELA)
            room = add_references(code, section, &head);
    }
    return room;
}

static int compare_sections(const void *a, const void *b)
{
    const struct code_section *x = a;
    const struct code_section *y = b;
    return (x->address > y->address) - (x->address < y->address);
}

static int compare_symbols(const void *a, const void *b)
{
    const struct code_symbol *x = a;
    const struct code_symbol *y = b;
    if (x->address != y->address)
        return x->address < y->address ? -1 : 1;
    if (x->size != y->size)
        return x->size > y->size ? -1 : 1;
    return strcmp(x->name, y->name);
}

static int compare_references(const void *a, const void *b)
{
    const struct code_reference *x = a;
    const struct code_reference *y = b;
    return (x->place > y->place) - (x->place < y->place);
}

static int compare_labels(const void *a, const void *b)
{
    const uint64_t *x = a;
    const uint64_t *y = b;
    return (*x > *y) - (*x < *y);
}

/* qsort takes no NULL, not even for nothing. */
static void sort(void *items, size_t count, size_t size,
                 int (*compare)(const void *, const void *))
{
    if (count)
        qsort(items, count, size, compare);
}

static const struct code_symbol *symbol_at(const struct cook_code *code, uint64_t address)
{
    size_t low = 0, high = code->symbol_count;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (code->symbols[middle].address <= address)
            low = middle + 1;
        else
            high = middle;
    }
    for (size_t steps = 0; low > 0 && steps < 8; steps++, low--)
        if (address - code->symbols[low - 1].address < code->symbols[low - 1].size)
            return &code->symbols[low - 1];
    return NULL;
}

/* Tables of distances (jump tables, tables of texts): from the start of the table, where it has
 * a name; else it is found when the table is walked. */
static bool place_relative(struct cook_code *code)
{
    for (size_t i = 0; i < code->reference_count; i++) {
        struct code_reference *reference = &code->references[i];
        const struct code_symbol *table =
            reference->relative ? symbol_at(code, reference->place) : NULL;
        int32_t distance;
        if (!table || !code_field(code, reference->place, &distance))
            continue;
        reference->target = table->address + (uint64_t)(int64_t)distance;
        if (!add_label(code, reference->target))
            return false;
    }
    return true;
}

static bool sort_all(struct cook_code *code)
{
    sort(code->sections, code->section_count, sizeof(*code->sections), compare_sections);
    sort(code->symbols, code->symbol_count, sizeof(*code->symbols), compare_symbols);
    sort(code->references, code->reference_count, sizeof(*code->references),
         compare_references);
    if (!place_relative(code))
        return false;
    sort(code->labels, code->label_count, sizeof(*code->labels), compare_labels);
    for (size_t i = 0; i < code->symbol_count; i++) {
        if (!code->symbols[i].function)
            continue;
        if (!cook_grow(&code->functions, &code->function_capacity, code->function_count + 1,
                       sizeof(char *)))
            return false;
        code->functions[code->function_count++] = code->symbols[i].name;
    }
    return true;
}

enum cook_status cook_code_open(struct cook_code **out, const char *path,
                                struct cook_error *error)
{
    struct cook_code *code = cook_calloc(1, sizeof(*code));
    enum cook_status status = COOK_OK;
    GElf_Ehdr head;
    *out = NULL;
    if (!code)
        return cook_error_set(error, COOK_E_NO_MEMORY, "cannot read %s", path);
    elf_version(EV_CURRENT);
    code->fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
    if (code->fd < 0)
        status = cook_error_set_errno(error, "cannot open %s", path);
    if (status == COOK_OK)
        code->elf = elf_begin(code->fd, ELF_C_READ, NULL);
    if (status == COOK_OK && (!code->elf || !gelf_getehdr(code->elf, &head)))
        status = cook_error_set(error, COOK_E_MALFORMED, "%s is no ELF file", path);
    if (status == COOK_OK && (head.e_machine != EM_X86_64 || head.e_type != ET_DYN))
        status = cook_error_set(error, COOK_E_UNSUPPORTED, "%s is no x86-64 library", path);
    if (status == COOK_OK && (!read_all(code) || (code->symbol_count && !sort_all(code))))
        status = cook_error_set(error, COOK_E_NO_MEMORY, "cannot read %s", path);
    if (status == COOK_OK && (!code->reference_count || !code->symbol_count))
        status = cook_error_set(error, COOK_E_UNSUPPORTED,
                                "%s was linked without --emit-relocs, or is stripped", path);
    if (status == COOK_OK)
        *out = code;
    else
        cook_code_close(code);
    return status;
}

void cook_code_close(struct cook_code *code)
{
    if (!code)
        return;
    elf_end(code->elf);
    if (code->fd >= 0)
        close(code->fd);
    cook_free(code->sections);
    cook_free(code->symbols);
    cook_free(code->references);
    cook_free(code->labels);
    cook_free(code->functions);
    cook_free(code);
}

/* ---- looking up ---- */

static uint64_t next_label(const struct cook_code *code, uint64_t address, uint64_t limit)
{
    size_t low = 0, high = code->label_count;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (code->labels[middle] <= address)
            low = middle + 1;
        else
            high = middle;
    }
    return low < code->label_count && code->labels[low] < limit ? code->labels[low] : limit;
}

bool code_entity_at(const struct cook_code *code, uint64_t address, struct code_entity *out)
{
    const struct code_section *section = section_at(code, address);
    const struct code_symbol *symbol = symbol_at(code, address);
    if (!section)
        return false;
    uint64_t end = section->address + section->size;
    uint64_t start = symbol ? symbol->address : address;
    uint64_t stop = symbol ? symbol->address + symbol->size : next_label(code, address, end);
    if (start < section->address || stop > end || stop < start)
        return false;
    if (!symbol && stop - start > MAX_UNNAMED_BYTES)
        stop = start + MAX_UNNAMED_BYTES;
    *out = (struct code_entity){
        .address = start,
        .size = stop - start,
        .name = symbol ? symbol->name : NULL,
        .function = section->executable,
        .bytes = section->bytes ? section->bytes + (start - section->address) : NULL,
    };
    return true;
}

const struct code_symbol *code_symbol_find(const struct cook_code *code, const char *name)
{
    for (size_t i = 0; i < code->symbol_count; i++)
        if (strcmp(code->symbols[i].name, name) == 0)
            return &code->symbols[i];
    return NULL;
}

size_t code_first_reference(const struct cook_code *code, uint64_t address)
{
    size_t low = 0, high = code->reference_count;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (code->references[middle].place < address)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

const char *cook_code_function(const struct cook_code *code, uint64_t address)
{
    const struct code_symbol *symbol = symbol_at(code, address);
    return symbol && symbol->function ? symbol->name : NULL;
}

size_t cook_code_functions(const struct cook_code *code, const char *const **names)
{
    *names = code->functions;
    return code->function_count;
}

const char *cook_code_descriptor(const struct cook_code *code, const char *name)
{
    size_t length = strlen(name) + 1;
    for (size_t i = 0; i < code->symbol_count; i++) {
        const struct code_symbol *symbol = &code->symbols[i];
        size_t at = symbol->function ? code->reference_count
                                     : code_first_reference(code, symbol->address);
        if (at == code->reference_count || code->references[at].place != symbol->address ||
            code->references[at].external)
            continue;
        uint64_t target = code->references[at].target;
        const struct code_section *section = section_at(code, target);
        uint64_t offset = section ? target - section->address : 0;
        if (section && section->bytes && section->size - offset >= length &&
            memcmp(section->bytes + offset, name, length) == 0)
            return symbol->name;
    }
    return NULL;
}
