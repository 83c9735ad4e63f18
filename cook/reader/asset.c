/* The native editor format: JSON objects with properties (design: NAME.asset). */
#include <stdio.h>
#include <string.h>

#include "cook/base/json.h"
#include "cook/object/reflect.h"
#include "cook/reader/asset_scan.h"
#include "cook/reader/readers.h"
#include "cook/registry/redirects.h"
#include "cook/worker/session.h"

/*
 * { "objects": [ { "name": "Sword", "class": "/Script/Arena.Weapon", "outer": "Rack",
 *                  "flags": ["EditorOnly"], "properties": { … } } ],
 *   "registry": { "references": { "hard": [ … ], … }, "build": [ … ], "tags": { … } } }
 *
 * `outer` is the inner path of an earlier object. "registry" is what an editor's save recorded (cook resave):
 * references of all kinds, packages that the cook depends on, and registry tags.
 */
struct asset_object {
    const char *name;
    const char *class_name;
    const char *outer; /* or NULL */
    bool editor_only;
    const struct cook_json *properties; /* or NULL */
    uint32_t line;
};

struct asset_fault {
    uint32_t line;
    const char *reason;
};

static bool valid_name(const char *name)
{
    if (!*name || strlen(name) > 255)
        return false;
    for (const char *c = name; *c; c++)
        if (strchr("/.:[]", *c) || (unsigned char)*c < 0x20 || *c == 0x7f)
            return false;
    return true;
}

static bool read_flags(struct asset_object *object, const struct cook_json *flags)
{
    if (!flags)
        return true;
    if (flags->type != COOK_JSON_ARRAY)
        return false;
    for (const struct cook_json *f = flags->child; f; f = f->next) {
        const char *text;
        if (!cook_json_string(f, &text) || strcmp(text, "EditorOnly") != 0)
            return false;
        object->editor_only = true;
    }
    return true;
}

static bool read_object(struct asset_object *object, const struct cook_json *json,
                        struct asset_fault *fault)
{
    *object = (struct asset_object){ .line = json->line };
    fault->line = json->line;
    fault->reason = NULL;
    const struct cook_json *outer = cook_json_get(json, "outer");
    const struct cook_json *name = cook_json_get(json, "name");
    object->properties = cook_json_get(json, "properties");
    if (json->type != COOK_JSON_OBJECT)
        fault->reason = "an entry of \"objects\" must be an object";
    else if (!cook_json_string(name, &object->name))
        fault->reason = "an object needs a \"name\"";
    else if (!valid_name(object->name))
        fault->reason = "an object name may not hold any of '/.:[]' or control characters";
    else if (!cook_json_string(cook_json_get(json, "class"), &object->class_name))
        fault->reason = "an object needs a \"class\"";
    else if (outer && outer->type != COOK_JSON_NULL && !cook_json_string(outer, &object->outer))
        fault->reason = "\"outer\" must be text";
    else if (!read_flags(object, cook_json_get(json, "flags")))
        fault->reason = "\"flags\" must be a list of \"EditorOnly\"";
    else if (object->properties && object->properties->type != COOK_JSON_OBJECT)
        fault->reason = "\"properties\" must be an object";
    return fault->reason == NULL;
}

/* The "objects" array, or NULL with the fault. */
static const struct cook_json *asset_objects(const struct cook_json *root,
                                             struct asset_fault *fault)
{
    const struct cook_json *objects = cook_json_get(root, "objects");
    fault->line = root->line;
    fault->reason = NULL;
    if (root->type != COOK_JSON_OBJECT || !objects || objects->type != COOK_JSON_ARRAY)
        fault->reason = "an asset is {\"objects\": [ … ]}";
    else if (objects->count == 0)
        fault->reason = "an asset needs at least one object";
    else
        return objects;
    return NULL;
}

/* The parser's message is "line: reason": split it so that the caller formats one way only. */
static uint32_t split_line(const char *message, const char **reason)
{
    uint32_t line = 0;
    *reason = message;
    const char *at = message;
    while (*at >= '0' && *at <= '9')
        line = line * 10 + (uint32_t)(*at++ - '0');
    if (at != message && strncmp(at, ": ", 2) == 0)
        *reason = at + 2;
    return line;
}

/* Where a redirector sends on is a fact that look-ups need without loading it. */
static void scan_redirector(struct cook_scan *scan, const struct asset_object *object)
{
    const struct cook_json *target = cook_json_get(object->properties, "Target");
    const char *path;
    char key[sizeof(COOK_REDIRECT_TAG) + 256 * 2];
    if (strcmp(object->class_name, COOK_REDIRECTOR_CLASS) != 0 || !target ||
        !cook_json_string(cook_json_get(target, "$ref"), &path))
        return;
    (void)snprintf(key, sizeof(key), COOK_REDIRECT_TAG "%s%s%s", object->outer ? object->outer : "",
                   object->outer ? "/" : "", object->name);
    cook_scan_tag(scan, key, path);
}

static void scan_label(struct cook_scan *scan, const struct asset_object *object)
{
    char path[4096];
    (void)snprintf(path, sizeof(path), "%s%s%s", object->outer ? object->outer : "",
                   object->outer ? "/" : "", object->name);
    cook_asset_scan_label(scan, object->class_name, path, object->properties);
}

/* Whether an outer is editor-only: what is inside one is not saved either. `before` is where the
 * outers have to be found. */
static bool is_editor_only(const struct cook_json *objects, const struct cook_json *before,
                           const char *outer)
{
    struct asset_object object;
    struct asset_fault fault;
    for (const struct cook_json *o = outer ? objects->child : NULL; o && o != before; o = o->next) {
        if (!read_object(&object, o, &fault) || !object.editor_only)
            continue;
        size_t in = object.outer ? strlen(object.outer) : 0;
        size_t name = strlen(object.name);
        if (in && (strncmp(outer, object.outer, in) != 0 || outer[in++] != '/'))
            continue;
        if (strncmp(outer + in, object.name, name) == 0 &&
            (outer[in + name] == '\0' || outer[in + name] == '/'))
            return true;
    }
    return false;
}

/* The objects of an asset, or NULL with the fault; a fault of the parser's points into `error`. */
static const struct cook_json *parse_asset(const struct cook_json **root, struct asset_fault *fault,
                                           const struct cook_source *source,
                                           struct cook_arena *arena, struct cook_error *error)
{
    if (cook_json_parse(root, NULL, (const char *)source->data, source->size, arena, error) ==
        COOK_OK)
        return asset_objects(*root, fault);
    fault->line = split_line(error->message, &fault->reason);
    return NULL;
}

static enum cook_status scan_asset(struct cook_scan *scan, const struct cook_source *source)
{
    struct cook_arena arena = COOK_ARENA_INIT;
    struct cook_error error = COOK_ERROR_INIT;
    struct asset_fault fault = { 0 };
    const struct cook_json *root;
    const struct cook_json *objects = parse_asset(&root, &fault, source, &arena, &error);
    enum cook_status status = COOK_OK;
    for (const struct cook_json *o = objects ? objects->child : NULL; o; o = o->next) {
        struct asset_object object;
        if (!read_object(&object, o, &fault))
            break;
        cook_scan_object(scan, object.name, object.class_name, object.outer);
        bool editor_only = object.editor_only || is_editor_only(objects, o, object.outer);
        cook_asset_scan_references(scan, object.class_name, object.properties, editor_only);
        scan_redirector(scan, &object);
        scan_label(scan, &object);
    }
    if (objects && !fault.reason)
        cook_asset_scan_registry(scan, cook_json_get(root, "registry"));
    if (objects && !fault.reason)
        cook_asset_scan_side(scan, source);
    if (fault.reason)
        status = cook_scan_fail(scan, fault.line, "%s", fault.reason);
    cook_arena_finish(&arena);
    return status;
}

static enum cook_status create_object(struct cook_loader *loader, const struct asset_object *object,
                                      struct cook_object_state **out)
{
    struct cook_object_state *outer = NULL;
    if (object->outer && !(outer = cook_package_find(loader->package, object->outer)))
        return cook_load_fail(loader, object->line, "outer %s is no earlier object", object->outer);
    struct cook_object *created = cook_load_object(loader, object->class_name, object->name,
                                                   outer ? outer->object : NULL);
    if (!created)
        return COOK_E_FAILED;
    *out = created->state;
    (*out)->editor_only = object->editor_only || (outer && outer->editor_only);
    return COOK_OK;
}

/* All objects are created before any property is set, so that a hook sees its siblings. */
static enum cook_status load_objects(struct cook_loader *loader, const struct cook_json *objects)
{
    struct asset_fault fault;
    struct asset_object object;
    enum cook_status status = COOK_OK;
    for (const struct cook_json *o = objects->child; status == COOK_OK && o; o = o->next) {
        struct cook_object_state *state;
        if (!read_object(&object, o, &fault))
            return cook_load_fail(loader, fault.line, "%s", fault.reason);
        status = create_object(loader, &object, &state);
    }
    uint32_t index = 0;
    for (const struct cook_json *o = objects->child; status == COOK_OK && o; o = o->next, index++) {
        const struct cook_json *properties = cook_json_get(o, "properties");
        if (properties)
            status = cook_reflect_load(loader, loader->package->objects[index]->object, properties,
                                       loader->source->path);
    }
    return status;
}

/* Packages that the cook of this one depends on, as an editor's save found out. */
static void load_registry(struct cook_context *context, const struct cook_json *registry)
{
    const struct cook_json *build = cook_json_get(registry, "build");
    for (const struct cook_json *item = build ? build->child : NULL; item; item = item->next) {
        const char *package;
        if (cook_json_string(item, &package))
            cook_depend_package_whole(context, package);
    }
}

static enum cook_status load_asset(struct cook_context *context, struct cook_loader *loader,
                                   const struct cook_source *source)
{
    struct cook_arena arena = COOK_ARENA_INIT;
    struct cook_error error = COOK_ERROR_INIT;
    struct asset_fault fault = { 0 };
    const struct cook_json *root;
    const struct cook_json *objects = parse_asset(&root, &fault, source, &arena, &error);
    enum cook_status status;
    if (objects)
        status = load_objects(loader, objects);
    else
        status = cook_load_fail(loader, fault.line, "%s", fault.reason);
    if (status == COOK_OK)
        load_registry(context, cook_json_get(root, "registry"));
    if (status == COOK_OK)
        status = cook_reflect_load_side(loader, source);
    cook_arena_finish(&arena);
    return status;
}

static const char *const extensions[] = { ".asset", NULL };

const struct cook_reader cook_reader_asset = {
    .name = "asset",
    .version = 5,
    .extensions = extensions,
    .scan = scan_asset,
    .load = load_asset,
};
