/*
 * Debug information of one file: an address to the functions, files and lines it stands for.
 * Opening reads no more than the heads of the compilation units; a unit's functions, its line
 * table and a function's inlined calls are read when an address first asks for them.
 * Damaged debug information gives fewer frames, never an error after opening.
 */
#ifndef COOK_SYMBOLS_DWARF_INDEX_H
#define COOK_SYMBOLS_DWARF_INDEX_H

#include "cook/base/error.h"
#include "cook/base/intern.h"
#include "cook/symbols/elf_file.h"

struct cook_dwarf;

struct cook_dwarf_frame {
    const char *function; /* NULL when unknown; in the intern table */
    const char *file;     /* NULL when unknown; in the intern table */
    uint32_t line;        /* 0 when unknown */
};

/*
 * `elf` is the same file; it and `texts` must outlive the index. COOK_E_NOT_FOUND when the file
 * holds no debug information.
 */
enum cook_status cook_dwarf_open(struct cook_dwarf **out, const char *path,
                                 struct cook_elf *elf, struct cook_intern *texts,
                                 struct cook_error *error) COOK_CHECK_RESULT;
void cook_dwarf_close(struct cook_dwarf *dwarf);
/*
 * The frames of `address` (in the file's own terms), innermost first; each but the last is
 * inlined into the next. At most `max`; returns the number, 0 when nothing is known.
 */
size_t cook_dwarf_frames(struct cook_dwarf *dwarf, uint64_t address,
                         struct cook_dwarf_frame *frames, size_t max);

#endif
