/* What the parts of the DWARF index share; private to dwarf_*.c. */
#ifndef COOK_SYMBOLS_DWARF_UNIT_H
#define COOK_SYMBOLS_DWARF_UNIT_H

#include "cook/base/intern.h"
#include "cook/symbols/dwarf_api.h"
#include "cook/symbols/dwarf_program.h"
#include "cook/symbols/offset_map.h"
#include "cook/symbols/ranges.h"

#define COOK_DWARF_MAX_DEPTH 128 /* of nested entries, and of inlined calls */

struct cook_dwarf_file {
    const char *name; /* in the ELF file; "" for none */
    uint64_t folder;
    const char *path; /* both joined, in texts, once asked for */
};

struct cook_dwarf_lines {
    struct cook_dwarf_row *rows;
    size_t count;
    size_t capacity;
    struct cook_ranges sequences; /* index: into firsts */
    struct cook_dwarf_sequence {
        size_t first;
        size_t count;
    } * firsts;
    size_t first_count;
    size_t first_capacity;
    const char **folders; /* by the number that files use; in the ELF file */
    size_t folder_count;
    size_t folder_capacity;
    struct cook_dwarf_file *files; /* by the number that rows use */
    size_t file_count;
    size_t file_capacity;
};

/* A namespace or class, to qualify what is declared in it. */
struct cook_dwarf_scope {
    uint64_t start; /* offsets in .debug_info */
    uint64_t end;
    uint32_t name;
    uint32_t parent; /* in scopes, or UINT32_MAX */
};

struct cook_dwarf_inline {
    uint64_t origin; /* the entry that names the inlined function; 0 when unknown */
    uint32_t depth;  /* 0: inlined into the function itself */
    uint32_t call_file;
    uint32_t call_line;
};

struct cook_dwarf_function {
    uint64_t die;
    bool inlines_read;
    struct cook_dwarf_inline *inlines;
    size_t inline_count;
    size_t inline_capacity;
    struct cook_ranges inline_ranges; /* outer calls before those inlined into them */
};

enum cook_dwarf_scan {
    COOK_DWARF_NOT_SCANNED = 0,
    COOK_DWARF_SCANNED,      /* functions at the top, in namespaces and classes */
    COOK_DWARF_SCANNED_DEEP, /* those within functions too */
};

struct cook_dwarf_unit {
    uint64_t start; /* offsets in .debug_info */
    uint64_t end;
    uint64_t die;
    uint64_t base; /* for ranges, before version 5 */
    uint16_t version;
    bool has_scopes;  /* names are qualified in its language */
    bool has_program; /* `program` is set */
    bool has_lines;   /* the line table was read */
    uint64_t program; /* offset in .debug_line */
    enum cook_dwarf_scan scan;
    uint32_t folder; /* compiled in; in texts, or COOK_INTERN_NONE */
    struct cook_dwarf_lines lines;
    struct cook_dwarf_function *functions;
    size_t function_count;
    size_t function_capacity;
    struct cook_ranges function_ranges;
    struct cook_dwarf_scope *scopes;
    size_t scope_count;
    size_t scope_capacity;
};

struct cook_dwarf {
    Dwarf_Debug debug;
    struct cook_intern *texts;
    struct cook_dwarf_line_sections sections; /* in the ELF file */
    struct cook_dwarf_unit *units;            /* in file order */
    size_t unit_count;
    size_t unit_capacity;
    struct cook_ranges unit_ranges;
    struct cook_offset_map names; /* a function's entry to its full name in texts */
};

/* dwarf_die.c: typed attributes; false (or NULL) when absent, of another form, or damaged. */
bool cook_dwarf_ok(struct cook_dwarf *dwarf, int result, Dwarf_Error error);
bool cook_dwarf_die_at(struct cook_dwarf *dwarf, uint64_t offset, Dwarf_Die *die);
bool cook_dwarf_child(struct cook_dwarf *dwarf, Dwarf_Die die, Dwarf_Die *child);
/* Frees `*die` and replaces it with its sibling; false, with NULL, after the last. */
bool cook_dwarf_next(struct cook_dwarf *dwarf, Dwarf_Die *die);
Dwarf_Half cook_dwarf_tag(struct cook_dwarf *dwarf, Dwarf_Die die);
uint64_t cook_dwarf_offset(struct cook_dwarf *dwarf, Dwarf_Die die);
bool cook_dwarf_has(struct cook_dwarf *dwarf, Dwarf_Die die, Dwarf_Half name);
bool cook_dwarf_unsigned(struct cook_dwarf *dwarf, Dwarf_Die die, Dwarf_Half name,
                         uint64_t *value);
bool cook_dwarf_reference(struct cook_dwarf *dwarf, Dwarf_Die die, Dwarf_Half name,
                          uint64_t *offset);
bool cook_dwarf_section_offset(struct cook_dwarf *dwarf, Dwarf_Die die, Dwarf_Half name,
                               uint64_t *offset);
const char *cook_dwarf_string(struct cook_dwarf *dwarf, Dwarf_Die die, Dwarf_Half name);
/* Add the ranges of `die` for `index`; `unit->base` must be set. */
void cook_dwarf_add_ranges(struct cook_dwarf *dwarf, const struct cook_dwarf_unit *unit,
                           Dwarf_Die die, struct cook_ranges *ranges, uint32_t index);

/* dwarf_functions.c */
void cook_dwarf_scan_unit(struct cook_dwarf *dwarf, struct cook_dwarf_unit *unit,
                          enum cook_dwarf_scan scan);
void cook_dwarf_read_inlines(struct cook_dwarf *dwarf, const struct cook_dwarf_unit *unit,
                             struct cook_dwarf_function *function);
void cook_dwarf_finish_functions(struct cook_dwarf_unit *unit);

/* dwarf_names.c: the qualified name of the function at `offset`; NULL when it has none. */
const char *cook_dwarf_name(struct cook_dwarf *dwarf, uint64_t offset);

/* dwarf_lines.c */
void cook_dwarf_read_lines(const struct cook_dwarf *dwarf, struct cook_dwarf_unit *unit);
const struct cook_dwarf_row *cook_dwarf_find_row(const struct cook_dwarf_unit *unit,
                                                 uint64_t address);
const char *cook_dwarf_file_path(struct cook_dwarf *dwarf, struct cook_dwarf_unit *unit,
                                 uint64_t file);
void cook_dwarf_finish_lines(struct cook_dwarf_unit *unit);

#endif
