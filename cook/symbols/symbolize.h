/*
 * Symbolisation: (module, offset) to functions, files and lines, inlined frames included,
 * through libdwarf (dwarf_*.c alone see it) with the ELF symbol table as the fallback.
 * Modules are found by build id: in the folders given (plugin copies "<build id>.so"), at the
 * recorded path when its build id still matches, and in /usr/lib/debug/.build-id; one without
 * a build id is not named at all, since its file may be another by now. The index of a module
 * grows with what is looked up in it. Debug information is untrusted: a bad file gives raw
 * frames.
 */
#ifndef COOK_SYMBOLS_SYMBOLIZE_H
#define COOK_SYMBOLS_SYMBOLIZE_H

#include "cook/symbols/stacks.h"

struct cook_symbolizer;

struct cook_symbolizer_options {
    const char *const *folders; /* searched for "<build id>.so" */
    size_t folder_count;
};

enum cook_status cook_symbolizer_create(struct cook_symbolizer **out,
                                        const struct cook_symbolizer_options *options,
                                        struct cook_error *error) COOK_CHECK_RESULT;
void cook_symbolizer_destroy(struct cook_symbolizer *symbolizer);

/* A frame for people and for JSON (design section 7). Texts live as long as the symbolizer. */
struct cook_symbol_frame {
    const char *function; /* NULL when unknown; C++ names qualified, without parameters */
    const char *file;     /* NULL when unknown; as compiled (prefix-mapped) */
    uint32_t line;        /* 0 when unknown */
    const char *module;   /* "arena.so" */
    const char *build_id;
    uint64_t offset;
    bool inlined; /* inlined into the next frame of the same offset */
};

/*
 * The frames of one stack, innermost first, inlined ones expanded, at most `max`; returns the
 * number. Never fails: what cannot be named keeps module and offset.
 */
size_t cook_symbolizer_stack(struct cook_symbolizer *symbolizer,
                             const struct cook_stack_set *set, uint32_t stack,
                             struct cook_symbol_frame *frames, size_t max);
/*
 * "function (file:line)", "function (module+0xoffset)" where only a symbol is known, or
 * "module+0xoffset"; in `arena`, NULL when memory is short.
 */
char *cook_symbol_text(const struct cook_symbol_frame *frame, struct cook_arena *arena);

#endif
