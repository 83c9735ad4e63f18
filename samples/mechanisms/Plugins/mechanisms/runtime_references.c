/*
 * Runtime references: what must be cooked because this package is. Those of plain properties
 * are found by themselves. The harvest phase of `serialize` is where a class adds and leaves
 * out others; later is too late: a reference written but not harvested fails the package.
 */
#include "mechanisms.h"

/* Added: the runtime finds the subtitles of a cue by its name, so no property refers to them.
 * Without this they would be missing in the game, and only there. */
static void cue_serialize(struct cook_archive *archive, void *object)
{
    (void)object;
    if (cook_archive_phase(archive) == COOK_PHASE_HARVEST)
        cook_add_runtime_dependency(cook_archive_context(archive), "/Game/Parts/Subtitles",
                                    false);
}

struct trail {
    struct exhibit exhibit;
    bool follow;
    struct cook_soft_ref next;
};

/* Editor-only: the table alone neither saves the reference nor makes it an edge … */
static const struct cook_property properties[] = {
    COOK_PROPERTY(struct trail, follow, "Follow", COOK_PROPERTY_BOOL),
    COOK_PROPERTY_FLAGGED(struct trail, next, "Next", COOK_PROPERTY_SOFT_REF,
                          COOK_PROPERTY_EDITOR_ONLY),
    COOK_PROPERTY_END,
};

/*
 * … so that serialize decides: saved when the trail is to be followed, suppressed otherwise.
 * Both phases do the same. With a plain property the next trail would be cooked whatever is
 * decided. `cook resave` keeps what is decided in the asset, so decide by the asset, not by
 * config.
 */
static void trail_serialize(struct cook_archive *archive, void *object)
{
    struct trail *self = object;
    struct cook_soft_ref none = { NULL };

    if (cook_archive_phase(archive) != COOK_PHASE_LOAD)
        cook_field_soft_ref(archive, "Next", self->follow ? &self->next : &none);
}

static const struct cook_class cue_class = {
    .name = "Cue",
    .parent = EXHIBIT_CLASS,
    .size = sizeof(struct exhibit),
    .serialize = cue_serialize,
};
static const struct cook_class trail_class = {
    .name = "Trail",
    .parent = EXHIBIT_CLASS,
    .size = sizeof(struct trail),
    .properties = properties,
    .serialize = trail_serialize,
};

void mechanisms_register_runtime_references(struct cook_registrar *registrar)
{
    cook_register_class(registrar, &cue_class);
    cook_register_class(registrar, &trail_class);
}
