/*
 * Archives: how `serialize` hooks read and write native fields.
 *
 * One function serves three phases. *Load*: fields come from the object's JSON members of the same
 * names; a member that is not there leaves the field as constructed. *Harvest*: nothing is stored;
 * names and references are collected for the package's tables. *Write*: the bytes. Harvest and
 * write must do the same: a reference written but not harvested is an error. Harvest decides what is
 * cooked along: what is not written there is no runtime reference, and more can be added with
 * cook_add_runtime_dependency().
 *
 * Each write carries the object and the path of its field ("Rock:Lods[0].Indices"), so that a later
 * difference is reported in the author's own words. Give each field a name of its own.
 *
 * Errors are sticky: after a failure later calls do nothing, and the package fails.
 * Not thread-safe: serialize on the calling thread only.
 */
#ifndef COOK_ARCHIVE_H
#define COOK_ARCHIVE_H

#include <cook/types.h>

#ifdef __cplusplus
extern "C" {
#endif

enum cook_phase {
    COOK_PHASE_UNKNOWN = 0,
    COOK_PHASE_LOAD,
    COOK_PHASE_HARVEST,
    COOK_PHASE_WRITE,
};

enum cook_phase cook_archive_phase(const struct cook_archive *archive);
/* The context of the running operation; for reads that depend on the world. Never NULL. */
struct cook_context *cook_archive_context(struct cook_archive *archive);
enum cook_status cook_archive_status(const struct cook_archive *archive);
/* Fail the package from inside `serialize`; the message is logged with the property path. */
void cook_archive_fail(struct cook_archive *archive, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

/* Scalars: little-endian in the cooked package. `name` may be NULL inside an array element. */
void cook_field_bool(struct cook_archive *archive, const char *name, bool *value);
void cook_field_i8(struct cook_archive *archive, const char *name, int8_t *value);
void cook_field_i16(struct cook_archive *archive, const char *name, int16_t *value);
void cook_field_i32(struct cook_archive *archive, const char *name, int32_t *value);
void cook_field_i64(struct cook_archive *archive, const char *name, int64_t *value);
void cook_field_u8(struct cook_archive *archive, const char *name, uint8_t *value);
void cook_field_u16(struct cook_archive *archive, const char *name, uint16_t *value);
void cook_field_u32(struct cook_archive *archive, const char *name, uint32_t *value);
void cook_field_u64(struct cook_archive *archive, const char *name, uint64_t *value);
void cook_field_f32(struct cook_archive *archive, const char *name, float *value);
void cook_field_f64(struct cook_archive *archive, const char *name, double *value);

void cook_field_string(struct cook_archive *archive, const char *name, struct cook_string *value);
void cook_field_name(struct cook_archive *archive, const char *name, struct cook_name *value);
void cook_field_bytes(struct cook_archive *archive, const char *name, struct cook_bytes *value);
/* Hard references become entries of the import table; to a missing target: null and a warning. */
void cook_field_ref(struct cook_archive *archive, const char *name, struct cook_ref *value);
void cook_field_soft_ref(struct cook_archive *archive, const char *name,
                         struct cook_soft_ref *value);
/* A registered struct, by its table and hook. */
void cook_field_struct(struct cook_archive *archive, const char *name, const char *struct_name,
                       void *value);

/*
 * Arrays: cook_field_array() reads or writes the count; then call cook_field_element() before each
 * element and cook_field_array_end() after the last. At load set aside memory for `*count`
 * elements (at most 16 M) after the first call:
 *
 *     cook_field_array(archive, "Waves", &self->count);
 *     for (uint32_t i = 0; i < self->count; i++) {
 *         cook_field_element(archive, i);
 *         cook_field_u32(archive, NULL, &self->items[i]);
 *     }
 *     cook_field_array_end(archive);
 *
 * cook_field_set() is the same for elements whose order says nothing: another order is then told
 * apart from other elements when two cooks are compared.
 *
 * Elements with names of their own, as rows of a table, call cook_field_key() in place of
 * cook_field_element(): differences then show "Rows["Sword"].Damage", whatever else came before it. The
 * bytes are the same. `key` stays until the next element; NULL is "".
 */
void cook_field_array(struct cook_archive *archive, const char *name, uint32_t *count);
void cook_field_set(struct cook_archive *archive, const char *name, uint32_t *count);
void cook_field_element(struct cook_archive *archive, uint32_t index);
void cook_field_key(struct cook_archive *archive, uint32_t index, const char *key);
void cook_field_array_end(struct cook_archive *archive);
/* A named group of fields (a JSON object at load). */
void cook_field_group(struct cook_archive *archive, const char *name);
void cook_field_group_end(struct cook_archive *archive);

/*
 * Derived data, save only (load: nothing happens). `cook_write_data` puts `size` raw bytes inline;
 * `cook_write_bulk` puts them in the bulk section, 16-byte aligned, with offset and size inline.
 * `bytes` may be NULL when size is 0.
 */
void cook_write_data(struct cook_archive *archive, const char *name, const void *bytes,
                     size_t size);
void cook_write_bulk(struct cook_archive *archive, const char *name, const void *bytes,
                     size_t size);
/*
 * The same bytes, and how they are to be printed: `layout` is what one element consists of, a type of
 * number (i8 i16 i32 i64 u8 u16 u32 u64 f32 f64, little-endian) and, where there are several, their count
 * from 2 to 16: "u16", "f32x3". A difference then tells which elements differ, with their values, also
 * where the plugin is not at hand. The layout stands in the token map, not in the package. An unknown
 * layout, or a size that is no multiple of the element's, is a save error.
 */
void cook_write_data_elements(struct cook_archive *archive, const char *name, const char *layout,
                              const void *bytes, size_t size);
void cook_write_bulk_elements(struct cook_archive *archive, const char *name, const char *layout,
                              const void *bytes, size_t size);

#ifdef __cplusplus
}
#endif

#endif
