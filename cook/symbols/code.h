/*
 * The machine code of a plugin, compared by symbol with that of another build: which functions
 * and constant tables differ among those that a function reaches. Addresses do not matter,
 * since what a relocation filled in is compared by what it leads to: so the plugin must have
 * been linked with
 * --emit-relocs (as cook_add_plugin does), and compiled with -ffunction-sections for calls
 * within a file to be seen whatever the compiler.
 *
 * Files are untrusted: a damaged one has no code to compare. code.c and elf_file.c see libelf.
 * x86-64 and 64-bit relocations with addends; another machine's file gives COOK_E_UNSUPPORTED.
 */
#ifndef COOK_SYMBOLS_CODE_H
#define COOK_SYMBOLS_CODE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "cook/base/alloc.h"
#include "cook/base/error.h"

struct cook_code;

/* COOK_E_NOT_FOUND, COOK_E_MALFORMED, COOK_E_UNSUPPORTED (other machine, or linked without its
 * relocations), COOK_E_NO_MEMORY. */
enum cook_status cook_code_open(struct cook_code **out, const char *path,
                                struct cook_error *error) COOK_CHECK_RESULT;
void cook_code_close(struct cook_code *code); /* NULL allowed */
/* The symbol of the function at an address of the file; NULL for none. Borrowed from `code`. */
const char *cook_code_function(const struct cook_code *code, uint64_t address);
/* The symbol of the constant that describes class or struct `name` (its first member is that
 * text); NULL when there is none. Borrowed from `code`. */
const char *cook_code_descriptor(const struct cook_code *code, const char *name);

struct cook_code_change {
    const char *symbol;    /* "odds_of"; "a constant" for data without a name */
    const char *path;      /* how it is reached: "table_serialize > odds_of" */
    const uint64_t *chain; /* the same as addresses of the new build; 0 where it has none */
    size_t chain_count;
    bool data;
    unsigned depth; /* calls and references from the root: 0 is the root itself */
};
struct cook_code_comparison {
    struct cook_code_change *changes; /* nearest first; in the arena */
    size_t count;
    const char *
        *externals; /* functions of other libraries that the new code reaches, each once */
    size_t external_count;
    size_t compared; /* functions and constants */
};
/*
 * Compare what is reached from each root symbol, in both. A root that only one of them has is a
 * change. Texts in `arena`.
 */
enum cook_status cook_code_compare(struct cook_code_comparison *out, struct cook_code *old,
                                   struct cook_code *new, const char *const *roots,
                                   size_t root_count, struct cook_arena *arena,
                                   struct cook_error *error) COOK_CHECK_RESULT;
/* All named functions, for when no root is known; borrowed from `code`, texts too. */
size_t cook_code_functions(const struct cook_code *code, const char *const **names);

#endif
