/* A class that shows each kind of edge, and one that is saved for some configurations only. */
#include <string.h>

#include <cook/cook.h>

COOK_PLUGIN_VERSION

struct graph_node {
    struct cook_object object;
    struct cook_ref link;      /* saved */
    struct cook_soft_ref soft; /* saved */
    struct cook_ref note;      /* editor-only */
    struct cook_soft_ref hint; /* true soft */
    struct cook_string loads;  /* a package that is dereferenced by its name */
    struct cook_string scope;  /* how: "", "build", "runtime" */
    struct cook_string adds;   /* when a runtime dependency on B is added: "harvest", "write" */
    bool late;                 /* write a reference that was not harvested */
};

static const struct cook_property node_properties[] = {
    COOK_PROPERTY(struct graph_node, link, "Link", COOK_PROPERTY_REF),
    COOK_PROPERTY(struct graph_node, soft, "Soft", COOK_PROPERTY_SOFT_REF),
    COOK_PROPERTY_FLAGGED(struct graph_node, note, "Note", COOK_PROPERTY_REF,
                          COOK_PROPERTY_EDITOR_ONLY),
    COOK_PROPERTY_FLAGGED(struct graph_node, hint, "Hint", COOK_PROPERTY_SOFT_REF,
                          COOK_PROPERTY_TRUE_SOFT),
    COOK_PROPERTY(struct graph_node, loads, "Loads", COOK_PROPERTY_STRING),
    COOK_PROPERTY(struct graph_node, scope, "Scope", COOK_PROPERTY_STRING),
    COOK_PROPERTY(struct graph_node, adds, "Adds", COOK_PROPERTY_STRING),
    COOK_PROPERTY(struct graph_node, late, "Late", COOK_PROPERTY_BOOL),
    COOK_PROPERTY_END,
};

static enum cook_status node_pre_save(struct cook_context *context, void *object)
{
    struct graph_node *self = object;
    const char *scope = self->scope.data ? self->scope.data : "";
    if (!self->loads.data)
        return COOK_OK;
    if (strcmp(scope, "build") == 0)
        context = cook_enter_scope(context, COOK_SCOPE_BUILD_ONLY);
    else if (strcmp(scope, "runtime") == 0)
        context = cook_enter_scope(context, COOK_SCOPE_RUNTIME);
    (void)cook_dereference(context, cook_make_ref(context, self->loads.data));
    return COOK_OK;
}

static void node_serialize(struct cook_archive *archive, void *object)
{
    struct graph_node *self = object;
    struct cook_ref other = { "/Game/B" };
    const char *adds = self->adds.data ? self->adds.data : "";
    enum cook_phase phase = cook_archive_phase(archive);
    if ((phase == COOK_PHASE_HARVEST && strcmp(adds, "harvest") == 0) ||
        (phase == COOK_PHASE_WRITE && strcmp(adds, "write") == 0))
        cook_add_runtime_dependency(cook_archive_context(archive), "/Game/B", false);
    if (self->late && cook_archive_phase(archive) == COOK_PHASE_WRITE)
        cook_field_ref(archive, "Late", &other);
}

static const struct cook_class node_class = { .name = "Node",
                                              .size = sizeof(struct graph_node),
                                              .properties = node_properties,
                                              .pre_save = node_pre_save,
                                              .serialize = node_serialize };

struct graph_part {
    struct cook_object object;
    struct cook_string only; /* the configuration it is for; any when empty */
    uint32_t value;
    struct cook_string whole; /* a package whose whole key it depends on */
    bool warns;
};

static const struct cook_property part_properties[] = {
    COOK_PROPERTY(struct graph_part, only, "Only", COOK_PROPERTY_STRING),
    COOK_PROPERTY(struct graph_part, value, "Value", COOK_PROPERTY_U32),
    COOK_PROPERTY(struct graph_part, whole, "Whole", COOK_PROPERTY_STRING),
    COOK_PROPERTY(struct graph_part, warns, "Warns", COOK_PROPERTY_BOOL),
    COOK_PROPERTY_END,
};

static bool part_needs_load_for(const void *object, const char *target, const char *configuration)
{
    const struct graph_part *self = object;
    (void)target;
    return !self->only.data || strcmp(self->only.data, configuration) == 0;
}

static enum cook_status part_post_load(struct cook_context *context, void *object)
{
    const struct graph_part *self = object;
    if (self->whole.data)
        cook_depend_package_whole(context, self->whole.data);
    if (self->warns)
        cook_log(context, COOK_SEVERITY_WARNING, "loaded with a warning");
    return COOK_OK;
}

static const struct cook_class part_class = { .name = "Part",
                                              .size = sizeof(struct graph_part),
                                              .properties = part_properties,
                                              .post_load = part_post_load,
                                              .needs_load_for = part_needs_load_for };

COOK_PLUGIN_EXPORT enum cook_status cook_plugin_main(struct cook_registrar *registrar);
COOK_PLUGIN_EXPORT enum cook_status cook_plugin_main(struct cook_registrar *registrar)
{
    cook_register_module(registrar, "Graph");
    cook_register_class(registrar, &node_class);
    cook_register_class(registrar, &part_class);
    return COOK_OK;
}
