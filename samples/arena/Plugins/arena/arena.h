/*
 * The classes of the Arena sample, from simple to advanced. Each source file shows one or two
 * mechanisms of the SDK and says which; read them in this order:
 *
 *   game_defaults.c     a plain data class: a struct, a table, a registration
 *   weapon.c            enum, embedded struct, native fields in `serialize`, a version
 *   pawn.c              a chain of classes, post_load, runtime dependencies by name
 *   loot_table.c        a map; a file read through the context
 *   wave_spawner.c      other packages dereferenced, config, an array in `serialize`
 *   nav_grid.c          an asynchronous transform, bulk data, determinism_helper
 *   patrol_route.c      a reader for a source format of one's own
 *   dialogue_graph.cpp  a class in C++
 */
#ifndef ARENA_H
#define ARENA_H

#include <cook/cook.h>

#ifdef __cplusplus
extern "C" {
#endif

struct arena_damage_range {
    float min, max;
};

enum arena_weapon_kind {
    ARENA_WEAPON_NONE = 0,
    ARENA_WEAPON_BLADE,
    ARENA_WEAPON_BOW,
    ARENA_WEAPON_STAFF,
};

/* Here because wave_spawner.c looks into weapons. */
struct arena_weapon {
    struct cook_object object;
    int32_t kind; /* enum arena_weapon_kind */
    struct arena_damage_range damage;
    float rate_hz;     /* strikes a second */
    float crit_chance; /* 0 to 1 */
    float crit_multiplier;
    struct cook_array tags; /* of struct cook_name */
    struct cook_ref mesh;
    struct cook_soft_ref icon;
    struct cook_array upgrades; /* of struct cook_soft_ref */
    struct cook_string designer_notes;
    uint16_t *combo_ms; /* native: pauses between the strikes of a combo */
    uint32_t combo_count;
};

/* Each registers what its file holds; called by plugin.c. */
void arena_register_game_defaults(struct cook_registrar *registrar);
void arena_register_weapon(struct cook_registrar *registrar);
void arena_register_pawns(struct cook_registrar *registrar);
void arena_register_loot_table(struct cook_registrar *registrar);
void arena_register_wave_spawner(struct cook_registrar *registrar);
void arena_register_nav_grid(struct cook_registrar *registrar);
void arena_register_patrol_route(struct cook_registrar *registrar);
void arena_register_dialogue_graph(struct cook_registrar *registrar);

#ifdef __cplusplus
}
#endif

#endif
