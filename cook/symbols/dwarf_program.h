/*
 * The line number programs of DWARF 2 to 5 (section 6.2 of the standard), over raw bytes.
 * libdwarf could run them, but 20210528 starts version 5 programs at file 0 instead of 1, which
 * gives wrong file names, and allocates every row, which is half the time of naming addresses.
 */
#ifndef COOK_SYMBOLS_DWARF_PROGRAM_H
#define COOK_SYMBOLS_DWARF_PROGRAM_H

#include "cook/symbols/dwarf_input.h"

struct cook_dwarf_bytes {
    const uint8_t *data; /* NULL: the file has no such section */
    size_t size;
};

struct cook_dwarf_line_sections {
    struct cook_dwarf_bytes line;     /* .debug_line */
    struct cook_dwarf_bytes line_str; /* .debug_line_str */
    struct cook_dwarf_bytes str;      /* .debug_str */
};

struct cook_dwarf_row {
    uint64_t address;
    uint32_t line;
    uint32_t file;
};

/*
 * Gets what a program yields; false stops it. Folders and files come in the order of their
 * numbers, from 0: before version 5 number 0 is the folder compiled in, with the name "", and
 * no file, with the name "". Texts are borrowed from the sections.
 */
struct cook_dwarf_line_sink {
    void *data;
    bool (*folder)(void *data, const char *name);
    bool (*file)(void *data, const char *name, uint64_t folder);
    /* With `ends`, only the address counts: the first beyond the sequence. */
    bool (*row)(void *data, struct cook_dwarf_row row, bool ends);
};

/* Run the program whose header is at `offset` of .debug_line; damage ends it early. */
void cook_dwarf_run_program(const struct cook_dwarf_line_sections *sections, uint64_t offset,
                            const struct cook_dwarf_line_sink *sink);

/* The header, for dwarf_program.c; dwarf_program_header.c reads it and yields the files. */
struct cook_dwarf_program {
    struct cook_dwarf_input code;
    uint16_t version;
    uint8_t offset_bytes;
    uint8_t min_instruction_bytes;
    uint8_t max_operations;
    int8_t line_base;
    uint8_t line_range;
    uint8_t opcode_base;
    const uint8_t *opcode_lengths; /* of the standard opcodes, from 1 */
};
bool cook_dwarf_read_program(struct cook_dwarf_program *program,
                             const struct cook_dwarf_line_sections *sections, uint64_t offset,
                             const struct cook_dwarf_line_sink *sink);

#endif
