/*
 * The entry point of a plugin.
 *
 *     COOK_PLUGIN_EXPORT enum cook_status cook_plugin_main(struct cook_registrar *registrar)
 *     {
 *         cook_register_module(registrar, "Arena");
 *         cook_register_class(registrar, &weapon_class);
 *         return COOK_OK;
 *     }
 *
 * Build it with cook_add_plugin(NAME SOURCES…) of the CMake package `Cookproof`, which sets what
 * callstacks need (debug information, a build id, no tail calls).
 */
#ifndef COOK_PLUGIN_H
#define COOK_PLUGIN_H

#include <cook/artifact.h>
#include <cook/class.h>
#include <cook/reader.h>

#ifdef __cplusplus
extern "C" {
#define COOK_PLUGIN_EXPORT extern "C" __attribute__((visibility("default")))
#else
#define COOK_PLUGIN_EXPORT __attribute__((visibility("default")))
#endif

/* The SDK's binary interface; a plugin built against another number is refused. */
#define COOK_SDK_VERSION 2u
/* Put once in one source file of the plugin. */
#define COOK_PLUGIN_VERSION                                                                       \
    COOK_PLUGIN_EXPORT const unsigned cook_plugin_sdk_version;                                    \
    const unsigned cook_plugin_sdk_version = COOK_SDK_VERSION;

struct cook_registrar;

/* Name the module of the classes registered after this call: /Script/<Module>.<Class>. */
void cook_register_module(struct cook_registrar *registrar, const char *module);
/*
 * Register one thing. What is passed is kept by pointer and must live as long as the process.
 * Faults (no name, a name taken already, an unknown parent, a struct smaller than its parent's, a
 * property outside the struct) are collected and fail the load of the plugin with a message.
 * Parents, structs and enums may be registered in any order.
 */
void cook_register_class(struct cook_registrar *registrar, const struct cook_class *description);
void cook_register_struct(struct cook_registrar *registrar, const struct cook_struct *description);
void cook_register_enum(struct cook_registrar *registrar, const struct cook_enum *description);
void cook_register_reader(struct cook_registrar *registrar, const struct cook_reader *description);
void cook_register_artifact(struct cook_registrar *registrar,
                            const struct cook_artifact *description);

/*
 * A function dependency: something that only code can look at, for example a compiler's version. It
 * adds what it sees to `schema`, and must depend on nothing but its arguments and what it looks at.
 * A package uses it with cook_depend_function(). It reads by itself (relative paths begin at the
 * project), without a context; input checks (--lint-inputs) report such reads, and a section in
 * Config/InputExceptions.ini says that they are meant to be. Evaluated at every cook: be quick.
 */
struct cook_function {
    const char *name;             /* unique over all plugins; bump it when the meaning changes */
    const char *arguments_struct; /* a registered struct, by whose properties arguments are kept;
                                   * NULL for none */
    void (*evaluate)(struct cook_schema *schema, const void *arguments);
};
void cook_register_function(struct cook_registrar *registrar,
                            const struct cook_function *description);

typedef enum cook_status (*cook_plugin_main_function)(struct cook_registrar *registrar);

#ifdef __cplusplus
}
#endif

#endif
