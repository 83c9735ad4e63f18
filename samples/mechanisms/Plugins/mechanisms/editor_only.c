/*
 * What is for authors alone, in three sizes: a property (COOK_PROPERTY_EDITOR_ONLY; its
 * references are no edges, so that a concept sketch is not shipped), an object ("flags":
 * ["EditorOnly"] in the asset: it and all inside it is never saved, see the object Ruler in
 * Content/Show/Editor.asset), and a soft reference that the game may follow if it finds the
 * target, but that does not ask for it (COOK_PROPERTY_TRUE_SOFT). Without them the cook grows
 * by whatever the authors refer to.
 */
#include "mechanisms.h"

struct scene {
    struct exhibit exhibit;
    struct cook_ref sketch;
    struct cook_soft_ref bonus;
};

static const struct cook_property properties[] = {
    COOK_PROPERTY_FLAGGED(struct scene, sketch, "Sketch", COOK_PROPERTY_REF,
                          COOK_PROPERTY_EDITOR_ONLY),
    COOK_PROPERTY_FLAGGED(struct scene, bonus, "Bonus", COOK_PROPERTY_SOFT_REF,
                          COOK_PROPERTY_TRUE_SOFT),
    COOK_PROPERTY_END,
};

static const struct cook_class scene_class = {
    .name = "Scene",
    .parent = EXHIBIT_CLASS,
    .size = sizeof(struct scene),
    .properties = properties,
};

void mechanisms_register_editor_only(struct cook_registrar *registrar)
{
    cook_register_class(registrar, &scene_class);
}
