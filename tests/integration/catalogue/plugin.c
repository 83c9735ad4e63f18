#include "catalogue.h"

uint64_t catalogue_hash(const char *text)
{
    uint64_t hash = 5381;
    for (; text && *text; text++)
        hash = hash * 33 + (unsigned char)*text;
    return hash;
}

COOK_PLUGIN_VERSION

COOK_PLUGIN_EXPORT enum cook_status cook_plugin_main(struct cook_registrar *registrar);

enum cook_status cook_plugin_main(struct cook_registrar *registrar)
{
    cook_register_module(registrar, "Catalogue");
    catalogue_register_inputs(registrar);
    catalogue_register_machine(registrar);
    catalogue_register_state(registrar);
    catalogue_register_code(registrar);
    catalogue_register_noise(registrar);
    return COOK_OK;
}
