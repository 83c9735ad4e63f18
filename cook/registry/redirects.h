/*
 * Redirects: what a path that moved means now. From config, "[Redirects] +Redirect=OLD -> NEW", where
 * OLD and NEW are object paths, or package names (then every object of the package moves along); and
 * from redirector objects (class /Script/Cook.ObjectRedirector) left behind in their old place.
 * Immutable once made; safe on any thread.
 */
#ifndef COOK_REGISTRY_REDIRECTS_H
#define COOK_REGISTRY_REDIRECTS_H

#include "cook/config/config.h"

#define COOK_REDIRECTOR_CLASS "/Script/Cook.ObjectRedirector"
#define COOK_REDIRECT_TAG "RedirectTarget:" /* followed by the redirector's inner path */
#define COOK_REDIRECT_LIMIT 16 /* in a row; a longer chain, or a ring, stops there */

struct cook_redirects;

/* COOK_E_CONFIG with "file:line: reason" for a malformed entry, COOK_E_NO_MEMORY. */
enum cook_status cook_redirects_create(struct cook_redirects **out,
                                       const struct cook_config *config,
                                       struct cook_error *error) COOK_CHECK_RESULT;
void cook_redirects_destroy(struct cook_redirects *redirects); /* NULL allowed */
/* Where config sends `path`, in `arena`; `path` itself where nothing does (also for NULL). */
const char *cook_redirects_apply(const struct cook_redirects *redirects, const char *path,
                                 struct cook_arena *arena);
/* Of all entries: unchanged hash, unchanged redirects. */
struct cook_hash cook_redirects_hash(const struct cook_config *config);

#endif
