/* Classes that read config and files, while loading and while saving. */
#include "prop.h"

#include <string.h>

/* ---- Tuned: config ---- */

struct prop_tuned {
    struct prop_node node;
    struct cook_string load_key; /* of section [Prop] */
    struct cook_string save_key;
    int64_t tuned;
};

static const struct cook_property tuned_properties[] = {
    COOK_PROPERTY(struct prop_tuned, load_key, "LoadKey", COOK_PROPERTY_STRING),
    COOK_PROPERTY(struct prop_tuned, save_key, "SaveKey", COOK_PROPERTY_STRING),
    COOK_PROPERTY_END,
};

static struct cook_context *as_the_mutant_reads(struct cook_context *context)
{
#ifdef MUTANT_UNDECLARED
    return cook_enter_scope(context, COOK_SCOPE_UNRECORDED);
#else
    return context;
#endif
}

static enum cook_status tuned_post_load(struct cook_context *context, void *object)
{
    struct prop_tuned *self = object;
    size_t count = 0;
    context = as_the_mutant_reads(context);
    if (!self->load_key.data)
        return COOK_OK;
    (void)cook_config(context, "Prop", self->load_key.data, &count);
    for (size_t i = 0; i < count; i++) {
        const char *text = cook_config_at(context, "Prop", self->load_key.data, i);
        self->node.derived = prop_mix(self->node.derived, prop_hash(text, strlen(text)));
    }
    return COOK_OK;
}

static enum cook_status tuned_pre_save(struct cook_context *context, void *object)
{
    struct prop_tuned *self = object;
    context = as_the_mutant_reads(context);
#ifdef MUTANT_OVERDECLARED
    for (const char *key = "K0\0K1\0K2\0K3\0"; *key; key += 3)
        cook_depend_config(context, "Prop", key);
#endif
    if (self->save_key.data)
        self->tuned = cook_config_int(context, "Prop", self->save_key.data, -1);
    return COOK_OK;
}

static void tuned_serialize(struct cook_archive *archive, void *object)
{
    struct prop_tuned *self = object;
    if (cook_archive_phase(archive) != COOK_PHASE_LOAD)
        cook_field_i64(archive, "Tuned", &self->tuned);
}

static const struct cook_class tuned_class = { .name = "Tuned",
                                               .parent = NODE_CLASS,
                                               .size = sizeof(struct prop_tuned),
                                               .properties = tuned_properties,
                                               .post_load = tuned_post_load,
                                               .pre_save = tuned_pre_save,
                                               .serialize = tuned_serialize };

/* ---- Schemed: config, and other classes, that shape the schema of the class ---- */

static void schemed_schema(struct cook_schema *schema)
{
    cook_schema_add_config(schema, "Prop", "SchemaKey");
}

static void schemed_classes(struct cook_schema *schema)
{
    cook_schema_add_class(schema, "/Script/Prop.Saver");
    cook_schema_add_class(schema, "/Script/Prop.Extra");
}

static const struct cook_class schemed_class = { .name = "Schemed",
                                                 .parent = NODE_CLASS,
                                                 .size = sizeof(struct prop_node),
                                                 .declare_construct_classes = schemed_classes,
                                                 .append_to_class_schema = schemed_schema };

/* ---- Filer: files, there or not ---- */

struct prop_filer {
    struct prop_node node;
    struct cook_string load_file; /* read in post_load */
    struct cook_string save_file; /* read by asynchronous work */
    struct cook_string probe;     /* asked for in pre_save */
    uint64_t content;
    bool there;
};

static const struct cook_property filer_properties[] = {
    COOK_PROPERTY(struct prop_filer, load_file, "LoadFile", COOK_PROPERTY_STRING),
    COOK_PROPERTY(struct prop_filer, save_file, "SaveFile", COOK_PROPERTY_STRING),
    COOK_PROPERTY(struct prop_filer, probe, "Probe", COOK_PROPERTY_STRING),
    COOK_PROPERTY_END,
};

static uint64_t read_content(struct cook_context *context, const struct cook_string *path)
{
    struct cook_bytes bytes;
    context = as_the_mutant_reads(context);
    if (!path->data)
        return 3;
    if (cook_read_file(context, path->data, &bytes) != COOK_OK)
        return 5;
    return prop_hash(bytes.data, bytes.size);
}

static enum cook_status filer_post_load(struct cook_context *context, void *object)
{
    struct prop_filer *self = object;
    self->node.derived = prop_mix(self->node.derived, read_content(context, &self->load_file));
    return COOK_OK;
}

static enum cook_status filer_pre_save(struct cook_context *context, void *object)
{
    struct prop_filer *self = object;
    self->there = self->probe.data && cook_file_exists(context, self->probe.data);
    return COOK_OK;
}

static enum cook_status filer_work(struct cook_context *context, void *object)
{
    struct prop_filer *self = object;
    self->content = read_content(context, &self->save_file);
    return COOK_OK;
}

static enum cook_status filer_begin_cache(struct cook_context *context, void *object)
{
    return cook_async_run(context, filer_work, object);
}

static void filer_serialize(struct cook_archive *archive, void *object)
{
    struct prop_filer *self = object;
    if (cook_archive_phase(archive) == COOK_PHASE_LOAD)
        return;
    cook_field_u64(archive, "Content", &self->content);
    cook_field_bool(archive, "There", &self->there);
}

static const struct cook_class filer_class = { .name = "Filer",
                                               .parent = NODE_CLASS,
                                               .size = sizeof(struct prop_filer),
                                               .properties = filer_properties,
                                               .post_load = filer_post_load,
                                               .pre_save = filer_pre_save,
                                               .begin_cache = filer_begin_cache,
                                               .serialize = filer_serialize };

void prop_register_reads(struct cook_registrar *registrar)
{
    cook_register_class(registrar, &tuned_class);
    cook_register_class(registrar, &schemed_class);
    cook_register_class(registrar, &filer_class);
}
