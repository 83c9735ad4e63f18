/* Classes that show in what a save leaves: files of its own, tags, edges, parts of itself only. */
#include "prop.h"

#include <stdio.h>
#include <string.h>

/* ---- Picky: saved for one target or configuration only ---- */

struct prop_picky {
    struct prop_node node;
    struct cook_string only; /* empty: for all */
};

static const struct cook_property picky_properties[] = {
    COOK_PROPERTY(struct prop_picky, only, "Only", COOK_PROPERTY_STRING),
    COOK_PROPERTY_END,
};

static bool picky_needs_load_for(const void *object, const char *target,
                                 const char *configuration)
{
    const struct prop_picky *self = object;
    return !self->only.data || strcmp(self->only.data, target) == 0 ||
           strcmp(self->only.data, configuration) == 0;
}

static const struct cook_class picky_class = { .name = "Picky",
                                               .parent = NODE_CLASS,
                                               .size = sizeof(struct prop_picky),
                                               .properties = picky_properties,
                                               .needs_load_for = picky_needs_load_for };

/* ---- Banker: additional files, and registry tags ---- */

struct prop_banker {
    struct prop_node node;
    uint32_t streams;
    struct cook_string tag_key; /* of config section [Prop], read for a tag */
};

static const struct cook_property banker_properties[] = {
    COOK_PROPERTY(struct prop_banker, streams, "Streams", COOK_PROPERTY_U32),
    COOK_PROPERTY(struct prop_banker, tag_key, "TagKey", COOK_PROPERTY_STRING),
    COOK_PROPERTY_END,
};

static enum cook_status write_streams(struct cook_context *context, void *object)
{
    const struct prop_banker *self = object;
    enum cook_status status = COOK_OK;
    for (uint32_t i = self->streams % 4; status == COOK_OK && i-- > 0;) {
        char name[96];
        char text[64];
        (void)snprintf(name, sizeof(name), "streams/%.64s.%u", cook_object_name(object), i);
        int size = snprintf(text, sizeof(text), "%u %d", i, self->node.value);
        status = cook_write_additional_file(context, name, text, (size_t)size);
    }
    return status;
}

static enum cook_status banker_begin_cache(struct cook_context *context, void *object)
{
    return cook_async_run(context, write_streams, object);
}

static void banker_serialize(struct cook_archive *archive, void *object)
{
    const struct prop_banker *self = object;
    char name[80];
    if (cook_archive_phase(archive) == COOK_PHASE_LOAD || self->streams == 0)
        return;
    (void)snprintf(name, sizeof(name), "%.64s.bank", cook_object_name(object));
    if (cook_write_additional_file(cook_archive_context(archive), name, self->node.text.data,
                                   self->node.text.size) != COOK_OK)
        cook_archive_fail(archive, "the bank cannot be written");
}

static enum cook_status banker_tags(struct cook_context *context, const void *object,
                                    struct cook_tags *tags)
{
    const struct prop_banker *self = object;
    char text[32];
    (void)snprintf(text, sizeof(text), "%d", self->node.value);
    cook_add_tag(tags, "BankValue", text);
    if (self->tag_key.data) {
        const char *value = cook_config(context, "Prop", self->tag_key.data, NULL);
        cook_add_tag(tags, "BankKey", value ? value : "unset");
    }
    return COOK_OK;
}

static const struct cook_class banker_class = { .name = "Banker",
                                                .parent = NODE_CLASS,
                                                .size = sizeof(struct prop_banker),
                                                .properties = banker_properties,
                                                .begin_cache = banker_begin_cache,
                                                .serialize = banker_serialize,
                                                .get_registry_tags = banker_tags };

/* ---- Caller: loads by name, in each scope, and looks at what it does not use ---- */

struct prop_caller {
    struct prop_node node;
    struct cook_string loads; /* a package */
    struct cook_string scope; /* "": unexpected; "build", "runtime" */
    struct cook_string ignored_key, ignored_file;
    uint64_t seen;
};

static const struct cook_property caller_properties[] = {
    COOK_PROPERTY(struct prop_caller, loads, "Loads", COOK_PROPERTY_STRING),
    COOK_PROPERTY(struct prop_caller, scope, "Scope", COOK_PROPERTY_STRING),
    COOK_PROPERTY(struct prop_caller, ignored_key, "IgnoredKey", COOK_PROPERTY_STRING),
    COOK_PROPERTY(struct prop_caller, ignored_file, "IgnoredFile", COOK_PROPERTY_STRING),
    COOK_PROPERTY_END,
};

static void look_away(struct cook_context *context, const struct prop_caller *self)
{
    struct cook_bytes bytes;
    context = cook_enter_scope(context, COOK_SCOPE_UNRECORDED);
    if (self->ignored_key.data)
        (void)cook_config(context, "Prop", self->ignored_key.data, NULL);
    if (self->ignored_file.data &&
        cook_read_file(context, self->ignored_file.data, &bytes) != COOK_OK)
        return;
}

static enum cook_status caller_pre_save(struct cook_context *context, void *object)
{
    struct prop_caller *self = object;
    struct cook_ref loads = { self->loads.data };
    struct cook_array references = { &loads, 1, 1 };
    const char *scope = self->scope.data ? self->scope.data : "";
    look_away(context, self);
    if (strcmp(scope, "build") == 0)
        context = cook_enter_scope(context, COOK_SCOPE_BUILD_ONLY);
    else if (strcmp(scope, "runtime") == 0)
        context = cook_enter_scope(context, COOK_SCOPE_RUNTIME);
    self->seen = prop_sum(context, &references, false);
    return COOK_OK;
}

static void caller_serialize(struct cook_archive *archive, void *object)
{
    struct prop_caller *self = object;
    if (cook_archive_phase(archive) != COOK_PHASE_LOAD)
        cook_field_u64(archive, "Seen", &self->seen);
}

static const struct cook_class caller_class = { .name = "Caller",
                                                .parent = NODE_CLASS,
                                                .size = sizeof(struct prop_caller),
                                                .properties = caller_properties,
                                                .pre_save = caller_pre_save,
                                                .serialize = caller_serialize };

void prop_register_saves(struct cook_registrar *registrar)
{
    cook_register_class(registrar, &picky_class);
    cook_register_class(registrar, &banker_class);
    cook_register_class(registrar, &caller_class);
}
