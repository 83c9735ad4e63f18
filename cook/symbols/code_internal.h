/* What code.c reads of a file, and code_compare.c compares. */
#ifndef COOK_SYMBOLS_CODE_INTERNAL_H
#define COOK_SYMBOLS_CODE_INTERNAL_H

#include "cook/symbols/code.h"

struct code_section {
    uint64_t address;
    uint64_t size;
    const uint8_t *bytes; /* NULL: none in the file */
    bool executable;
};

struct code_symbol {
    uint64_t address;
    uint64_t size;
    const char *name;
    bool function;
};

/* A field that the linker filled in. */
struct code_reference {
    uint64_t place;
    uint64_t target;      /* address; 0 with `external` */
    const char *external; /* name, of another library; NULL: within */
    uint32_t type;        /* of the relocation, kinds of one meaning made equal */
    uint32_t width;       /* bytes of the field */
    bool relative;        /* in data: the field counts from the start of its table */
};

struct cook_code {
    int fd;
    void *elf;                     /* Elf *, which holds all texts and bytes */
    struct code_section *sections; /* by address */
    size_t section_count, section_capacity;
    struct code_symbol *symbols; /* by address, then size descending */
    size_t symbol_count, symbol_capacity;
    struct code_reference *references; /* by place */
    size_t reference_count, reference_capacity;
    uint64_t *labels; /* where something begins: ascending */
    size_t label_count, label_capacity;
    const char **functions; /* names, as cook_code_functions() gives them */
    size_t function_count, function_capacity;
};

/* A function, a named object, or the constant at an address without a name. */
struct code_entity {
    uint64_t address;
    uint64_t size;
    const char *name; /* NULL: none */
    bool function;
    const uint8_t *bytes; /* NULL: zeroed at start, nothing to compare */
};
/* The one that holds `address`; false outside all sections. */
bool code_entity_at(const struct cook_code *code, uint64_t address, struct code_entity *out);
const struct code_symbol *code_symbol_find(const struct cook_code *code, const char *name);
/* What a 4-byte field holds; false where there is none. */
bool code_field(const struct cook_code *code, uint64_t place, int32_t *value);
/* The first reference at or after an address; the index may be reference_count. */
size_t code_first_reference(const struct cook_code *code, uint64_t address);

#endif
