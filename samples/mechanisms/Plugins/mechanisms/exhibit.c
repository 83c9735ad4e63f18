/*
 * Exhibit: the parent of the other classes, and the least that a class needs. Its source is a
 * build dependency by itself: an edited asset is cooked again without a word from the class.
 *
 * `about` is an editor-only property: loaded, so that tools and hooks can read it, but never
 * saved. Without the flag the players would download the notes of the authors.
 */
#include "mechanisms.h"

#include <stdarg.h>
#include <stdio.h>

#define MAX_TEXT 1024

static const struct cook_property properties[] = {
    COOK_PROPERTY_FLAGGED(struct exhibit, about, "About", COOK_PROPERTY_STRING,
                          COOK_PROPERTY_EDITOR_ONLY),
    COOK_PROPERTY_END,
};

enum cook_status exhibit_show(struct cook_context *context, struct exhibit *self,
                              const char *format, ...)
{
    char text[MAX_TEXT];
    va_list arguments;

    va_start(arguments, format);
    (void)vsnprintf(text, sizeof(text), format, arguments);
    va_end(arguments);
    self->value = cook_make_string(context, text); /* package memory: nobody frees it */
    return self->value.data || text[0] == '\0' ? COOK_OK : COOK_E_NO_MEMORY;
}

enum cook_status exhibit_show_list(struct cook_context *context, struct exhibit *self,
                                   const struct cook_array *texts)
{
    const struct cook_string *items = texts->items;
    char text[MAX_TEXT] = "";
    size_t size = 0;

    for (uint32_t i = 0; i < texts->count; i++) {
        int more =
            snprintf(text + size, sizeof(text) - size, "%s%s", i ? " " : "", items[i].data);

        if (more < 0 || (size_t)more >= sizeof(text) - size)
            break; /* cut: enough for a sample */
        size += (size_t)more;
    }
    return exhibit_show(context, self, "%s", text);
}

/* Called for the parent first, then for the child's own serialize, if it has one. */
static void serialize(struct cook_archive *archive, void *object)
{
    struct exhibit *self = object;

    if (cook_archive_phase(archive) != COOK_PHASE_LOAD) /* derived: not in the source */
        cook_field_string(archive, "Value", &self->value);
}

static const struct cook_class exhibit_class = {
    .name = "Exhibit",
    .size = sizeof(struct exhibit),
    .properties = properties,
    .serialize = serialize,
};

void mechanisms_register_exhibit(struct cook_registrar *registrar)
{
    cook_register_class(registrar, &exhibit_class);
}
