/*
 * GameDefaults: a plain data class. No hooks: the table alone loads it, saves it, finds its
 * references and makes its schema. Add, remove or retype a row and its packages are recooked.
 */
#include "arena.h"

struct game_defaults {
    struct cook_object object; /* always first */
    struct cook_ref player;
    struct cook_ref intro;
    struct cook_soft_ref first_map;
    struct cook_array shaders; /* of struct cook_ref */
    struct cook_map loot;      /* rarity to struct cook_ref */
    uint32_t start_gold;
};

static const struct cook_property properties[] = {
    COOK_PROPERTY(struct game_defaults, player, "Player", COOK_PROPERTY_REF),
    COOK_PROPERTY(struct game_defaults, intro, "Intro", COOK_PROPERTY_REF),
    COOK_PROPERTY(struct game_defaults, first_map, "FirstMap", COOK_PROPERTY_SOFT_REF),
    COOK_PROPERTY_ARRAY_OF(struct game_defaults, shaders, "Shaders", COOK_PROPERTY_REF, NULL),
    COOK_PROPERTY_MAP_OF(struct game_defaults, loot, "Loot", COOK_PROPERTY_REF, NULL),
    COOK_PROPERTY(struct game_defaults, start_gold, "StartGold", COOK_PROPERTY_U32),
    COOK_PROPERTY_END,
};

static const struct cook_class game_defaults_class = {
    .name = "GameDefaults",
    .size = sizeof(struct game_defaults),
    .properties = properties,
};

void arena_register_game_defaults(struct cook_registrar *registrar)
{
    cook_register_class(registrar, &game_defaults_class);
}
