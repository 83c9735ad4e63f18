/* The entry point: names the module and registers everything. */
#include "mechanisms.h"

COOK_PLUGIN_VERSION

COOK_PLUGIN_EXPORT enum cook_status cook_plugin_main(struct cook_registrar *registrar);

enum cook_status cook_plugin_main(struct cook_registrar *registrar)
{
    cook_register_module(registrar, "Mechanisms"); /* classes are /Script/Mechanisms.<Name> */
    mechanisms_register_exhibit(registrar);
    mechanisms_register_creature(registrar);
    mechanisms_register_read_settings(registrar);
    mechanisms_register_read_files(registrar);
    mechanisms_register_read_registry(registrar);
    mechanisms_register_read_packages(registrar);
    mechanisms_register_scopes(registrar);
    mechanisms_register_declare(registrar);
    mechanisms_register_editor_save(registrar);
    mechanisms_register_schema(registrar);
    mechanisms_register_runtime_references(registrar);
    mechanisms_register_configurations(registrar);
    mechanisms_register_editor_only(registrar);
    mechanisms_register_additional_files(registrar);
    mechanisms_register_transform(registrar);
    mechanisms_register_helper(registrar);
    mechanisms_register_note_reader(registrar);
    mechanisms_register_bestiary(registrar);
    return COOK_OK;
}
