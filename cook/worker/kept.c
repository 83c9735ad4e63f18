/* Which objects are saved for a target and configuration (the needs_load_for hook). */
#include <string.h>

#include "cook/registry/registry.h"
#include "cook/worker/session.h"

static bool has_hook(const struct cook_class_info *info)
{
    for (uint32_t i = 0; info && i < info->chain_count; i++)
        if (info->chain[i]->description->needs_load_for)
            return true;
    return false;
}

static bool is_wanted(const struct cook_session *session, const struct cook_object_state *object)
{
    for (uint32_t i = 0; i < object->class_info->chain_count; i++) {
        const struct cook_class *c = object->class_info->chain[i]->description;
        if (c->needs_load_for &&
            !c->needs_load_for(object->object, session->target, session->configuration))
            return false;
    }
    return true;
}

bool cook_object_is_kept(const struct cook_session *session, const struct cook_object_state *object)
{
    for (; object; object = object->outer)
        if ((object->editor_only && !session->keep_editor_only) || !is_wanted(session, object))
            return false;
    return true;
}

bool cook_session_mark_saved(struct cook_context *context, struct cook_package *package,
                             bool *dropped)
{
    bool any = false;
    bool asked = false;
    *dropped = false;
    for (uint32_t i = 0; i < package->object_count; i++) {
        struct cook_object_state *object = package->objects[i];
        object->unsaved = !cook_object_is_kept(context->session, object);
        any |= !object->unsaved;
        asked |= has_hook(object->class_info);
        *dropped |= object->unsaved && !object->editor_only;
    }
    const struct cook_config_value *values;
    if (asked) /* what needs_load_for() is asked about */
        (void)cook_context_config(context, "Cook", "Configuration", &values, "needs_load_for");
    return any;
}

/* Whether the class of the object at a path, or of one around it, has a say. Under load_lock. */
static bool is_asked(struct cook_session *session, const struct cook_resolved *resolved,
                     struct cook_arena *arena)
{
    if (has_hook(cook_types_class(&session->types, resolved->class_name)))
        return true;
    const char *package =
        cook_state_text(&session->registry, session->registry.packages[resolved->package].name);
    char *outer = cook_arena_strdup(arena, resolved->inner);
    for (char *slash; outer && (slash = strrchr(outer, '/')) != NULL;) {
        *slash = '\0';
        const char *path = cook_arena_printf(arena, "%s.%s", package, outer);
        if (!path)
            return true;
        struct cook_resolved around = cook_registry_resolve(&session->registry, path, arena);
        if (around.class_name && has_hook(cook_types_class(&session->types, around.class_name)))
            return true;
    }
    return false;
}

struct cook_hash cook_session_kept_value(struct cook_session *session, const char *path,
                                         bool always, bool *asked, bool *kept)
{
    struct cook_arena arena = COOK_ARENA_INIT;
    struct cook_hash value = { 0, 0 };
    const char *name = NULL;
    *kept = true; /* what cannot be loaded is reported where it is cooked */
    pthread_mutex_lock(&session->load_lock);
    struct cook_resolved resolved = cook_registry_resolve(&session->registry, path, &arena);
    *asked = resolved.package != COOK_ID_NONE && resolved.inner &&
             (always || is_asked(session, &resolved, &arena));
    if (*asked)
        name = cook_arena_strdup(&arena, cook_state_text(&session->registry,
                                                         session->registry
                                                             .packages[resolved.package]
                                                             .name));
    pthread_mutex_unlock(&session->load_lock);
    struct cook_package *package = name ? cook_session_load(session, name) : NULL;
    const struct cook_object_state *object =
        package && package->stage != COOK_LOAD_FAILED ? cook_package_find(package, resolved.inner)
                                                      : NULL;
    if (object)
        *kept = cook_object_is_kept(session, object);
    if (*asked)
        value.low = *kept ? 1 : 2;
    cook_arena_finish(&arena);
    return value;
}
