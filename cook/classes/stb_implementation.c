/*
 * The code of the stb libraries, compiled without warnings; image_stb.c is the adapter over it.
 * Memory comes from our allocator. It is zeroed, because a damaged file makes stb_image 2.27
 * read tables and coefficients that it never set: garbage in the texture, or an index out of
 * range. No single allocation may pass 1 GiB: a decoded image is far below that, only a bomb
 * asks for more.
 */
#include "cook/base/alloc.h"

#define STB_ALLOCATION_MAX_BYTES ((size_t)1 << 30)

static void *stb_malloc(size_t size)
{
    return size <= STB_ALLOCATION_MAX_BYTES ? cook_calloc(1, size) : NULL;
}

static void *stb_realloc(void *memory, size_t size)
{
    return size <= STB_ALLOCATION_MAX_BYTES ? cook_realloc(memory, size) : NULL;
}

#define STBI_MALLOC(size)          stb_malloc(size)
#define STBI_REALLOC(memory, size) stb_realloc(memory, size)
#define STBI_FREE(memory)          cook_free(memory)
#define STBI_ASSERT(condition)     ((void)0)
#define STBI_MAX_DIMENSIONS        16384
#define STBI_ONLY_JPEG
#define STBI_ONLY_TGA
#define STBI_NO_STDIO
#define STBI_NO_HDR
#define STBI_NO_LINEAR
#define STB_IMAGE_IMPLEMENTATION
#include <stb_image.h>

#define STB_DXT_IMPLEMENTATION
#include <stb_dxt.h>

#define STBIR_MALLOC(size, context) ((void)(context), stb_malloc(size))
#define STBIR_FREE(memory, context) ((void)(context), cook_free(memory))
#define STB_IMAGE_RESIZE_IMPLEMENTATION
#include <stb_image_resize.h>
