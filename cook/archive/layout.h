/* Layouts of raw data: "f32x3", see cook_write_data_elements() of the SDK. */
#ifndef COOK_ARCHIVE_LAYOUT_H
#define COOK_ARCHIVE_LAYOUT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define COOK_LAYOUT_MAX_NUMBERS 16u

struct cook_layout {
    char kind;     /* 'i', 'u', 'f' */
    uint32_t size; /* bytes of a number */
    uint32_t count; /* numbers of an element */
};

/* False for what is no layout. Untrusted text. */
bool cook_layout_parse(struct cook_layout *layout, const char *text);

#endif
