#include "cook/reader/readers.h"

const struct cook_reader *const *cook_builtin_readers(void)
{
    static const struct cook_reader *const readers[] = {
        &cook_reader_asset,
        &cook_reader_png,
        &cook_reader_jpeg,
        &cook_reader_tga,
        &cook_reader_gltf,
        &cook_reader_glsl,
        NULL,
    };
    return readers;
}
