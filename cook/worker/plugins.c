#include "cook/worker/plugins.h"

#include <dlfcn.h>
#include <string.h>

enum cook_status cook_plugin_load(struct cook_session *session, const char *path, const char *name,
                                  struct cook_error *error)
{
    void *handle = dlopen(path, RTLD_NOW | RTLD_LOCAL);
    if (!handle) {
        const char *reason = dlerror();
        return cook_error_set(error, COOK_E_CONFIG, "plugin %s does not load: %s", name,
                              reason ? reason : "unknown reason");
    }
    /* So that a crash in the plugin is reported by name, also one while it registers. */
    enum cook_status status = cook_crash_refresh_modules(error);
    if (status != COOK_OK)
        return status;
    const unsigned *version = dlsym(handle, "cook_plugin_sdk_version");
    if (!version || *version != COOK_SDK_VERSION)
        return cook_error_set(error, COOK_E_CONFIG,
                              "plugin %s was built for SDK version %u, this is version %u: rebuild it",
                              name, version ? *version : 0, COOK_SDK_VERSION);
    cook_plugin_main_function entry;
    void *symbol = dlsym(handle, "cook_plugin_main");
    if (!symbol)
        return cook_error_set(error, COOK_E_CONFIG, "plugin %s exports no cook_plugin_main", name);
    memcpy(&entry, &symbol, sizeof(entry)); /* ISO C has no cast from data to function pointer */
    session->types.module = NULL;
    session->types.project = true;
    status = entry(&session->types);
    if (session->types.error.status != COOK_OK)
        return cook_error_set(error, COOK_E_CONFIG, "plugin %s: %s", name,
                              session->types.error.message);
    if (status != COOK_OK)
        return cook_error_set(error, COOK_E_CONFIG, "plugin %s: its cook_plugin_main failed: %s",
                              name, cook_status_text(status));
    return COOK_OK;
}
