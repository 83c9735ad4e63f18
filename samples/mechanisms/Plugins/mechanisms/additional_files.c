/*
 * Additional files: for middleware that wants files of its own beside the package. They are
 * kept, compared, staged and deleted with it. Written with fopen() they would be missing from a
 * skipped package's result, left behind by a deleted one, and never compared.
 */
#include "mechanisms.h"

static enum cook_status pre_save(struct cook_context *context, void *object)
{
    static const char bytes[] = "a bank for the sound engine\n";

    (void)object;
    return cook_write_additional_file(context, "bank.bnk", bytes, sizeof(bytes) - 1);
}

static const struct cook_class sound_bank_class = {
    .name = "SoundBank",
    .parent = EXHIBIT_CLASS,
    .size = sizeof(struct exhibit),
    .pre_save = pre_save,
};

void mechanisms_register_additional_files(struct cook_registrar *registrar)
{
    cook_register_class(registrar, &sound_bank_class);
}
