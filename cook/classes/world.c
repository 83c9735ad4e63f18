#include "cook/base/alloc.h"
#include "cook/classes/classes.h"
#include "cook/classes/world_bounds.h"

/* Bump when the cooked form, or the way bounds are computed, changes. */
#define WORLD_VERSION 1u

static const struct cook_property actor_properties[] = {
    COOK_PROPERTY(struct cook_world_actor, name, "Name", COOK_PROPERTY_NAME),
    COOK_PROPERTY(struct cook_world_actor, mesh, "Mesh", COOK_PROPERTY_REF),
    COOK_PROPERTY(struct cook_world_actor, object, "Object", COOK_PROPERTY_REF),
    COOK_PROPERTY(struct cook_world_actor, parent, "Parent", COOK_PROPERTY_I32),
    COOK_PROPERTY_TYPED(struct cook_world_actor, location, "Location", COOK_PROPERTY_STRUCT,
                        "Vec3"),
    COOK_PROPERTY_TYPED(struct cook_world_actor, rotation, "Rotation", COOK_PROPERTY_STRUCT,
                        "Vec4"),
    COOK_PROPERTY_TYPED(struct cook_world_actor, scale, "Scale", COOK_PROPERTY_STRUCT, "Vec3"),
    COOK_PROPERTY_END,
};

static void actor_construct(void *value)
{
    struct cook_world_actor *self = value;
    self->parent = -1;
    self->rotation.w = 1.0f;
    self->scale = (struct cook_vec3){ 1.0f, 1.0f, 1.0f };
}

static const struct cook_struct actor_struct = {
    .name = "WorldActor",
    .size = sizeof(struct cook_world_actor),
    .properties = actor_properties,
    .construct = actor_construct,
};

static const struct cook_property world_properties[] = {
    COOK_PROPERTY_ARRAY_OF(struct cook_world, actors, "Actors", COOK_PROPERTY_STRUCT,
                           "WorldActor"),
    COOK_PROPERTY_ARRAY_OF(struct cook_world, sub_levels, "SubLevels", COOK_PROPERTY_SOFT_REF,
                           NULL),
    COOK_PROPERTY_END,
};

/* The actor's mesh decides the world's bytes: it is dereferenced, and with that a dependency.
 */
static struct cook_actor_box actor_box(struct cook_context *context,
                                       const struct cook_world_actor *actor)
{
    struct cook_actor_box box = { .known = false };

    if (actor->mesh.path == NULL)
        return box;
    const struct cook_static_mesh *mesh =
        cook_dereference_as(context, actor->mesh, "/Script/Cook.StaticMesh");
    if (mesh == NULL) {
        cook_log(context, COOK_SEVERITY_WARNING, "actor '%s': the mesh '%s' is missing",
                 actor->name.text != NULL ? actor->name.text : "None", actor->mesh.path);
        return box;
    }
    box.known = mesh->vertex_count != 0;
    box.min = mesh->bounds_min;
    box.max = mesh->bounds_max;
    return box;
}

static enum cook_status world_pre_save(struct cook_context *context, void *object)
{
    struct cook_world *self = object;
    const struct cook_world_actor *actors = self->actors.items;
    struct cook_error error = COOK_ERROR_INIT;

    if (self->actors.count == 0)
        return COOK_OK;
    struct cook_actor_box *boxes = cook_calloc(self->actors.count, sizeof(*boxes));
    if (boxes == NULL)
        return COOK_E_NO_MEMORY;
    for (uint32_t i = 0; i < self->actors.count; i++)
        boxes[i] = actor_box(context, &actors[i]);
    enum cook_status status = cook_world_compute_bounds(
        &self->bounds_min, &self->bounds_max, actors, boxes, self->actors.count, &error);
    if (status != COOK_OK)
        cook_log(context, COOK_SEVERITY_ERROR, "%s: %s", cook_object_inner_path(object),
                 error.message);
    cook_free(boxes);
    return status;
}

/* Derived values must not be seen by whoever dereferences the world later, saved or not. */
static void world_clear_cached(struct cook_context *context, void *object)
{
    struct cook_world *self = object;

    (void)context;
    self->bounds_min = self->bounds_max = (struct cook_vec3){ 0 };
}

static void world_serialize(struct cook_archive *archive, void *object)
{
    struct cook_world *self = object;

    if (cook_archive_phase(archive) == COOK_PHASE_LOAD)
        return;
    cook_field_struct(archive, "BoundsMin", "Vec3", &self->bounds_min);
    cook_field_struct(archive, "BoundsMax", "Vec3", &self->bounds_max);
}

static void world_append_to_class_schema(struct cook_schema *schema)
{
    cook_schema_add_version(schema, "Cook.World", WORLD_VERSION);
}

static const struct cook_class world_class = {
    .name = "World",
    .size = sizeof(struct cook_world),
    .properties = world_properties,
    .pre_save = world_pre_save,
    .clear_cached = world_clear_cached,
    .serialize = world_serialize,
    .append_to_class_schema = world_append_to_class_schema,
};

void cook_world_register(struct cook_registrar *registrar)
{
    cook_register_struct(registrar, &actor_struct);
    cook_register_class(registrar, &world_class);
}
