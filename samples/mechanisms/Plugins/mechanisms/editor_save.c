/*
 * The editor's save: what a class knows about its asset before any cook. `cook resave PACKAGE`
 * asks for it, and writes it into the asset ("registry"), with the references of its
 * properties. From there it is known while planning: nothing is a surprise, nothing is loaded
 * to find out. Without it the first cook finds the same, later, by cooking the package. `cook
 * resave --all --check` tells what is not up to date.
 */
#include "mechanisms.h"

static enum cook_status on_cook_event(struct cook_context *context, void *object,
                                      enum cook_event event)
{
    (void)object;
    if (event != COOK_EVENT_EDITOR_SAVE)
        return COOK_OK;
    cook_add_runtime_dependency(context, "/Game/Parts/Companion", false);
    cook_depend_package_whole(context, "/Game/Parts/Bear");
    return COOK_OK;
}

static const struct cook_class encounter_class = {
    .name = "Encounter",
    .parent = EXHIBIT_CLASS,
    .size = sizeof(struct exhibit),
    .on_cook_event = on_cook_event,
};

void mechanisms_register_editor_save(struct cook_registrar *registrar)
{
    cook_register_class(registrar, &encounter_class);
}
