/* Scout: reads every kind of input that is neither config, file nor package. */
#include "prop.h"

#include <stdlib.h>
#include <string.h>

struct prop_scout {
    struct prop_node node;
    bool early; /* look in post_load, else in pre_save */
    struct cook_string cvar;
    struct cook_string token; /* of the command line */
    struct cook_string env;
    struct cook_string folder;
    struct cook_string query_class, query_glob, query_tag, query_tag_value;
    bool query_children;
    struct cook_string redirected;
    struct cook_string depend_class;
    struct cook_string whole; /* package */
    struct prop_part look;    /* the arguments of PropLook; weight 0: not asked */
    uint64_t seen;
};

static const struct cook_property scout_properties[] = {
    COOK_PROPERTY(struct prop_scout, early, "Early", COOK_PROPERTY_BOOL),
    COOK_PROPERTY(struct prop_scout, cvar, "Cvar", COOK_PROPERTY_STRING),
    COOK_PROPERTY(struct prop_scout, token, "Token", COOK_PROPERTY_STRING),
    COOK_PROPERTY(struct prop_scout, env, "Env", COOK_PROPERTY_STRING),
    COOK_PROPERTY(struct prop_scout, folder, "Folder", COOK_PROPERTY_STRING),
    COOK_PROPERTY(struct prop_scout, query_class, "QueryClass", COOK_PROPERTY_STRING),
    COOK_PROPERTY(struct prop_scout, query_children, "QueryChildren", COOK_PROPERTY_BOOL),
    COOK_PROPERTY(struct prop_scout, query_glob, "QueryGlob", COOK_PROPERTY_STRING),
    COOK_PROPERTY(struct prop_scout, query_tag, "QueryTag", COOK_PROPERTY_STRING),
    COOK_PROPERTY(struct prop_scout, query_tag_value, "QueryTagValue", COOK_PROPERTY_STRING),
    COOK_PROPERTY(struct prop_scout, redirected, "Redirected", COOK_PROPERTY_STRING),
    COOK_PROPERTY(struct prop_scout, depend_class, "DependClass", COOK_PROPERTY_STRING),
    COOK_PROPERTY(struct prop_scout, whole, "Whole", COOK_PROPERTY_STRING),
    COOK_PROPERTY_TYPED(struct prop_scout, look, "Look", COOK_PROPERTY_STRUCT, "PropPart"),
    COOK_PROPERTY_END,
};

static void see_text(struct prop_scout *self, const char *text)
{
    self->seen = prop_mix(self->seen, text ? prop_hash(text, strlen(text)) : 5);
}

static void see_texts(struct prop_scout *self, enum cook_status status,
                      const struct cook_array *texts)
{
    const struct cook_string *items = texts->items;
    self->seen = prop_mix(self->seen, (uint64_t)(int64_t)status);
    for (uint32_t i = 0; i < texts->count; i++)
        see_text(self, items[i].data);
}

static void ask_registry(struct cook_context *context, struct prop_scout *self)
{
    struct cook_array paths;
    struct cook_query query = { .class_name = self->query_class.data,
                                .child_classes = self->query_children,
                                .path_glob = self->query_glob.data,
                                .tag = self->query_tag.data,
                                .tag_value = self->query_tag_value.data };
    if (query.class_name || query.path_glob || query.tag)
        see_texts(self, cook_query_objects(context, &query, &paths), &paths);
    if (self->redirected.data)
        see_text(self, cook_redirected(context, self->redirected.data));
}

static void look_around(struct cook_context *context, struct prop_scout *self)
{
    struct cook_array names;
    if (self->cvar.data)
        see_text(self, cook_console_variable(context, self->cvar.data));
    if (self->token.data)
        see_text(self, cook_command_line(context, self->token.data));
    if (self->env.data)
        see_text(self, cook_environment(context, self->env.data));
    if (self->folder.data)
        see_texts(self, cook_list_folder(context, self->folder.data, &names), &names);
    ask_registry(context, self);
    if (self->depend_class.data)
        cook_depend_class(context, self->depend_class.data);
    if (self->whole.data)
        cook_depend_package_whole(context, self->whole.data);
}

static enum cook_status depend_look(struct cook_context *context, struct prop_scout *self)
{
    return self->look.weight ? cook_depend_function(context, "PropLook", &self->look) : COOK_OK;
}

static enum cook_status scout_post_load(struct cook_context *context, void *object)
{
    struct prop_scout *self = object;
    if (!self->early)
        return COOK_OK;
    look_around(context, self);
    self->node.derived = prop_mix(self->node.derived, self->seen);
    return depend_look(context, self);
}

static enum cook_status scout_pre_save(struct cook_context *context, void *object)
{
    struct prop_scout *self = object;
    if (self->early)
        return COOK_OK;
    look_around(context, self);
    return depend_look(context, self);
}

static void scout_serialize(struct cook_archive *archive, void *object)
{
    struct prop_scout *self = object;
    if (cook_archive_phase(archive) != COOK_PHASE_LOAD)
        cook_field_u64(archive, "Seen", &self->seen);
}

static const struct cook_class scout_class = { .name = "Scout",
                                               .parent = NODE_CLASS,
                                               .size = sizeof(struct prop_scout),
                                               .properties = scout_properties,
                                               .post_load = scout_post_load,
                                               .pre_save = scout_pre_save,
                                               .serialize = scout_serialize };

static void look(struct cook_schema *schema, const void *arguments)
{
    const struct prop_part *self = arguments;
    cook_schema_add_u64(schema, "weight", (uint64_t)(int64_t)self->weight);
    cook_schema_add_string(schema, "look", getenv("PROP_LOOK"));
}

static const struct cook_function look_function = { .name = "PropLook",
                                                    .arguments_struct = "PropPart",
                                                    .evaluate = look };

void prop_register_scout(struct cook_registrar *registrar)
{
    cook_register_class(registrar, &scout_class);
    cook_register_function(registrar, &look_function);
}
