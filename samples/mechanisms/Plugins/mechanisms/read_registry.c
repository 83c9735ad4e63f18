/*
 * The registry: which objects there are, and where a path that moved leads, without loading
 * any.
 *
 * Redirects keep old references alive, so that a renamed package does not have to touch all
 * that refer to it: config [Redirects] +Redirect=OLD -> NEW, or an ObjectRedirector asset in
 * the old place (Content/Parts/Renamed.asset). References are sent on when they are resolved; a
 * class that handles paths as text asks cook_redirected(). Without that it would look in the
 * old place.
 */
#include "mechanisms.h"

/* Cooked again when a creature appears or vanishes, not when one changes. */
static enum cook_status query(struct cook_context *context, void *object)
{
    struct cook_query creatures = { .class_name = CREATURE_CLASS,
                                    .child_classes = true,
                                    .path_glob = "/Game/Parts/*" };
    struct cook_array paths;
    enum cook_status status = cook_query_objects(context, &creatures, &paths);

    return status == COOK_OK ? exhibit_show_list(context, object, &paths) : status;
}

/* Recorded also when nothing redirects the path. */
static enum cook_status follow_redirect(struct cook_context *context, void *object)
{
    return exhibit_show(context, object, "%s", cook_redirected(context, "/Game/Parts/Former"));
}

static const struct cook_class classes[] = {
    { .name = "QueryReader",
      .parent = EXHIBIT_CLASS,
      .size = sizeof(struct exhibit),
      .pre_save = query },
    { .name = "RedirectReader",
      .parent = EXHIBIT_CLASS,
      .size = sizeof(struct exhibit),
      .pre_save = follow_redirect },
};

void mechanisms_register_read_registry(struct cook_registrar *registrar)
{
    for (size_t i = 0; i < sizeof(classes) / sizeof(classes[0]); i++)
        cook_register_class(registrar, &classes[i]);
}
