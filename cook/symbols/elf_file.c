#include "cook/symbols/elf_file.h"

#include <fcntl.h>
#include <gelf.h>
#include <libelf.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cook/base/alloc.h"
#include "cook/symbols/modules.h"

#define LOOK_BACK 8 /* symbols may nest in a larger one, as aliases and entry points do */

struct symbol {
    uint64_t address;
    uint64_t size;
    const char *name; /* in the string table that libelf holds */
    unsigned char rank;
};

struct cook_elf {
    int fd;
    Elf *elf;
    char build_id[COOK_BUILD_ID_TEXT_SIZE];
    bool has_debug_info;
    bool has_symbols; /* read, if there are any */
    Elf_Scn *table;   /* .symtab, else .dynsym, else NULL */
    struct symbol *symbols;
    size_t count;
    size_t capacity;
};

static void note_section(struct cook_elf *elf, size_t names, Elf_Scn *section)
{
    GElf_Shdr head;
    if (!gelf_getshdr(section, &head))
        return;
    const char *name = elf_strptr(elf->elf, names, head.sh_name);
    bool is_debug =
        name && (strcmp(name, ".debug_info") == 0 || strcmp(name, ".zdebug_info") == 0);
    if (is_debug && head.sh_type != SHT_NOBITS)
        elf->has_debug_info = true;
    else if (head.sh_type == SHT_SYMTAB || (head.sh_type == SHT_DYNSYM && !elf->table))
        elf->table = section;
    else if (head.sh_type == SHT_NOTE && !elf->build_id[0]) {
        const Elf_Data *data = elf_rawdata(section, NULL);
        if (data && data->d_buf)
            cook_build_id_from_notes(elf->build_id, data->d_buf, data->d_size,
                                     head.sh_addralign);
    }
}

static bool note_sections(struct cook_elf *elf)
{
    size_t names = 0;
    if (elf_kind(elf->elf) != ELF_K_ELF || elf_getshdrstrndx(elf->elf, &names) != 0)
        return false;
    for (Elf_Scn *section = NULL; (section = elf_nextscn(elf->elf, section));)
        note_section(elf, names, section);
    return true;
}

enum cook_status cook_elf_open(struct cook_elf **out, const char *path,
                               struct cook_error *error)
{
    *out = NULL;
    enum cook_status status = COOK_OK;
    struct cook_elf *elf = cook_calloc(1, sizeof(*elf));
    if (!elf)
        return cook_error_set(error, COOK_E_NO_MEMORY, "cannot open '%s'", path);
    elf_version(EV_CURRENT);
    /* The path may come from a recorded stack, and a pipe by that name would wait for ever. */
    elf->fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
    struct stat facts;
    if (elf->fd < 0 || fstat(elf->fd, &facts) != 0) {
        status = cook_error_set_errno(error, "cannot open '%s'", path);
        goto done;
    }
    if (!S_ISREG(facts.st_mode)) {
        status = cook_error_set(error, COOK_E_INVALID, "'%s' is no regular file", path);
        goto done;
    }
    elf->elf = elf_begin(elf->fd, ELF_C_READ, NULL);
    if (!elf->elf || !note_sections(elf)) {
        status = cook_error_set(error, COOK_E_MALFORMED, "'%s' is no ELF file", path);
        goto done;
    }
    *out = elf;
    elf = NULL;
done:
    cook_elf_close(elf);
    return status;
}

void cook_elf_close(struct cook_elf *elf)
{
    if (!elf)
        return;
    cook_free(elf->symbols);
    elf_end(elf->elf);
    if (elf->fd >= 0)
        close(elf->fd);
    cook_free(elf);
}

const char *cook_elf_build_id(const struct cook_elf *elf)
{
    return elf->build_id;
}

bool cook_elf_has_debug_info(const struct cook_elf *elf)
{
    return elf->has_debug_info;
}

/* The older compression renames ".debug_x" to ".zdebug_x". */
static Elf_Scn *find_debug_section(struct cook_elf *elf, const char *name, bool *renamed)
{
    size_t names = 0;
    if (elf_getshdrstrndx(elf->elf, &names) != 0)
        return NULL;
    for (Elf_Scn *section = NULL; (section = elf_nextscn(elf->elf, section));) {
        GElf_Shdr head;
        const char *found =
            gelf_getshdr(section, &head) ? elf_strptr(elf->elf, names, head.sh_name) : NULL;
        if (!found || head.sh_type == SHT_NOBITS)
            continue;
        *renamed = strncmp(found, ".z", 2) == 0;
        if (strcmp(found + (*renamed ? 2 : 1), name + 1) == 0)
            return section;
    }
    return NULL;
}

bool cook_elf_debug_section(struct cook_elf *elf, const char *name, const uint8_t **bytes,
                            size_t *size)
{
    bool renamed = false;
    Elf_Scn *section = find_debug_section(elf, name, &renamed);
    GElf_Shdr head;
    *bytes = NULL;
    *size = 0;
    if (!section || !gelf_getshdr(section, &head))
        return false;
    if (renamed && elf_compress_gnu(section, 0, 0) < 0)
        return false;
    if ((head.sh_flags & SHF_COMPRESSED) && elf_compress(section, 0, 0) < 0)
        return false;
    const Elf_Data *data = elf_rawdata(section, NULL);
    if (!data || !data->d_buf)
        return false;
    *bytes = data->d_buf;
    *size = data->d_size;
    return true;
}

static bool is_function(const GElf_Sym *symbol)
{
    unsigned char type = GELF_ST_TYPE(symbol->st_info);
    return symbol->st_shndx != SHN_UNDEF && (type == STT_FUNC || type == STT_GNU_IFUNC);
}

/* Of names for one address the one that others can see is the best known. */
static unsigned char rank_of(const GElf_Sym *symbol)
{
    unsigned char binding = GELF_ST_BIND(symbol->st_info);
    return binding == STB_GLOBAL ? 2 : binding == STB_WEAK ? 1 : 0;
}

/* By address; of equal ones the better comes later, since look-ups go backwards. */
static int compare_symbols(const void *a, const void *b)
{
    const struct symbol *left = a, *right = b;
    if (left->address != right->address)
        return left->address < right->address ? -1 : 1;
    if (left->rank != right->rank)
        return left->rank < right->rank ? -1 : 1;
    return strcmp(right->name, left->name);
}

static void read_symbols(struct cook_elf *elf)
{
    GElf_Shdr head;
    GElf_Sym symbol;
    elf->has_symbols = true;
    Elf_Data *data = elf->table ? elf_getdata(elf->table, NULL) : NULL;
    if (!data || !gelf_getshdr(elf->table, &head))
        return;
    for (int i = 0; gelf_getsym(data, i, &symbol); i++) {
        if (!is_function(&symbol))
            continue;
        const char *name = elf_strptr(elf->elf, head.sh_link, symbol.st_name);
        if (!name || !*name)
            continue;
        if (!cook_grow(&elf->symbols, &elf->capacity, elf->count + 1, sizeof(*elf->symbols)))
            return;
        elf->symbols[elf->count++] =
            (struct symbol){ symbol.st_value, symbol.st_size, name, rank_of(&symbol) };
    }
    if (elf->count > 1)
        qsort(elf->symbols, elf->count, sizeof(*elf->symbols), compare_symbols);
}

const char *cook_elf_function(struct cook_elf *elf, uint64_t address)
{
    if (!elf->has_symbols)
        read_symbols(elf);
    size_t low = 0, high = elf->count;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (elf->symbols[middle].address <= address)
            low = middle + 1;
        else
            high = middle;
    }
    /* Assembly often gives no size: such a symbol reaches up to the next. */
    for (size_t steps = 0; low > 0 && steps < LOOK_BACK; steps++, low--) {
        const struct symbol *symbol = &elf->symbols[low - 1];
        if (address - symbol->address < symbol->size || (steps == 0 && symbol->size == 0))
            return symbol->name;
    }
    return NULL;
}

bool cook_elf_exports(struct cook_elf *elf, const char *name)
{
    if (!elf->has_symbols)
        read_symbols(elf);
    for (size_t i = 0; i < elf->count; i++)
        if (elf->symbols[i].rank && strcmp(elf->symbols[i].name, name) == 0)
            return true;
    return false;
}
