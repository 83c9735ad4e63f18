/*
 * An ELF file: its build id, whether it has debug information, and its function symbols.
 * elf_file.c alone here sees libelf. The file is read, not mapped, since it may be replaced.
 */
#ifndef COOK_SYMBOLS_ELF_FILE_H
#define COOK_SYMBOLS_ELF_FILE_H

#include "cook/base/error.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct cook_elf;

enum cook_status cook_elf_open(struct cook_elf **out, const char *path,
                               struct cook_error *error) COOK_CHECK_RESULT;
void cook_elf_close(struct cook_elf *elf);
const char *cook_elf_build_id(const struct cook_elf *elf); /* "" when it has none */
bool cook_elf_has_debug_info(const struct cook_elf *elf);
/*
 * The bytes of debug section `name` (".debug_line"), decompressed; borrowed until the file is
 * closed. False when there is none.
 */
bool cook_elf_debug_section(struct cook_elf *elf, const char *name, const uint8_t **bytes,
                            size_t *size);
/*
 * The function at `address` by the symbol table, or NULL; borrowed until the file is closed.
 * The first call reads and sorts the table.
 */
const char *cook_elf_function(struct cook_elf *elf, uint64_t address);
/* Whether it defines a function of that name for others; from the same table. */
bool cook_elf_exports(struct cook_elf *elf, const char *name);

#endif
