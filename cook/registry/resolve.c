#include "cook/registry/registry.h"

#include <string.h>

#include "cook/registry/facts_internal.h"
#include "cook/registry/redirects.h"

/* The present package whose name is the first `length` bytes of `path`, or COOK_ID_NONE. */
static uint32_t find_present(struct cook_state *state, char *path, size_t length)
{
    char after = path[length];
    path[length] = '\0';
    uint32_t id = cook_state_find_package(state, path);
    path[length] = after;
    bool present = id != COOK_ID_NONE && (state->packages[id].flags & COOK_PACKAGE_PRESENT);
    return present ? id : COOK_ID_NONE;
}

/* The longest match; `*length` is that of its name. Package names and paths may both hold dots.
 */
static uint32_t find_longest(struct cook_state *state, char *path, size_t *length)
{
    *length = strlen(path);
    for (;;) {
        uint32_t id = find_present(state, path, *length);
        if (id != COOK_ID_NONE)
            return id;
        do {
            if (*length == 0)
                return COOK_ID_NONE;
            --*length;
        } while (path[*length] != '.');
    }
}

/* Without redirects. */
static struct cook_resolved find(struct cook_state *state, const char *path,
                                 struct cook_arena *arena)
{
    struct cook_resolved resolved = { COOK_ID_NONE, NULL, NULL, path };
    struct cook_fact_object object;
    size_t length, size;
    char *copy = cook_arena_strdup(arena, path);
    if (!copy)
        return resolved;
    resolved.package = find_longest(state, copy, &length);
    if (resolved.package == COOK_ID_NONE)
        return resolved;
    const char *inner = copy[length] ? copy + length + 1 : NULL;
    const uint8_t *facts =
        cook_state_blob(state, state->results[resolved.package].facts, &size);
    if (cook_facts_find_object(&object, facts, size, inner, arena) == COOK_OK) {
        resolved.inner = object.path;
        resolved.class_name = object.class_name;
    }
    return resolved;
}

/* Where a redirector object sends on, or NULL. */
static const char *redirector_target(struct cook_state *state, const struct cook_resolved *found,
                                     struct cook_arena *arena)
{
    size_t size;
    struct cook_facts facts;
    if (!found->class_name || strcmp(found->class_name, COOK_REDIRECTOR_CLASS) != 0)
        return NULL;
    const uint8_t *blob = cook_state_blob(state, state->results[found->package].facts, &size);
    const char *key = cook_arena_printf(arena, COOK_REDIRECT_TAG "%s", found->inner);
    if (!key || cook_facts_decode(&facts, blob, size, arena, NULL) != COOK_OK)
        return NULL;
    for (size_t i = 0; i < facts.tag_count; i++)
        if (strcmp(facts.tags[i].key, key) == 0)
            return facts.tags[i].value;
    return NULL;
}

struct cook_resolved cook_registry_resolve(struct cook_state *state, const char *path,
                                           struct cook_arena *arena)
{
    struct cook_resolved resolved = { COOK_ID_NONE, NULL, NULL, path };
    for (unsigned i = 0; i <= COOK_REDIRECT_LIMIT; i++) {
        const char *next = cook_redirects_apply(state->redirects, path, arena);
        if (next == path) {
            resolved = find(state, path, arena);
            next = redirector_target(state, &resolved, arena);
        }
        if (!next)
            break;
        path = next;
    }
    return resolved;
}

struct cook_hash cook_registry_redirect_outcome(struct cook_state *state, const char *path,
                                                struct cook_arena *arena)
{
    struct cook_resolved resolved = cook_registry_resolve(state, path, arena);
    return cook_hash_bytes(resolved.path, strlen(resolved.path));
}

struct cook_hash cook_registry_outcome_of(const struct cook_state *state,
                                          const struct cook_resolved *resolved)
{
    bool found = resolved->package != COOK_ID_NONE;
    const char *package =
        found ? cook_state_text(state, state->packages[resolved->package].name) : "";
    struct cook_hasher hasher;
    cook_hasher_init(&hasher);
    cook_hasher_update_u64(&hasher, found ? (resolved->inner ? 2 : 1) : 0);
    cook_hasher_update_string(&hasher, package);
    cook_hasher_update_string(&hasher, resolved->inner);
    cook_hasher_update_string(&hasher, resolved->class_name);
    struct cook_hash hash = cook_hasher_digest(&hasher);
    if (cook_hash_is_zero(hash))
        hash.low = 1;
    return hash;
}

struct cook_hash cook_registry_ref_outcome(struct cook_state *state, const char *path,
                                           struct cook_arena *arena)
{
    struct cook_resolved resolved = cook_registry_resolve(state, path, arena);
    return cook_registry_outcome_of(state, &resolved);
}
