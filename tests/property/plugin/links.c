/* Classes that look at other packages: while loading, while saving, or by declaration alone. */
#include "prop.h"

/* ---- Chain and Ring: dereference in post_load; what they see is in their load set ---- */

struct prop_link {
    struct prop_node node;
    struct cook_array feeds;  /* saved, and dereferenced */
    struct cook_array hidden; /* editor-only, and dereferenced: no edge of the graph search */
    uint64_t sum;             /* Saver */
};

static const struct cook_property link_properties[] = {
    COOK_PROPERTY_ARRAY_OF(struct prop_link, feeds, "Feeds", COOK_PROPERTY_REF, NULL),
    { "Hidden", COOK_PROPERTY_ARRAY, (uint32_t)offsetof(struct prop_link, hidden),
      COOK_PROPERTY_EDITOR_ONLY, NULL, COOK_PROPERTY_REF },
    COOK_PROPERTY_END,
};

static void feed(struct cook_context *context, struct prop_link *self, bool raw)
{
    uint64_t sum = prop_sum(context, &self->feeds, raw);
    self->node.derived = prop_mix(self->node.derived, sum);
    sum = prop_sum(context, &self->hidden, raw);
    self->node.derived = prop_mix(self->node.derived, sum);
}

/* What the targets made of their own targets, and so on; never part of a cycle of loads. */
static enum cook_status chain_post_load(struct cook_context *context, void *object)
{
    feed(context, object, false);
    return COOK_OK;
}

/* The targets' loaded values alone: cycles are welcome. */
static enum cook_status ring_post_load(struct cook_context *context, void *object)
{
    feed(context, object, true);
    return COOK_OK;
}

static void chain_serialize(struct cook_archive *archive, void *object)
{
    uint32_t version = CHAIN_VERSION;
    (void)object;
    if (cook_archive_phase(archive) != COOK_PHASE_LOAD)
        cook_field_u32(archive, "ChainVersion", &version);
}

static void chain_schema(struct cook_schema *schema)
{
    cook_schema_add_version(schema, "prop.chain", CHAIN_VERSION);
}

static const struct cook_class chain_class = { .name = "Chain",
                                               .parent = NODE_CLASS,
                                               .size = sizeof(struct prop_link),
                                               .properties = link_properties,
                                               .post_load = chain_post_load,
                                               .serialize = chain_serialize,
                                               .append_to_class_schema = chain_schema };
static const struct cook_class ring_class = { .name = "Ring",
                                              .parent = NODE_CLASS,
                                              .size = sizeof(struct prop_link),
                                              .properties = link_properties,
                                              .post_load = ring_post_load };

/* ---- Saver: dereferences in pre_save ---- */

static enum cook_status saver_pre_save(struct cook_context *context, void *object)
{
    struct prop_link *self = object;
    self->sum = prop_sum(context, &self->feeds, false);
    self->sum = prop_mix(self->sum, prop_sum(context, &self->hidden, false));
    return COOK_OK;
}

static void saver_serialize(struct cook_archive *archive, void *object)
{
    struct prop_link *self = object;
    uint32_t version = SAVER_VERSION;
    if (cook_archive_phase(archive) == COOK_PHASE_LOAD)
        return;
    cook_field_u32(archive, "SaverVersion", &version);
    cook_field_u64(archive, "Sum", &self->sum);
}

static void saver_versions(struct cook_schema *schema)
{
    cook_schema_add_version(schema, "prop.saver", SAVER_VERSION);
}

static const struct cook_class saver_class = { .name = "Saver",
                                               .parent = NODE_CLASS,
                                               .size = sizeof(struct prop_link),
                                               .properties = link_properties,
                                               .pre_save = saver_pre_save,
                                               .serialize = saver_serialize,
                                               .declare_custom_versions = saver_versions };

/* ---- Puller: declares, and reads nothing itself ---- */

struct prop_puller {
    struct prop_node node;
    struct cook_array pulls_hard; /* package names: made part of the cook */
    struct cook_array pulls_soft;
    struct cook_array depends; /* package names: their load sets */
    struct cook_string depend_file;
    struct cook_string depend_key; /* of config section [Prop] */
};

static const struct cook_property puller_properties[] = {
    COOK_PROPERTY_ARRAY_OF(struct prop_puller, pulls_hard, "PullsHard", COOK_PROPERTY_STRING,
                           NULL),
    COOK_PROPERTY_ARRAY_OF(struct prop_puller, pulls_soft, "PullsSoft", COOK_PROPERTY_STRING,
                           NULL),
    COOK_PROPERTY_ARRAY_OF(struct prop_puller, depends, "Depends", COOK_PROPERTY_STRING, NULL),
    COOK_PROPERTY(struct prop_puller, depend_file, "DependFile", COOK_PROPERTY_STRING),
    COOK_PROPERTY(struct prop_puller, depend_key, "DependKey", COOK_PROPERTY_STRING),
    COOK_PROPERTY_END,
};

static void pull(struct cook_context *context, const struct cook_array *names, bool hard)
{
    const struct cook_string *items = names->items;
    for (uint32_t i = 0; i < names->count; i++)
        if (items[i].data)
            cook_add_runtime_dependency(context, items[i].data, hard);
}

static enum cook_status puller_event(struct cook_context *context, void *object,
                                     enum cook_event event)
{
    struct prop_puller *self = object;
    const struct cook_string *depends = self->depends.items;
    if (event != COOK_EVENT_SAVE)
        return COOK_OK;
    pull(context, &self->pulls_hard, true);
    pull(context, &self->pulls_soft, false);
    for (uint32_t i = 0; i < self->depends.count; i++) {
        enum cook_status status = cook_depend_package(context, depends[i].data);
        if (status != COOK_OK)
            return status;
    }
    if (self->depend_file.data)
        cook_depend_file(context, self->depend_file.data);
    if (self->depend_key.data)
        cook_depend_config(context, "Prop", self->depend_key.data);
    return COOK_OK;
}

static const struct cook_class puller_class = { .name = "Puller",
                                                .parent = NODE_CLASS,
                                                .size = sizeof(struct prop_puller),
                                                .properties = puller_properties,
                                                .on_cook_event = puller_event };

void prop_register_links(struct cook_registrar *registrar)
{
    cook_register_class(registrar, &chain_class);
    cook_register_class(registrar, &ring_class);
    cook_register_class(registrar, &saver_class);
    cook_register_class(registrar, &puller_class);
}
