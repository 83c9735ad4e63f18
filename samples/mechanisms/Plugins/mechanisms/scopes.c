/*
 * Scopes: what a read or a load is for. cook_enter_scope() gives a second context; what is done
 * through the first one is taken as before.
 */
#include "mechanisms.h"

/*
 * Unrecorded: a read that cannot shape the result, here how much to say. Recorded, each change
 * of it would cook the package for nothing. Used for what does shape the result it hides a
 * false skip; it is noted all the same, and named first when one is found.
 */
static enum cook_status quiet_pre_save(struct cook_context *context, void *object)
{
    struct cook_context *aside = cook_enter_scope(context, COOK_SCOPE_UNRECORDED);

    if (cook_config_flag(aside, "Mechanisms", "Chatty", false))
        cook_log(context, COOK_SEVERITY_INFO, "nothing happens here");
    return exhibit_show(context, object, "quiet");
}

static enum cook_status load(struct cook_context *context, enum cook_scope scope,
                             const char *path, struct exhibit *self)
{
    struct cook_context *through = cook_enter_scope(context, scope);
    const struct creature *found =
        cook_dereference_as(through, cook_make_ref(context, path), CREATURE_CLASS);

    return exhibit_show(context, self, "%lld", found ? (long long)found->power : 0);
}

/*
 * Both load a package by a name that stands in no property, so that the registry does not know
 * of it: an unexpected load. Without a scope it is added to the cook, with a warning. Build
 * only: a template that is baked in and not needed any more. It is a dependency, but is not
 * cooked.
 */
static enum cook_status build_only_pre_save(struct cook_context *context, void *object)
{
    return load(context, COOK_SCOPE_BUILD_ONLY, "/Game/Parts/Template", object);
}

/* Runtime: the game will ask for it, so it becomes a soft reference of this package. */
static enum cook_status runtime_pre_save(struct cook_context *context, void *object)
{
    return load(context, COOK_SCOPE_RUNTIME, "/Game/Parts/Spare", object);
}

static const struct cook_class classes[] = {
    { .name = "QuietReader",
      .parent = EXHIBIT_CLASS,
      .size = sizeof(struct exhibit),
      .pre_save = quiet_pre_save },
    { .name = "BuildOnlyLoader",
      .parent = EXHIBIT_CLASS,
      .size = sizeof(struct exhibit),
      .pre_save = build_only_pre_save },
    { .name = "RuntimeLoader",
      .parent = EXHIBIT_CLASS,
      .size = sizeof(struct exhibit),
      .pre_save = runtime_pre_save },
};

void mechanisms_register_scopes(struct cook_registrar *registrar)
{
    for (size_t i = 0; i < sizeof(classes) / sizeof(classes[0]); i++)
        cook_register_class(registrar, &classes[i]);
}
