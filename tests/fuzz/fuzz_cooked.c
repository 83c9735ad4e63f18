/*
 * Cooked packages: what parses must have tables that stay within it; and the difference engine
 * must take any two packages, with no token maps and with a map made from the input.
 */
#include <stdlib.h>
#include <string.h>

#include "cook/archive/cooked.h"
#include "diffcook/diff.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void require(bool holds)
{
    if (!holds)
        abort();
}

static void check_tables(const struct cook_cooked *cooked)
{
    for (uint32_t i = 0; i < cooked->import_count; i++)
        require(cooked->imports[i].package && cooked->imports[i].inner);
    for (uint32_t i = 0; i < cooked->export_count; i++) {
        const struct cook_cooked_export *export = &cooked->exports[i];
        require(export->name && export->class_name);
        require(export->outer >= 0 && (uint32_t) export->outer <= i);
        require(export->offset >= cooked->data_offset);
        require(export->offset + export->size_bytes <= cooked->bulk_offset);
    }
    require(cooked->bulk_offset <= cooked->size);
}

/* One token for each byte pair of `script`: a path and a size. */
static void make_map(struct cook_token_map *map, const uint8_t *script, size_t count,
                     size_t covered)
{
    static const char *const paths[] = { "A:X",           "A:L#",         "A:L[].V",
                                         "B:X",           "B:L[]",        "#names[]",
                                         "#exports[].A",  "#imports[].P", "#soft[]",
                                         "#header.Total", "#header.C",    "B:L[].D#bulk" };
    for (size_t i = 0; covered > 0; i++) {
        uint8_t what = count ? script[i % count] : 0;
        size_t part = what % 13 < covered && i < 4096 ? what % 13 : covered;
        uint32_t index = what & 3;
        uint32_t path = cook_token_map_path(
            map, paths[what % 12], (enum cook_token_type)(what % COOK_TOKEN_TYPE_COUNT));
        cook_token_map_add(map, path, part, &index);
        covered -= part;
    }
}

/* The input against itself with its first third changed or cut. */
static void compare(const uint8_t *data, size_t size, bool with_maps)
{
    struct cook_arena arena = COOK_ARENA_INIT;
    struct cook_token_map maps[2];
    size_t cut = size / 3;
    struct diff_version old = { .bytes = data, .size = size };
    struct diff_version new = { .bytes = data + cut, .size = size - cut };
    for (int i = 0; i < 2; i++)
        cook_token_map_init(&maps[i]);
    if (with_maps) {
        make_map(&maps[0], data, cut, old.size);
        make_map(&maps[1], data + cut, size - cut, new.size);
        old.tokens = &maps[0];
        new.tokens = &maps[1];
    }
    struct diff_result result;
    require(diff_compare(&result, &old, &new, NULL, &arena, NULL) == COOK_OK);
    for (uint32_t i = 0; i < result.count; i++)
        require(result.differences[i].consequence_of < (int32_t)i);
    for (int i = 0; i < 2; i++)
        cook_token_map_finish(&maps[i]);
    cook_arena_finish(&arena);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct cook_arena arena = COOK_ARENA_INIT;
    struct cook_cooked cooked;
    if (cook_cooked_parse(&cooked, data, size, &arena, NULL) == COOK_OK)
        check_tables(&cooked);
    cook_arena_finish(&arena);
    compare(data, size, false);
    compare(data, size, true);
    return 0;
}
