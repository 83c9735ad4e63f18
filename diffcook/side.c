#include "side.h"

#include <string.h>

#define NONE_HASH 0x6e6f6e65ull /* of a null reference and of no name */

void diff_texts_finish(struct diff_texts *texts)
{
    cook_intern_finish(&texts->objects);
    cook_intern_finish(&texts->prefixes);
}

bool diff_side_has_tokens(const struct diff_version *version)
{
    if (!version->tokens)
        return false;
    uint64_t total = 0;
    for (size_t i = 0; i < version->tokens->count; i++)
        total += version->tokens->tokens[i].size;
    return total == version->size;
}

/* The object of "Outer/Object:Property", or COOK_INTERN_NONE with true for tables. */
static bool find_object(struct diff_path *facts, const char *path, struct diff_texts *texts)
{
    facts->object = COOK_INTERN_NONE;
    facts->is_table = path[0] == '#';
    const char *colon = strchr(path, ':');
    if (facts->is_table || !colon)
        return true;
    facts->object = cook_intern_add_n(&texts->objects, path, (size_t)(colon - path));
    return facts->object != COOK_INTERN_NONE;
}

/* "Rock:Lods#", "Rock:Lods#set" and "Rock:Lods" count the elements "Rock:Lods[]". */
static bool find_counted(struct diff_path *facts, const char *path, struct diff_side *side,
                         struct diff_texts *texts)
{
    char *prefix =
        cook_arena_printf(&side->arena, "%.*s[]", (int)diff_counted_length(path), path);
    facts->elements = prefix ? cook_intern_add(&texts->prefixes, prefix) : COOK_INTERN_NONE;
    return facts->elements != COOK_INTERN_NONE;
}

static bool find_prefixes(struct diff_side *side, struct diff_path *facts, const char *path,
                          struct diff_texts *texts)
{
    const char *at = path;
    for (uint32_t i = 0; (at = strstr(at, "[]")) != NULL; i++) {
        at += 2;
        uint32_t id = cook_intern_add_n(&texts->prefixes, path, (size_t)(at - path));
        if (id == COOK_INTERN_NONE)
            return false;
        side->prefix_ids[facts->first_prefix + i] = id;
    }
    return true;
}

static bool gather_paths(struct diff_side *side, const struct diff_side *other,
                         struct diff_texts *texts)
{
    const struct cook_token_map *map = side->map;
    size_t depth_sum = 0;
    for (size_t i = 0; i < map->paths.count; i++)
        depth_sum += map->depths[i];
    side->path_facts = cook_calloc(map->paths.count, sizeof(*side->path_facts));
    side->prefix_ids = cook_calloc(depth_sum, sizeof(*side->prefix_ids));
    if (!side->path_facts || !side->prefix_ids)
        return false;
    uint32_t first_prefix = 0;
    for (uint32_t i = 0; i < map->paths.count; i++) {
        struct diff_path *facts = &side->path_facts[i];
        const char *path = cook_intern_text(&map->paths, i);
        facts->first_prefix = first_prefix;
        facts->elements = COOK_INTERN_NONE;
        facts->common = i;
        if (other) {
            uint32_t found = cook_intern_find(&other->map->paths, path);
            facts->common =
                found != COOK_INTERN_NONE ? found : (uint32_t)other->map->paths.count + i;
        }
        if (!find_object(facts, path, texts) || !find_prefixes(side, facts, path, texts))
            return false;
        if (map->types[i] == COOK_TOKEN_COUNT && !find_counted(facts, path, side, texts))
            return false;
        first_prefix += map->depths[i];
    }
    return true;
}

static bool gather_references(struct diff_side *side)
{
    const struct cook_cooked *cooked = &side->cooked;
    side->import_texts =
        cook_arena_alloc(&side->arena, cooked->import_count * sizeof(*side->import_texts));
    side->export_texts =
        cook_arena_alloc(&side->arena, cooked->export_count * sizeof(*side->export_texts));
    if (!side->import_texts || !side->export_texts)
        return false;
    for (uint32_t i = 0; i < cooked->import_count; i++) {
        const struct cook_cooked_import *import = &cooked->imports[i];
        side->import_texts[i] =
            import->inner[0]
                ? cook_arena_printf(&side->arena, "%s.%s", import->package, import->inner)
                : import->package;
        if (!side->import_texts[i])
            return false;
    }
    for (uint32_t i = 0; i < cooked->export_count; i++) {
        const struct cook_cooked_export *export = &cooked->exports[i];
        /* An outer stands before what it holds (checked by the parser). */
        const char *outer = export->outer ? side->export_texts[export->outer - 1] : NULL;
        side->export_texts[i] =
            outer ? cook_arena_printf(&side->arena, "%s/%s", outer, export->name)
                  : export->name;
        if (!side->export_texts[i])
            return false;
    }
    return true;
}

static uint64_t hash_token(const struct diff_side *side, size_t token)
{
    switch ((int)diff_side_type(side, token)) {
    case COOK_TOKEN_OFFSET: /* follows from other tokens: aligned whatever it says */
    case COOK_TOKEN_PADDING:
        return 0;
    case COOK_TOKEN_NAME:
    case COOK_TOKEN_REF:
    case COOK_TOKEN_SOFT_REF: {
        if (!diff_side_is_resolved(side, token))
            break;
        const char *text = diff_side_resolve(side, token);
        return text ? cook_hash64(text, strlen(text)) : NONE_HASH;
    }
    default:
        break;
    }
    return cook_hash64(diff_side_bytes(side, token), diff_side_size(side, token));
}

static bool gather_tokens(struct diff_side *side)
{
    side->offsets = cook_malloc((side->count + 1) * sizeof(*side->offsets));
    side->paths = cook_malloc(side->count * sizeof(*side->paths));
    side->hashes = cook_malloc(side->count * sizeof(*side->hashes));
    if (!side->offsets || !side->paths || !side->hashes)
        return false;
    uint64_t offset = 0;
    for (size_t i = 0; i < side->count; i++) {
        side->offsets[i] = offset;
        offset += side->map->tokens[i].size;
        side->offsets[i + 1] = offset;
        side->paths[i] = diff_side_path(side, i)->common;
        side->hashes[i] = hash_token(side, i);
    }
    return true;
}

bool diff_side_init(struct diff_side *side, const struct diff_version *version,
                    const struct diff_side *other, struct diff_texts *texts)
{
    *side = (struct diff_side){
        .version = version,
        .map = version->tokens,
        .count = version->tokens->count,
    };
    enum cook_status status =
        cook_cooked_parse_any_order(&side->cooked, version->bytes, version->size, &side->arena, NULL);
    return status != COOK_E_NO_MEMORY && gather_references(side) &&
           gather_paths(side, other, texts) && gather_tokens(side);
}

void diff_side_finish(struct diff_side *side)
{
    cook_free(side->offsets);
    cook_free(side->paths);
    cook_free(side->hashes);
    cook_free(side->path_facts);
    cook_free(side->prefix_ids);
    cook_arena_finish(&side->arena);
}
