/*
 * Cooked textures, compared as pictures: the mips of the standard Texture2D are decoded on both sides,
 * which tells how far colours are apart instead of how many bytes are. Bytes are untrusted.
 */
#ifndef DIFFCOOK_TEXTURE_H
#define DIFFCOOK_TEXTURE_H

#include "diff.h"

/* One mip as pixels; a zeroed one is empty. */
struct diff_texture {
    uint32_t width_px;
    uint32_t height_px;
    uint32_t channels; /* that are stored: 4, or 2 (BC5) */
    uint8_t *rgba;     /* owned */
};

/* Decode the mip that a token holds; false when it is none, or when memory is short. */
bool diff_texture_decode(struct diff_texture *out, const struct diff_version *version,
                         size_t token, uint64_t offset);
/* Both versions of a changed mip, of one size; false, and nothing to finish, for other differences. */
bool diff_texture_open(struct diff_texture pair[2], const struct diff_difference *difference,
                       const struct diff_version *old, const struct diff_version *new);
void diff_texture_finish(struct diff_texture *texture);

struct diff_texture_error {
    uint32_t largest[4];
    double mean[4];
    uint64_t pixels; /* that differ */
};
/* Both of one size. */
struct diff_texture_error diff_texture_compare(const struct diff_texture *old,
                                               const struct diff_texture *new);
/*
 * "64 x 64 pixels, 12 differ; largest error R 3 G 0 B 1 A 0, mean R 0.12 …" of a changed difference, in
 * `arena`; NULL when it is of no texture, or the sizes differ, or when memory is short.
 */
const char *diff_texture_text(const struct diff_difference *difference,
                              const struct diff_version *old, const struct diff_version *new,
                              struct cook_arena *arena);
/*
 * Write DIR/NAME.png of each changed mip: the old picture, the new one, and the errors as a heat map (black
 * to white), side by side; their paths are added to `paths`. COOK_E_IO, COOK_E_NO_SPACE, COOK_E_NO_MEMORY.
 */
enum cook_status diff_texture_write(struct cook_intern *paths, const char *folder, const char *package,
                                    const struct diff_result *result,
                                    const struct diff_version *old,
                                    const struct diff_version *new,
                                    struct cook_error *error) COOK_CHECK_RESULT;

#endif
