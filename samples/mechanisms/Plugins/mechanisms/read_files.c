/*
 * Files: a file, one that may be absent, and the names in a folder. Read with fopen() or
 * opendir() they would not be known, and an edited table would not reach the game.
 */
#include "mechanisms.h"

/* The content counts, not the time of change: a touched file recooks nothing. */
static enum cook_status read_file(struct cook_context *context, void *object)
{
    struct cook_bytes bytes;
    enum cook_status status = cook_read_file(context, "Data/table.txt", &bytes);

    if (status != COOK_OK)
        return status; /* it must be there: the package fails until it is */
    return exhibit_show(context, object, "table %s", (const char *)bytes.data);
}

/* Absence is recorded: when somebody adds the file, this package is cooked again. */
static enum cook_status read_optional_file(struct cook_context *context, void *object)
{
    struct cook_bytes bytes;
    enum cook_status status = cook_read_file(context, "Data/override.txt", &bytes);

    if (status == COOK_E_NOT_FOUND)
        return exhibit_show(context, object, "not overridden");
    if (status != COOK_OK)
        return status;
    return exhibit_show(context, object, "overridden by %s", (const char *)bytes.data);
}

/* Names only: a new, vanished or renamed file counts, an edited one does not. */
static enum cook_status read_folder(struct cook_context *context, void *object)
{
    struct cook_array names;
    enum cook_status status = cook_list_folder(context, "Data/Banks", &names);

    return status == COOK_OK ? exhibit_show_list(context, object, &names) : status;
}

static const struct cook_class classes[] = {
    { .name = "FileReader",
      .parent = EXHIBIT_CLASS,
      .size = sizeof(struct exhibit),
      .pre_save = read_file },
    { .name = "OptionalFileReader",
      .parent = EXHIBIT_CLASS,
      .size = sizeof(struct exhibit),
      .pre_save = read_optional_file },
    { .name = "FolderReader",
      .parent = EXHIBIT_CLASS,
      .size = sizeof(struct exhibit),
      .pre_save = read_folder },
};

void mechanisms_register_read_files(struct cook_registrar *registrar)
{
    for (size_t i = 0; i < sizeof(classes) / sizeof(classes[0]); i++)
        cook_register_class(registrar, &classes[i]);
}
