/*
 * Text for people, of bytes that may come from anybody: names of files and packages, values, log lines.
 * What would change how the text around it is shown, or is not seen at all, is written as an escape:
 * bytes that are no UTF-8 and control characters as "\x1b", controls of direction and other invisible
 * characters as "\u202e" (beyond four digits "\U000e0041").
 */
#ifndef COOK_BASE_TEXT_H
#define COOK_BASE_TEXT_H

#include "cook/base/buf.h"

struct cook_arena;

/* The length of the UTF-8 character at `text`, or 0 where there is none (Unicode 15, table 3-7). `*code`
 * out, may be NULL. `size` is at least 1. */
size_t cook_utf8_length(uint32_t *code, const void *text, size_t size);
/* Whether a character is escaped: controls, controls of direction, and what is not seen. */
bool cook_text_is_hidden(uint32_t code);

enum cook_text_flags {
    COOK_TEXT_LINE = 0,       /* all on one line */
    COOK_TEXT_LINES = 1 << 0, /* line feeds and tabs stay */
};
/* Append `size` bytes of text. */
void cook_text_put(struct cook_buf *out, const void *text, size_t size, enum cook_text_flags flags);
/* All of a text on one line, in `arena`; the text itself where nothing is escaped; NULL when memory is
 * short. */
const char *cook_text_shown(const char *text, struct cook_arena *arena);
/* Append a JSON text that says the same, with what is hidden in its strings as JSON's own escapes. */
void cook_text_put_json(struct cook_buf *out, const char *json);

#endif
