/*
 * The archive behind the SDK's cook_field_* functions. One struct serves the three phases; each
 * phase is a file: archive_load.c reads JSON, archive_harvest.c collects names and references,
 * archive_write.c makes bytes and tokens. archive.c holds the path and the dispatch.
 */
#ifndef COOK_ARCHIVE_ARCHIVE_H
#define COOK_ARCHIVE_ARCHIVE_H

#include <cook/archive.h>

#include "cook/archive/tokens.h"
#include "cook/base/json.h"
#include "cook/worker/session.h"

#define COOK_ARCHIVE_MAX_DEPTH 64
#define COOK_ARCHIVE_PATH_BYTES 4096

/* One open scope: the object itself, a group, an array, an element of one. */
struct cook_archive_scope {
    size_t path_length;             /* of the path text when the scope was opened */
    uint32_t index_count;           /* indices in use when it was opened */
    const struct cook_json *json;   /* load: the value of the scope, or NULL */
    const struct cook_json *cursor; /* load, arrays: the element at hand */
    uint32_t cursor_index;
};

/* What harvest collected, then sorted: the tables of the package (tables.c). */
struct cook_tables {
    struct cook_arena arena;
    struct cook_intern names;
    struct cook_intern import_paths; /* reference paths as written, to other packages */
    struct cook_import *imports;     /* by id of import_paths */
    size_t import_capacity;
    struct cook_intern soft_paths; /* soft reference paths as written */
    uint32_t *soft_of;             /* by id of soft_paths: id of soft */
    size_t soft_capacity;
    struct cook_intern soft; /* after redirects */
    uint32_t *name_rank;   /* name id -> index in the sorted table */
    uint32_t *import_rank; /* import_paths id -> index in the sorted, deduplicated table */
    uint32_t *soft_rank;
    uint32_t *name_order;  /* sorted index -> name id; the same for the others */
    uint32_t *import_order;
    uint32_t *soft_order;
    uint32_t import_count; /* distinct imports */
    bool sorted;
    bool failed;
};
enum cook_import_kind {
    COOK_IMPORT_UNKNOWN = 0,
    COOK_IMPORT_NULL,     /* missing target, or one that is not saved */
    COOK_IMPORT_EXPORT,   /* an object of this package */
    COOK_IMPORT_EXTERNAL, /* another package's */
};
struct cook_import {
    enum cook_import_kind kind;
    uint32_t export_index;
    const char *package;
    const char *inner;
    const char *class_name;
};
void cook_tables_finish(struct cook_tables *tables);
/* Sort the tables for writing. Afterwards look-ups give indices, and additions are errors. */
void cook_tables_sort(struct cook_tables *tables);

struct cook_archive {
    enum cook_phase phase;
    struct cook_context *context;
    enum cook_status status;
    const char *object_path; /* inner path of the object being serialized */
    char path[COOK_ARCHIVE_PATH_BYTES];
    size_t path_length;
    struct cook_archive_scope scopes[COOK_ARCHIVE_MAX_DEPTH];
    uint32_t depth;
    uint32_t indices[COOK_ARCHIVE_MAX_DEPTH];
    const char *keys[COOK_ARCHIVE_MAX_DEPTH]; /* of map entries, borrowed; NULL for elements */
    uint32_t index_count;

    /* load */
    const char *file;                /* for messages */
    const struct cook_json *members; /* of the object */
    bool *consumed;                  /* per member */
    uint32_t unknown_count;          /* members of structs that nothing asked for */

    /* harvest and write */
    struct cook_tables *tables;
    const int32_t *export_of; /* object index -> export index, -1 where not saved */
    struct cook_save_result *result;
    struct cook_bulk *bulk; /* payloads awaiting the bulk section */
    bool true_soft;         /* the property at hand asks for nothing by its soft references */
    unsigned hook_depth;    /* cook_stacks_depth() at the hook */
};

#define COOK_BULK_MAX_DEPTH 8
struct cook_bulk_item {
    const char *path; /* normalised, of the payload's token */
    uint32_t indices[COOK_BULK_MAX_DEPTH];
    const void *bytes; /* borrowed until the write phase ends */
    size_t size;
    size_t patch_offset; /* of the inline offset field */
    uint32_t stack;
};
struct cook_bulk {
    struct cook_arena arena;
    struct cook_bulk_item *items;
    size_t count;
    size_t capacity;
};

/* Begin an object: resets path and scopes. `members` for the load phase, else NULL. */
void cook_archive_begin(struct cook_archive *archive, const char *object_path,
                        const struct cook_json *members);
/* Open and close scopes; used by the SDK functions and by reflection. `name` may be NULL. */
void cook_archive_push(struct cook_archive *archive, const char *name);
void cook_archive_pop(struct cook_archive *archive);
/* Within an open array: make element `index`, or the map entry `key`, the place of what follows. */
void cook_archive_set_element(struct cook_archive *archive, uint32_t index);
void cook_archive_set_key(struct cook_archive *archive, const char *key);

/* The JSON value of field `name` in the scope at hand, or NULL. Marks it as asked for. */
const struct cook_json *cook_archive_json(struct cook_archive *archive, const char *name);
/* Report a value of the wrong type: "path:line: Property: expected …". */
void cook_archive_wrong_type(struct cook_archive *archive, const struct cook_json *value,
                             const char *name, const char *expected);

/* One value of a property type, at `name` in the scope at hand, by phase. The core of both
 * reflection and the cook_field_* functions; not for containers. */
void cook_archive_value(struct cook_archive *archive, const char *name,
                        enum cook_property_type type, const char *type_name, void *value);
void cook_archive_load_value(struct cook_archive *archive, const char *name,
                             enum cook_property_type type, const char *type_name, void *value);
void cook_archive_harvest_value(struct cook_archive *archive, const char *name,
                                enum cook_property_type type, const void *value);
void cook_archive_write_value(struct cook_archive *archive, const char *name,
                              enum cook_property_type type, const void *value);
/* All properties of a table, containers included (reflection.c). */
void cook_archive_properties(struct cook_archive *archive, const struct cook_property *properties,
                             void *base);

/* For people: the path at hand plus `name` (may be NULL), its indices and keys filled in, cut to
 * fit: "World:Actors[3].Mesh". Returns `text`. */
#define COOK_ARCHIVE_PLACE_BYTES 1024
const char *cook_archive_place(const struct cook_archive *archive, const char *name,
                               char text[COOK_ARCHIVE_PLACE_BYTES]);

/* Append bytes with a token of the path at hand plus `name`. */
void cook_archive_put(struct cook_archive *archive, const char *name, enum cook_token_type type,
                      const void *bytes, size_t size);
void cook_archive_put_u32(struct cook_archive *archive, const char *name,
                          enum cook_token_type type, uint32_t value);
/* Write a table row: a token whose path is `path` ("#names[]") with one index. */
void cook_archive_put_row(struct cook_archive *archive, const char *path,
                          enum cook_token_type type, uint32_t index, const void *bytes,
                          size_t size);
/* Append all bulk payloads, aligned, and patch their inline offsets. */
void cook_archive_flush_bulk(struct cook_archive *archive);

/* Collect or find a hard reference (tables.c); `name` is the field that holds it, or NULL. */
void cook_tables_add_name(struct cook_tables *tables, const char *text);
uint32_t cook_tables_name_index(const struct cook_tables *tables, const char *text);
void cook_tables_add_reference(struct cook_archive *archive, const char *name, const char *path);
/* As COOK_TOKEN_REF; false when it was not harvested. */
bool cook_tables_reference(const struct cook_tables *tables, const char *path, int32_t *out);
void cook_tables_add_soft(struct cook_archive *archive, const char *path);
uint32_t cook_tables_soft_index(const struct cook_tables *tables, const char *path);

#endif
