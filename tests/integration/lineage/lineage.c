/*
 * One class in several builds: inputs read behind the SDK's back or through it, a constant that is
 * changed with or without a version.
 *
 *     DECLARED  1: the file and the variable are read through the context
 *     NUMBER    what the code writes
 *     VERSION   of the class
 *     LEVEL     the file
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cook/cook.h>

#ifndef LEVEL
#define LEVEL "level.txt"
#endif

struct item {
    struct cook_object object;
    int32_t kind; /* 0: nothing, 1: file, 2: variable, 3: number, 4: two files together */
};

static const struct cook_property item_properties[] = {
    COOK_PROPERTY(struct item, kind, "Kind", COOK_PROPERTY_I32),
    COOK_PROPERTY_END,
};

static uint32_t read_level(struct cook_context *context, const char *path)
{
    char text[16] = "";
#if DECLARED
    struct cook_bytes bytes;
    if (cook_read_file(context, path, &bytes) == COOK_OK)
        (void)snprintf(text, sizeof(text), "%.*s", (int)bytes.size, (const char *)bytes.data);
#else
    (void)context;
    FILE *file = fopen(path, "r"); /* the fault: no dependency knows of it */
    if (file) {
        if (!fgets(text, sizeof(text), file))
            text[0] = '\0';
        fclose(file);
    }
#endif
    return (uint32_t)strtoul(text, NULL, 10);
}

/* What one of them alone does not change. */
static uint32_t read_both(struct cook_context *context)
{
    uint32_t level = read_level(context, LEVEL);
    uint32_t other = read_level(context, "other.txt");
    return level == 7 && other == 7;
}

static uint32_t read_mood(struct cook_context *context)
{
#if DECLARED
    const char *mood = cook_environment(context, "MOOD");
#else
    (void)context;
    const char *mood = getenv("MOOD"); /* the fault */
#endif
    return mood ? (uint32_t)strtoul(mood, NULL, 10) : 0;
}

static void item_serialize(struct cook_archive *archive, void *object)
{
    struct item *self = object;
    struct cook_context *context = cook_archive_context(archive);
    if (cook_archive_phase(archive) == COOK_PHASE_LOAD)
        return;
    uint32_t level = self->kind == 1   ? read_level(context, LEVEL)
                     : self->kind == 4 ? read_both(context)
                                       : 0;
    uint32_t mood = self->kind == 2 ? read_mood(context) : 0;
    uint32_t number = self->kind == 3 ? NUMBER : 0;
    cook_field_u32(archive, "Level", &level);
    cook_field_u32(archive, "Mood", &mood);
    cook_field_u32(archive, "Number", &number);
}

static void item_append(struct cook_schema *schema)
{
    cook_schema_add_version(schema, "lineage.item", VERSION);
}

static const struct cook_class item_class = {
    .name = "Item",
    .size = sizeof(struct item),
    .properties = item_properties,
    .serialize = item_serialize,
    .append_to_class_schema = item_append,
};

COOK_PLUGIN_VERSION

COOK_PLUGIN_EXPORT enum cook_status cook_plugin_main(struct cook_registrar *registrar);

enum cook_status cook_plugin_main(struct cook_registrar *registrar)
{
    cook_register_module(registrar, "Lineage");
    cook_register_class(registrar, &item_class);
    return COOK_OK;
}
