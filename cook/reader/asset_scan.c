#include "cook/reader/asset_scan.h"

#include <string.h>

#include "cook/base/buf.h"
#include "cook/object/reference_flags.h"
#include "cook/registry/facts.h"

/* What the properties on the way to a value say about references in it. */
struct scope {
    bool editor_only;
    bool true_soft;
};

static void scan_table(struct cook_scan *scan, const struct cook_property *properties,
                       const struct cook_json *members, struct scope scope);

static void scan_value(struct cook_scan *scan, const struct cook_json *value, struct scope scope)
{
    const char *path;
    const struct cook_json *hard = cook_json_get(value, "$ref");
    const struct cook_json *soft = cook_json_get(value, "$soft");
    enum cook_edge soft_edge = scope.true_soft ? COOK_EDGE_TRUE_SOFT : COOK_EDGE_SOFT;
    if (hard && cook_json_string(hard, &path))
        cook_scan_reference(scan, scope.editor_only ? COOK_EDGE_EDITOR_ONLY : COOK_EDGE_HARD, path);
    else if (soft && cook_json_string(soft, &path))
        cook_scan_reference(scan, scope.editor_only ? COOK_EDGE_EDITOR_ONLY : soft_edge, path);
    for (const struct cook_json *child = value->child; child; child = child->next)
        scan_value(scan, child, scope); /* depth is bounded by the JSON reader */
}

static void scan_property(struct cook_scan *scan, const struct cook_property *property,
                          const struct cook_json *value, struct scope scope)
{
    const struct cook_registrar *types = cook_scan_types(scan);
    if (property->flags & COOK_PROPERTY_TRANSIENT)
        return;
    scope.editor_only |= (property->flags & COOK_PROPERTY_EDITOR_ONLY) != 0;
    scope.true_soft |= (property->flags & COOK_PROPERTY_TRUE_SOFT) != 0;
    bool container = property->type == COOK_PROPERTY_ARRAY || property->type == COOK_PROPERTY_MAP;
    enum cook_property_type leaf = container ? property->element : property->type;
    const struct cook_struct_info *info =
        leaf == COOK_PROPERTY_STRUCT ? cook_types_struct(types, property->type_name) : NULL;
    if (!info) {
        scan_value(scan, value, scope);
        return;
    }
    if (!container)
        scan_table(scan, info->description->properties, value, scope);
    for (const struct cook_json *c = value->child; container && c; c = c->next)
        scan_table(scan, info->description->properties, c, scope);
}

/* A member that is no property may be read by `serialize`: an edge of its own kind. */
static void scan_table(struct cook_scan *scan, const struct cook_property *properties,
                       const struct cook_json *members, struct scope scope)
{
    if (members->type != COOK_JSON_OBJECT) {
        scan_value(scan, members, scope);
        return;
    }
    for (const struct cook_json *m = members->child; m; m = m->next) {
        const struct cook_property *property = cook_property_find(properties, m->key);
        if (property)
            scan_property(scan, property, m, scope);
        else
            scan_value(scan, m, scope);
    }
}

/* `but`: a member that is no property, or NULL. */
static void scan_members(struct cook_scan *scan, const char *class_name,
                         const struct cook_json *members, const char *but, struct scope scope)
{
    const struct cook_registrar *types = cook_scan_types(scan);
    const struct cook_class_info *info = types ? cook_types_class(types, class_name) : NULL;
    for (const struct cook_json *m = members->child; m; m = m->next) {
        const struct cook_property *property = info ? cook_class_property(info, m->key) : NULL;
        if (but && strcmp(m->key, but) == 0)
            continue;
        if (property)
            scan_property(scan, property, m, scope);
        else
            scan_value(scan, m, scope);
    }
}

void cook_asset_scan_references(struct cook_scan *scan, const char *class_name,
                                const struct cook_json *properties, bool editor_only)
{
    const struct scope scope = { .editor_only = editor_only };
    if (properties && properties->type == COOK_JSON_OBJECT)
        scan_members(scan, class_name, properties, NULL, scope);
    else if (properties)
        scan_value(scan, properties, scope);
}

/* ---- side files ---- */

void cook_asset_scan_side(struct cook_scan *scan, const struct cook_source *source)
{
    struct cook_arena arena = COOK_ARENA_INIT;
    const struct cook_json *root;
    const struct scope scope = { 0 };
    const char *first = cook_scan_class(scan, NULL);
    if (source->side_data && first &&
        cook_json_parse(&root, NULL, (const char *)source->side_data, source->side_size, &arena,
                        NULL) == COOK_OK &&
        root->type == COOK_JSON_OBJECT) {
        scan_members(scan, first, root, "Objects", scope);
        const struct cook_json *objects = cook_json_get(root, "Objects");
        bool many = objects && objects->type == COOK_JSON_OBJECT;
        for (const struct cook_json *m = many ? objects->child : NULL; m; m = m->next) {
            const char *class_name = cook_scan_class(scan, m->key);
            if (class_name && m->type == COOK_JSON_OBJECT)
                scan_members(scan, class_name, m, NULL, scope);
        }
    }
    cook_arena_finish(&arena);
}

/* ---- labels ---- */

static void put_texts(struct cook_buf *out, const char *what, const struct cook_json *list,
                      const char *member)
{
    for (const struct cook_json *item = list ? list->child : NULL; item; item = item->next) {
        const char *text;
        if (cook_json_string(member ? cook_json_get(item, member) : item, &text) && *text &&
            !strchr(text, '\n'))
            cook_buf_printf(out, "%s %s\n", what, text);
    }
}

void cook_asset_scan_label(struct cook_scan *scan, const char *class_name, const char *inner_path,
                           const struct cook_json *properties)
{
    const struct cook_registrar *types = cook_scan_types(scan);
    const struct cook_class_info *info = types ? cook_types_class(types, class_name) : NULL;
    bool label = info ? cook_class_is_a(info, COOK_LABEL_CLASS)
                      : strcmp(class_name, COOK_LABEL_CLASS) == 0;
    if (!label)
        return;
    const char *rule = "Unknown";
    int64_t priority = 0;
    int64_t chunk = -1;
    (void)cook_json_string(cook_json_get(properties, "Rule"), &rule);
    (void)cook_json_i64(cook_json_get(properties, "Priority"), &priority);
    (void)cook_json_i64(cook_json_get(properties, "Chunk"), &chunk);
    struct cook_buf key = COOK_BUF_INIT;
    struct cook_buf value = COOK_BUF_INIT;
    cook_buf_printf(&key, COOK_LABEL_TAG "%s", inner_path);
    cook_buf_printf(&value, "rule %s\npriority %lld\nchunk %lld\n", rule, (long long)priority,
                    (long long)chunk);
    put_texts(&value, "asset", cook_json_get(properties, "Assets"), "$soft");
    put_texts(&value, "folder", cook_json_get(properties, "Folders"), NULL);
    if (key.failed || value.failed)
        (void)cook_scan_fail(scan, 0, "out of memory");
    else
        cook_scan_tag(scan, cook_buf_text(&key), cook_buf_text(&value));
    cook_buf_finish(&key);
    cook_buf_finish(&value);
}

/* ---- what an editor's save recorded ---- */

void cook_asset_scan_registry(struct cook_scan *scan, const struct cook_json *registry)
{
    static const struct {
        const char *name;
        enum cook_edge edge;
    } kinds[] = {
        { "hard", COOK_EDGE_HARD },           { "soft", COOK_EDGE_SOFT },
        { "true_soft", COOK_EDGE_TRUE_SOFT }, { "editor_only", COOK_EDGE_EDITOR_ONLY },
        { "build_only", COOK_EDGE_BUILD_ONLY },
    };
    const struct cook_json *references = cook_json_get(registry, "references");
    const struct cook_json *tags = cook_json_get(registry, "tags");
    for (size_t i = 0; i < sizeof(kinds) / sizeof(kinds[0]); i++) {
        const struct cook_json *list = cook_json_get(references, kinds[i].name);
        for (const struct cook_json *item = list ? list->child : NULL; item; item = item->next) {
            const char *path;
            if (cook_json_string(item, &path))
                cook_scan_reference(scan, kinds[i].edge, path);
        }
    }
    for (const struct cook_json *tag = tags ? tags->child : NULL; tag; tag = tag->next) {
        const char *text;
        if (tag->key && cook_json_string(tag, &text))
            cook_scan_tag(scan, tag->key, text);
    }
}
