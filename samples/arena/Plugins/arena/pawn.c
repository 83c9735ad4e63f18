/*
 * Pawn and Character: a chain of classes. The child's C struct starts with the parent's; its
 * table lists its own properties only; hooks of the same kind run parent first.
 */
#include "arena.h"

#include <stdio.h>

struct pawn {
    struct cook_object object;
    uint32_t health;
    float speed_mps; /* metres a second */
    struct cook_name brain;
    struct cook_ref mesh;
};

struct character_stats {
    uint8_t strength, agility, luck;
};

struct character {
    struct pawn pawn;
    struct cook_string display_name;
    struct cook_array inventory; /* of struct cook_ref to weapons */
    struct character_stats stats;
};

static const struct cook_property pawn_properties[] = {
    COOK_PROPERTY(struct pawn, health, "Health", COOK_PROPERTY_U32),
    COOK_PROPERTY(struct pawn, speed_mps, "Speed", COOK_PROPERTY_F32),
    COOK_PROPERTY(struct pawn, brain, "Brain", COOK_PROPERTY_NAME),
    COOK_PROPERTY(struct pawn, mesh, "Mesh", COOK_PROPERTY_REF),
    COOK_PROPERTY_END,
};

static void pawn_construct(void *object)
{
    struct pawn *self = object;

    self->health = 100;
    self->speed_mps = 4.0f;
}

/*
 * The game finds a pawn's brain by its name, so no property refers to that package and the cook
 * cannot see that it is needed. Say so here; soft, because the game loads it when it spawns.
 */
static enum cook_status pawn_on_cook_event(struct cook_context *context, void *object,
                                           enum cook_event event)
{
    const struct pawn *self = object;
    char package[128];

    if (event != COOK_EVENT_SAVE || !self->brain.text)
        return COOK_OK;
    if (snprintf(package, sizeof(package), "/Game/AI/Brain_%s", self->brain.text) >=
        (int)sizeof(package)) {
        cook_log(context, COOK_SEVERITY_ERROR, "the name of brain '%s' is too long",
                 self->brain.text);
        return COOK_E_INVALID;
    }
    cook_add_runtime_dependency(context, package, false);
    return COOK_OK;
}

static const struct cook_class pawn_class = {
    .name = "Pawn",
    .size = sizeof(struct pawn),
    .properties = pawn_properties,
    .construct = pawn_construct,
    .on_cook_event = pawn_on_cook_event,
};

static const struct cook_property stats_properties[] = {
    COOK_PROPERTY(struct character_stats, strength, "Strength", COOK_PROPERTY_U8),
    COOK_PROPERTY(struct character_stats, agility, "Agility", COOK_PROPERTY_U8),
    COOK_PROPERTY(struct character_stats, luck, "Luck", COOK_PROPERTY_U8),
    COOK_PROPERTY_END,
};
static const struct cook_struct character_stats_struct = {
    .name = "CharacterStats",
    .size = sizeof(struct character_stats),
    .properties = stats_properties,
};

static const struct cook_property character_properties[] = {
    COOK_PROPERTY(struct character, display_name, "DisplayName", COOK_PROPERTY_STRING),
    COOK_PROPERTY_ARRAY_OF(struct character, inventory, "Inventory", COOK_PROPERTY_REF, NULL),
    COOK_PROPERTY_TYPED(struct character, stats, "Stats", COOK_PROPERTY_STRUCT,
                        "CharacterStats"),
    COOK_PROPERTY_END,
};

/* Fix up what older files lack. Every package that looks at a character sees the fixed object.
 */
static enum cook_status character_post_load(struct cook_context *context, void *object)
{
    struct character *self = object;

    if (self->display_name.size == 0) {
        self->display_name = cook_make_string(context, cook_object_name(object));
        cook_log(context, COOK_SEVERITY_WARNING, "character '%s' has no display name",
                 cook_object_name(object));
    }
    return COOK_OK;
}

static const struct cook_class character_class = {
    .name = "Character",
    .parent = "/Script/Arena.Pawn",
    .size = sizeof(struct character),
    .properties = character_properties,
    .post_load = character_post_load,
};

void arena_register_pawns(struct cook_registrar *registrar)
{
    cook_register_struct(registrar, &character_stats_struct);
    cook_register_class(registrar, &pawn_class);
    cook_register_class(registrar, &character_class);
}
