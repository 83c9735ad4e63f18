#include "cook/archive/layout.h"

#include <string.h>

bool cook_layout_parse(struct cook_layout *layout, const char *text)
{
    static const char *const types[] = { "i8",  "i16", "i32", "i64", "u8",
                                         "u16", "u32", "u64", "f32", "f64" };
    static const uint32_t sizes[] = { 1, 2, 4, 8, 1, 2, 4, 8, 4, 8 };
    for (size_t i = 0; text && i < sizeof(types) / sizeof(types[0]); i++) {
        size_t length = strlen(types[i]);
        if (strncmp(text, types[i], length) != 0)
            continue;
        *layout = (struct cook_layout){ types[i][0], sizes[i], 1 };
        const char *at = text + length;
        if (*at == '\0')
            return true;
        if (*at++ != 'x' || *at < '1' || *at > '9')
            return false;
        for (layout->count = 0; *at >= '0' && *at <= '9' && layout->count <= COOK_LAYOUT_MAX_NUMBERS;)
            layout->count = layout->count * 10 + (uint32_t)(*at++ - '0');
        return *at == '\0' && layout->count >= 2 && layout->count <= COOK_LAYOUT_MAX_NUMBERS;
    }
    return false;
}
