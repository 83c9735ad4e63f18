/*
 * Classes: a property table plus optional hooks. An absent hook means generic behaviour driven by
 * the table, so a plain data class is a struct, a table and a registration.
 *
 * Hooks run in a worker, for one package at a time. They get a context (context.h) through which
 * they read the world. A hook that fails returns a status other than COOK_OK (or logs an error):
 * the package fails, the cook goes on. Where a chain of classes has the same hook, it is called for
 * the root class first and for the object's own class last.
 *
 * Order of a cook:  construct -> properties and `serialize` (load phase) -> post_load
 *   -> pre_save -> begin_cache, is_cached … -> `serialize` (harvest, then write) -> on_cook_event
 *   -> clear_cached -> destruct.
 */
#ifndef COOK_CLASS_H
#define COOK_CLASS_H

#include <cook/types.h>

#ifdef __cplusplus
extern "C" {
#endif

enum cook_property_type {
    COOK_PROPERTY_UNKNOWN = 0,
    COOK_PROPERTY_BOOL, /* bool */
    COOK_PROPERTY_I8,
    COOK_PROPERTY_I16,
    COOK_PROPERTY_I32,
    COOK_PROPERTY_I64,
    COOK_PROPERTY_U8,
    COOK_PROPERTY_U16,
    COOK_PROPERTY_U32,
    COOK_PROPERTY_U64,
    COOK_PROPERTY_F32,
    COOK_PROPERTY_F64,
    COOK_PROPERTY_STRING,   /* struct cook_string */
    COOK_PROPERTY_NAME,     /* struct cook_name */
    COOK_PROPERTY_ENUM,     /* int32_t; `type_name` names a registered enum; JSON holds the name */
    COOK_PROPERTY_STRUCT,   /* embedded; `type_name` names a registered struct */
    COOK_PROPERTY_ARRAY,    /* struct cook_array of `element` (not ARRAY or MAP; use a struct) */
    COOK_PROPERTY_MAP,      /* struct cook_map of `element` */
    COOK_PROPERTY_BYTES,    /* struct cook_bytes; base64 text in JSON */
    COOK_PROPERTY_REF,      /* struct cook_ref */
    COOK_PROPERTY_SOFT_REF, /* struct cook_soft_ref */
};

enum cook_property_flags {
    COOK_PROPERTY_EDITOR_ONLY = 1u << 0, /* loaded, never saved; its references are no edges */
    COOK_PROPERTY_TRANSIENT = 1u << 1,   /* neither loaded nor saved */
    COOK_PROPERTY_NATIVE = 1u << 2,      /* loaded by the table, saved by `serialize` itself */
    COOK_PROPERTY_TRUE_SOFT = 1u << 3,   /* its soft references are saved, but are no edges */
    COOK_PROPERTY_SET = 1u << 4,         /* an array whose order says nothing */
};
/*
 * A whole object is for authors alone when its asset says "flags": ["EditorOnly"] beside "name" and
 * "class": neither it nor what is inside it is saved, and their references are no edges.
 *
 * A reference that is saved only sometimes is an EDITOR_ONLY property, which `serialize` writes
 * itself with cook_field_ref() or cook_field_soft_ref(): what it writes is saved and is an edge.
 */

struct cook_property {
    const char *name; /* as in JSON and in property paths; NULL ends a table */
    enum cook_property_type type;
    uint32_t offset; /* offsetof in the class's struct, bytes */
    uint32_t flags;
    const char *type_name;           /* enum or struct name (of the element too); else NULL */
    enum cook_property_type element; /* of ARRAY and MAP */
};

/* Table rows. `owner` is the C struct, `member` the field in it. */
#define COOK_PROPERTY(owner, member, name, type)                                                  \
    { name, type, (uint32_t)offsetof(owner, member), 0, NULL, COOK_PROPERTY_UNKNOWN }
#define COOK_PROPERTY_FLAGGED(owner, member, name, type, flags)                                   \
    { name, type, (uint32_t)offsetof(owner, member), flags, NULL, COOK_PROPERTY_UNKNOWN }
#define COOK_PROPERTY_TYPED(owner, member, name, type, type_name)                                 \
    { name, type, (uint32_t)offsetof(owner, member), 0, type_name, COOK_PROPERTY_UNKNOWN }
#define COOK_PROPERTY_ARRAY_OF(owner, member, name, element, type_name)                           \
    { name, COOK_PROPERTY_ARRAY, (uint32_t)offsetof(owner, member), 0, type_name, element }
#define COOK_PROPERTY_MAP_OF(owner, member, name, element, type_name)                             \
    { name, COOK_PROPERTY_MAP, (uint32_t)offsetof(owner, member), 0, type_name, element }
#define COOK_PROPERTY_END { NULL, COOK_PROPERTY_UNKNOWN, 0, 0, NULL, COOK_PROPERTY_UNKNOWN }

enum cook_event {
    COOK_EVENT_UNKNOWN = 0,
    COOK_EVENT_SAVE, /* the object was saved for the target: declare what the save depended on */
    /*
     * The object is saved by an editor (cook resave): declare with cook_add_runtime_dependency what comes
     * along, and with cook_depend_package or cook_depend_package_whole which packages its cook depends on.
     * Both are written into the source, so that they are known before the package is ever cooked. Other
     * dependencies do not count here, and declaring one is an error.
     */
    COOK_EVENT_EDITOR_SAVE,
};

/*
 * A class. Owned by the plugin, must stay valid and unchanged for the life of the process (a
 * plugin is never unloaded). Every pointer but `name` may be NULL.
 */
struct cook_class {
    const char *name;   /* "Weapon": becomes /Script/<Module>.Weapon */
    const char *parent; /* full name "/Script/Cook.Object", or NULL for the same */
    size_t size;        /* of the C struct, whose first member is the parent's struct */
    const struct cook_property *properties; /* own ones, ended by COOK_PROPERTY_END; not inherited */

    /* Set default values on a zeroed struct whose parent part is constructed already. They enter
     * the class schema, so a changed default recooks. Must not read anything. */
    void (*construct)(void *object);
    /* Release what is not package memory. Rarely needed. */
    void (*destruct)(void *object);

    /* Fix up a loaded object. May dereference other packages. Part of the load set: a package that
     * dereferences this one depends on everything that is read here. */
    enum cook_status (*post_load)(struct cook_context *context, void *object);
    /* Transform for the target, synchronously, just before save. */
    enum cook_status (*pre_save)(struct cook_context *context, void *object);

    /* Start asynchronous transforms with cook_async_run(). Called for all objects of a package
     * before any of them is saved. */
    enum cook_status (*begin_cache)(struct cook_context *context, void *object);
    /* True when the object can be saved. Polled, after the object's async work has ended; absent
     * means "as soon as the async work has ended". Work of your own threads is waited for here. Asked
     * after a failed begin_cache too: say true when there is nothing to wait for. */
    bool (*is_cached)(struct cook_context *context, void *object);
    /* Drop what begin_cache made. Called once after save, also when the save or begin_cache itself
     * failed: look whether there is something to drop. The object's own class comes first. */
    void (*clear_cached)(struct cook_context *context, void *object);

    /* Read or write native fields; called for load, save harvest and save write (archive.h). */
    void (*serialize)(struct cook_archive *archive, void *object);

    /* Add the class's own global inputs to its schema: versions, config that shapes every object.
     * A changed schema recooks every package that holds the class. */
    void (*append_to_class_schema)(struct cook_schema *schema);

    /* Add versions that `serialize` uses, with cook_schema_add_version(); they enter the schema. Keep
     * it apart from append_to_class_schema so that children and structs can be told from each other. */
    void (*declare_custom_versions)(struct cook_schema *schema);
    /* Other classes whose schema matters to this one (it makes their objects), with
     * cook_schema_add_class(). */
    void (*declare_construct_classes)(struct cook_schema *schema);

    /* Declare dependencies that cannot be seen: see cook_depend_* in context.h. */
    enum cook_status (*on_cook_event)(struct cook_context *context, void *object,
                                      enum cook_event event);

    /* Whether the object is part of the cooked package for a target and configuration ("client",
     * "server", or what a project makes of it; config [Cook] Configuration or --configuration, and
     * "client" when neither says). Without it, and what is inside it, references become
     * null; a package of which nothing is left is omitted. Asked of the loaded object; must look at
     * nothing else. */
    bool (*needs_load_for)(const void *object, const char *target, const char *configuration);

    /* Write text that helps to read a difference of this object, with cook_note_text() in context.h.
     * Called before clear_cached, and only where differences are studied: validation, determinism. */
    void (*determinism_helper)(struct cook_context *context, const void *object);

    /* Add the object's tags for the cooked asset registry, with cook_add_tag(). Called after save,
     * and only where an artifact asks for them. Config [AssetRegistry] +Tag=GLOB says which keys the
     * runtime gets; the others are kept for tools. `cook resave` writes them into the asset, where
     * cook_query_objects() finds them: make them of the object, not of config. */
    enum cook_status (*get_registry_tags)(struct cook_context *context, const void *object,
                                          struct cook_tags *tags);
};

/* What get_registry_tags fills. A key added twice keeps the last value; text is copied. */
void cook_add_tag(struct cook_tags *tags, const char *key, const char *value);

/* An embedded struct, shared by all classes that hold it; its schema enters theirs. */
struct cook_struct {
    const char *name; /* "DamageRange": referred to by `type_name`; unique over all plugins */
    size_t size;
    const struct cook_property *properties;
    void (*construct)(void *value);
    void (*serialize)(struct cook_archive *archive, void *value); /* after the properties */
    void (*append_to_class_schema)(struct cook_schema *schema);
    void (*declare_custom_versions)(struct cook_schema *schema);
};

struct cook_enum_entry {
    const char *name; /* NULL ends the table */
    int32_t value;
};
struct cook_enum {
    const char *name;
    const struct cook_enum_entry *entries;
};

/* What append_to_class_schema may add; each labelled, order matters. `schema` is never NULL. */
void cook_schema_add_u64(struct cook_schema *schema, const char *label, uint64_t value);
void cook_schema_add_string(struct cook_schema *schema, const char *label, const char *text);
/* A custom version: bump it when `serialize` or a transform gives something else for the same input;
 * that code has changed is not seen by itself. `guid` is any fixed text of your own. */
void cook_schema_add_version(struct cook_schema *schema, const char *guid, uint32_t version);
/* The schema of another class by its full name; an unregistered one is a value too. */
void cook_schema_add_class(struct cook_schema *schema, const char *class_name);
/* The current value of a config key; an unset key is a value too. */
void cook_schema_add_config(struct cook_schema *schema, const char *section, const char *key);

#ifdef __cplusplus
}
#endif

#endif
