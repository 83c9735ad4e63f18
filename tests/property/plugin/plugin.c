/* The entry point. */
#include "prop.h"

/* The same code with another tag is another build: another build id, and nothing else. */
#ifdef BUILD_TAG
__attribute__((used, section("prop_build"))) static const char build_tag[] = BUILD_TAG;
#endif

COOK_PLUGIN_VERSION

COOK_PLUGIN_EXPORT enum cook_status cook_plugin_main(struct cook_registrar *registrar);

enum cook_status cook_plugin_main(struct cook_registrar *registrar)
{
    cook_register_module(registrar, "Prop");
    prop_register_nodes(registrar);
    prop_register_links(registrar);
    prop_register_reads(registrar);
    prop_register_scout(registrar);
    prop_register_note(registrar);
    prop_register_saves(registrar);
    prop_register_words(registrar);
    prop_register_stray(registrar);
    return COOK_OK;
}
