/* Loading class plugins into a worker. */
#ifndef COOK_WORKER_PLUGINS_H
#define COOK_WORKER_PLUGINS_H

#include "cook/worker/session.h"

/*
 * Load a plugin (never unloaded) and let it register. `path` is the copy to load, `name` is for
 * messages. COOK_E_CONFIG with the reason: not loadable, no entry point, another SDK version.
 */
enum cook_status cook_plugin_load(struct cook_session *session, const char *path, const char *name,
                                  struct cook_error *error) COOK_CHECK_RESULT;

#endif
