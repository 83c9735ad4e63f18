/* Textures that differ, written as pictures for people to look at. */
#include "diffcook/texture.h"
#include "validate/report.h"

enum cook_status validate_write_pictures(struct validate *validate, const char *folder,
                                         struct cook_error *error)
{
    const struct cook_state *state = validate->run->state;
    enum cook_status status = COOK_OK;
    for (size_t i = 0; status == COOK_OK && i < validate->finding_count; i++) {
        struct validate_finding *finding = validate->findings[i];
        if (!finding->explained || finding->diff.by_offset)
            continue;
        struct diff_version old = { .bytes = finding->old_bytes,
                                    .size = finding->kept.result.size_bytes,
                                    .tokens = &finding->old_tokens };
        struct diff_version new = { .bytes = finding->new_bytes,
                                    .size = finding->new_size,
                                    .tokens = &finding->new_tokens };
        status =
            diff_texture_write(&finding->pictures, folder,
                               cook_state_text(state, state->packages[finding->package].name),
                               &finding->diff, &old, &new, error);
    }
    return status;
}
