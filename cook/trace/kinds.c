#include <string.h>

#include "cook/trace/inputs.h"

static const char *const texts[COOK_INPUT_KIND_END] = {
    [COOK_INPUT_UNKNOWN] = "unknown",
#define COOK_INPUT_TEXT(name, value, text) [COOK_INPUT_##name] = text,
    COOK_INPUT_KINDS(COOK_INPUT_TEXT)
#undef COOK_INPUT_TEXT
};

const char *cook_input_kind_text(enum cook_input_kind kind)
{
    return (unsigned)kind < COOK_INPUT_KIND_END ? texts[kind] : texts[COOK_INPUT_UNKNOWN];
}

enum cook_input_kind cook_input_kind_of(const char *text)
{
    for (unsigned kind = 1; kind < COOK_INPUT_KIND_END; kind++)
        if (strcmp(texts[kind], text) == 0)
            return (enum cook_input_kind)kind;
    return COOK_INPUT_UNKNOWN;
}
