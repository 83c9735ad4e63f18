/* The entry point: names the module and registers everything. */
#include "arena.h"

COOK_PLUGIN_VERSION

COOK_PLUGIN_EXPORT enum cook_status cook_plugin_main(struct cook_registrar *registrar);

enum cook_status cook_plugin_main(struct cook_registrar *registrar)
{
    cook_register_module(registrar, "Arena"); /* classes are /Script/Arena.<Name> */
    arena_register_game_defaults(registrar);
    arena_register_weapon(registrar);
    arena_register_pawns(registrar);
    arena_register_loot_table(registrar);
    arena_register_wave_spawner(registrar);
    arena_register_nav_grid(registrar);
    arena_register_patrol_route(registrar);
    arena_register_dialogue_graph(registrar);
    return COOK_OK;
}
