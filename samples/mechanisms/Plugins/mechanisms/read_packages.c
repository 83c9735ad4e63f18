/*
 * Other packages. A reference alone makes the target part of the cook, but depends only on
 * whether it is there: the runtime loads it. Who bakes something of the target into its own
 * bytes dereferences it, and so depends on what shaped the loaded object: its load set.
 */
#include "mechanisms.h"

struct owner {
    struct exhibit exhibit;
    struct cook_ref pet; /* a Creature */
};

static const struct cook_property properties[] = {
    COOK_PROPERTY(struct owner, pet, "Pet", COOK_PROPERTY_REF),
    COOK_PROPERTY_END,
};

/* Keeps a reference and looks at nothing: an edited pet does not cook its keeper. */
static const struct cook_class keeper_class = {
    .name = "Keeper",
    .parent = EXHIBIT_CLASS,
    .size = sizeof(struct owner),
    .properties = properties,
};

static enum cook_status trainer_pre_save(struct cook_context *context, void *object)
{
    struct owner *self = object;
    const struct creature *pet = cook_dereference_as(context, self->pet, CREATURE_CLASS);

    if (!pet) /* null, missing, or something else: the latter two are logged already */
        return exhibit_show(context, &self->exhibit, "no pet");
    return exhibit_show(context, &self->exhibit, "%s %lld", cook_object_package(pet),
                        (long long)pet->power);
}

static const struct cook_class trainer_class = {
    .name = "Trainer",
    .parent = "/Script/Mechanisms.Keeper",
    .size = sizeof(struct owner),
    .pre_save = trainer_pre_save,
};

/*
 * The whole key of a package: also what its own save read. For who uses the cooked result of
 * the other package, like a screenshot of it. It costs: whatever cooks the pet cooks its
 * portrait.
 */
static enum cook_status portrait_on_cook_event(struct cook_context *context, void *object,
                                               enum cook_event event)
{
    (void)object;
    if (event == COOK_EVENT_SAVE)
        cook_depend_package_whole(context, "/Game/Parts/Bear");
    return COOK_OK;
}

static const struct cook_class portrait_class = {
    .name = "Portrait",
    .parent = EXHIBIT_CLASS,
    .size = sizeof(struct exhibit),
    .on_cook_event = portrait_on_cook_event,
};

void mechanisms_register_read_packages(struct cook_registrar *registrar)
{
    cook_register_class(registrar, &keeper_class);
    cook_register_class(registrar, &trainer_class);
    cook_register_class(registrar, &portrait_class);
}
