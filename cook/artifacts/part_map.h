/*
 * Parts by package: the state of the built-in artifacts. Encoded ascending by package, so
 * that the same parts give the same bytes whatever came first.
 */
#ifndef COOK_ARTIFACTS_PART_MAP_H
#define COOK_ARTIFACTS_PART_MAP_H

#include <cook/artifact.h>

#include "cook/base/buf.h"
#include "cook/base/error.h"
#include "cook/base/intern.h"

struct cook_part_entry {
    const uint8_t *bytes;
    size_t size;
    bool present;
};
struct cook_part_map {
    struct cook_intern names;
    struct cook_part_entry *entries; /* by id of names */
    size_t capacity;
    struct cook_arena arena; /* of added bytes */
    size_t present_count;
};
#define COOK_PART_MAP_INIT                                                                     \
    {                                                                                          \
        COOK_INTERN_INIT, NULL, 0, COOK_ARENA_INIT, 0                                          \
    }

void cook_part_map_finish(struct cook_part_map *map);
/* Replaces an earlier part. The bytes are copied. */
enum cook_status cook_part_map_add(struct cook_part_map *map, const char *package,
                                   const void *bytes, size_t size) COOK_CHECK_RESULT;
void cook_part_map_remove(struct cook_part_map *map, const char *package);
/* Ids of what is in, ascending by package; owned by the caller, NULL when memory is short. */
uint32_t *cook_part_map_order(const struct cook_part_map *map);
enum cook_status cook_part_map_encode(const struct cook_part_map *map,
                                      struct cook_buf *out) COOK_CHECK_RESULT;
/* Add what untrusted bytes hold, borrowing them. COOK_E_MALFORMED. */
enum cook_status cook_part_map_decode(struct cook_part_map *map,
                                      struct cook_reader_buf *in) COOK_CHECK_RESULT;

/* The hooks of an artifact whose whole state is such a map: begin from it, add and remove parts,
 * release. `user` is the map. */
enum cook_status cook_part_map_fold_begin(void **user, struct cook_fold *fold);
enum cook_status cook_part_map_fold_add(void *user, const char *package, const void *part,
                                        size_t size);
enum cook_status cook_part_map_fold_remove(void *user, const char *package);
void cook_part_map_fold_release(void *user);

#endif
