/*
 * Value types that properties are made of. All memory behind them belongs to the package they were
 * loaded with (see cook_alloc in context.h): class code never frees it. A zeroed value is the empty
 * value of each type.
 */
#ifndef COOK_TYPES_H
#define COOK_TYPES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <cook/status.h>

#ifdef __cplusplus
extern "C" {
#endif

struct cook_context;
struct cook_archive;
struct cook_schema;
struct cook_tags;

/* Text, UTF-8. `data` is NUL-terminated; NULL when empty. `size` excludes the NUL. */
struct cook_string {
    const char *data;
    size_t size;
};

/* A short identifier that the cooked package stores once in its name table. NULL text is "None". */
struct cook_name {
    const char *text;
};

struct cook_bytes {
    uint8_t *data;
    size_t size;
};

/* `count` elements of the property's element type, one after another. */
struct cook_array {
    void *items;
    uint32_t count;
    uint32_t capacity;
};

/* Text keys to values of the property's element type; keys are unique and sorted by bytes. */
struct cook_map {
    struct cook_string *keys;
    void *values;
    uint32_t count;
    uint32_t capacity;
};

/*
 * A reference to an object by path: "/Game/Props/Rock.Mesh" names object Mesh of package
 * /Game/Props/Rock; a bare package name means the package's first object. NULL path is null.
 * Hard (cook_ref): the target is loaded with the referrer at run time. Soft (cook_soft_ref): the
 * target is cooked too, but the runtime decides when to load it.
 * The target is not in memory until class code asks for it with cook_dereference().
 */
struct cook_ref {
    const char *path;
};
struct cook_soft_ref {
    const char *path;
};

struct cook_vec2 {
    float x, y;
};
struct cook_vec3 {
    float x, y, z;
};
struct cook_vec4 {
    float x, y, z, w;
};

/*
 * Every object starts with this as its first member (of the root class of its chain; a child class
 * starts with its parent's struct). The SDK owns `state`.
 */
struct cook_object {
    struct cook_object_state *state;
};

/* Facts of an object; `object` is never NULL. Texts live as long as the object. */
const char *cook_object_name(const void *object);       /* "Mesh" */
const char *cook_object_class(const void *object);      /* "/Script/Cook.StaticMesh" */
const char *cook_object_package(const void *object);    /* "/Game/Props/Rock" */
const char *cook_object_inner_path(const void *object); /* "Outer/Mesh": path inside its package */
void *cook_object_outer(const void *object);            /* NULL when it has none */
bool cook_object_is_a(const void *object, const char *class_name); /* the class or an ancestor */

#ifdef __cplusplus
}
#endif

#endif
