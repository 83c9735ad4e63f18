/* The probe, and the entry point. */
#include <string.h>

#include "kinds.h"

static const struct cook_property probe_properties[] = {
    { "Load", COOK_PROPERTY_ARRAY, (uint32_t)offsetof(struct kinds_probe, load),
      COOK_PROPERTY_EDITOR_ONLY, NULL, COOK_PROPERTY_STRING },
    { "Save", COOK_PROPERTY_ARRAY, (uint32_t)offsetof(struct kinds_probe, save),
      COOK_PROPERTY_EDITOR_ONLY, NULL, COOK_PROPERTY_STRING },
    { "Event", COOK_PROPERTY_ARRAY, (uint32_t)offsetof(struct kinds_probe, event),
      COOK_PROPERTY_EDITOR_ONLY, NULL, COOK_PROPERTY_STRING },
    { "Editor", COOK_PROPERTY_ARRAY, (uint32_t)offsetof(struct kinds_probe, editor),
      COOK_PROPERTY_EDITOR_ONLY, NULL, COOK_PROPERTY_STRING },
    COOK_PROPERTY_ARRAY_OF(struct kinds_probe, links, "Links", COOK_PROPERTY_REF, NULL),
    COOK_PROPERTY_ARRAY_OF(struct kinds_probe, softs, "Softs", COOK_PROPERTY_SOFT_REF, NULL),
    COOK_PROPERTY_END,
};

static enum cook_status probe_post_load(struct cook_context *context, void *object)
{
    struct kinds_probe *self = object;
    return kinds_follow(context, &self->load, &self->loaded);
}

static enum cook_status probe_pre_save(struct cook_context *context, void *object)
{
    struct kinds_probe *self = object;
    return kinds_follow(context, &self->save, &self->saved);
}

static enum cook_status probe_on_cook_event(struct cook_context *context, void *object,
                                            enum cook_event event)
{
    struct kinds_probe *self = object;
    struct cook_string ignored;
    return kinds_follow(context, event == COOK_EVENT_SAVE ? &self->event : &self->editor, &ignored);
}

static void probe_serialize(struct cook_archive *archive, void *object)
{
    struct kinds_probe *self = object;
    if (cook_archive_phase(archive) == COOK_PHASE_LOAD)
        return;
    cook_field_string(archive, "Loaded", &self->loaded);
    cook_field_string(archive, "Saved", &self->saved);
    if (self->saved.data && strstr(self->saved.data, "leak")) { /* a fault: it is for the editor only */
        struct cook_string *notes = self->event.items;
        uint32_t count = self->event.count;
        cook_field_array(archive, "Event", &count);
        for (uint32_t i = 0; i < count; i++) {
            cook_field_element(archive, i);
            cook_field_string(archive, NULL, &notes[i]);
        }
        cook_field_array_end(archive);
    }
}

static const struct cook_class probe_class = {
    .name = "Probe",
    .size = sizeof(struct kinds_probe),
    .properties = probe_properties,
    .post_load = probe_post_load,
    .pre_save = probe_pre_save,
    .serialize = probe_serialize,
    .on_cook_event = probe_on_cook_event,
};

COOK_PLUGIN_VERSION

COOK_PLUGIN_EXPORT enum cook_status cook_plugin_main(struct cook_registrar *registrar);

enum cook_status cook_plugin_main(struct cook_registrar *registrar)
{
    cook_register_module(registrar, "Kinds");
    cook_register_class(registrar, &probe_class);
    kinds_register_functions(registrar);
    kinds_register_schemas(registrar);
    return COOK_OK;
}
