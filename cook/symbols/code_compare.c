/* Walking two builds side by side, from the same root. */
#include <stdio.h>
#include <string.h>

#include "cook/base/intern.h"
#include "cook/symbols/code_internal.h"

#define MAX_PAIRS   200000
#define CALL_OPCODE 0xe8
#define JUMP_OPCODE 0xe9
#define PC_WIDTH    4

struct pair {
    struct code_entity old;
    struct code_entity new;
    uint32_t parent; /* index; UINT32_MAX: a root */
    unsigned depth;
};

struct comparing {
    struct cook_code *old;
    struct cook_code *new;
    struct pair *pairs; /* in order of visiting */
    size_t count, capacity;
    struct cook_intern seen; /* "old address/new address" */
    struct cook_intern externals;
    struct cook_code_change *changes;
    size_t change_count, change_capacity;
    struct cook_arena *arena;
    bool failed;
};

/* ---- references of an entity ---- */

/* One by one, those that were left without a relocation because caller and callee stood in one
 * section of the object file. */
struct walk {
    const struct cook_code *code;
    const struct code_entity *entity;
    size_t next;
    uint64_t offset; /* where the search for calls goes on */
};

static struct walk walk_start(const struct cook_code *code, const struct code_entity *entity)
{
    return (struct walk){ code, entity, code_first_reference(code, entity->address), 0 };
}

/* A call whose field no relocation covers, and that leads exactly to a function. */
static bool bare_call(const struct walk *walk, uint64_t limit, struct code_reference *out,
                      uint64_t *resume)
{
    const struct code_entity *entity = walk->entity;
    if (!entity->function || !entity->bytes)
        return false;
    for (uint64_t i = walk->offset; i + 1 + PC_WIDTH <= limit; i++) {
        int32_t distance;
        struct code_entity target;
        if (entity->bytes[i] != CALL_OPCODE && entity->bytes[i] != JUMP_OPCODE)
            continue;
        memcpy(&distance, entity->bytes + i + 1, sizeof(distance));
        uint64_t address = entity->address + i + 1 + PC_WIDTH + (uint64_t)(int64_t)distance;
        if (!code_entity_at(walk->code, address, &target) || !target.name || !target.function ||
            target.address != address || address == entity->address)
            continue;
        *out = (struct code_reference){ .place = entity->address + i + 1,
                                        .target = address,
                                        .type = 2, /* as R_X86_64_PC32 */
                                        .width = PC_WIDTH };
        *resume = i + 1 + PC_WIDTH;
        return true;
    }
    return false;
}

static bool walk_next(struct walk *walk, struct code_reference *out)
{
    const struct cook_code *code = walk->code;
    const struct code_entity *entity = walk->entity;
    bool have = walk->next < code->reference_count &&
                code->references[walk->next].place - entity->address < entity->size;
    uint64_t limit = have ? code->references[walk->next].place - entity->address : entity->size;
    if (bare_call(walk, limit, out, &walk->offset))
        return true;
    if (!have)
        return false;
    *out = code->references[walk->next++];
    walk->offset = limit + out->width;
    int32_t distance;
    if (out->relative && !out->target && code_field(code, out->place, &distance))
        out->target = entity->address + (uint64_t)(int64_t)distance;
    return true;
}

/* ---- pairs ---- */

static bool add_pair(struct comparing *c, const struct code_entity *old,
                     const struct code_entity *new, uint32_t parent)
{
    char key[48];
    (void)snprintf(key, sizeof(key), "%llx/%llx", (unsigned long long)old->address,
                   (unsigned long long)new->address);
    if (cook_intern_find(&c->seen, key) != COOK_INTERN_NONE || c->count >= MAX_PAIRS)
        return true;
    if (cook_intern_add(&c->seen, key) == COOK_INTERN_NONE ||
        !cook_grow(&c->pairs, &c->capacity, c->count + 1, sizeof(*c->pairs)))
        return false;
    c->pairs[c->count++] =
        (struct pair){ *old, *new, parent,
                       parent == UINT32_MAX ? 0 : c->pairs[parent].depth + 1 };
    return true;
}

/* The author's name of it: what compilers append (".isra.0", ".constprop.0") is cut. */
static const char *author_name(struct comparing *c, const char *symbol)
{
    const char *dot = strchr(symbol, '.');
    const char *name = symbol;
    if (dot && dot != symbol)
        name = cook_arena_strndup(c->arena, symbol, (size_t)(dot - symbol));
    c->failed |= !name;
    return name ? name : symbol;
}

static const char *name_of(struct comparing *c, const struct code_entity *entity)
{
    return entity->name ? author_name(c, entity->name) : "a constant";
}

static const char *path_of(struct comparing *c, uint32_t index, const char *last)
{
    const char *path = last;
    for (uint32_t i = index; path && i != UINT32_MAX; i = c->pairs[i].parent)
        path = cook_arena_printf(c->arena, "%s > %s", name_of(c, &c->pairs[i].new), path);
    return path ? path : last;
}

/* From the root to the change. */
static uint64_t *chain_of(struct comparing *c, uint32_t parent, uint64_t address, size_t *count)
{
    *count = 1;
    for (uint32_t i = parent; i != UINT32_MAX; i = c->pairs[i].parent)
        ++*count;
    uint64_t *chain = cook_arena_alloc(c->arena, *count * sizeof(*chain));
    size_t at = *count;
    if (chain)
        chain[--at] = address;
    for (uint32_t i = parent; chain && i != UINT32_MAX; i = c->pairs[i].parent)
        chain[--at] = c->pairs[i].new.name ? c->pairs[i].new.address : 0;
    return chain;
}

static void add_change(struct comparing *c, const char *symbol, uint32_t parent, bool data,
                       uint64_t address, unsigned depth)
{
    for (size_t i = 0; i < c->change_count; i++)
        if (strcmp(c->changes[i].symbol, symbol) == 0 && depth && !data)
            return;
    const char *copy = cook_arena_strdup(c->arena, symbol);
    if (!copy || !cook_grow(&c->changes, &c->change_capacity, c->change_count + 1,
                            sizeof(*c->changes))) {
        c->failed = true;
        return;
    }
    size_t count;
    uint64_t *chain = chain_of(c, parent, address, &count);
    c->failed |= !chain;
    c->changes[c->change_count++] = (struct cook_code_change){
        .symbol = copy,
        .path = path_of(c, parent, copy),
        .chain = chain,
        .chain_count = chain ? count : 0,
        .data = data,
        .depth = depth,
    };
}

static void reach(struct comparing *c, const struct code_reference *old,
                  const struct code_reference *new, uint32_t parent)
{
    struct code_entity a;
    struct code_entity b;
    if (code_entity_at(c->old, old->target, &a) && code_entity_at(c->new, new->target, &b) &&
        !add_pair(c, &a, &b, parent))
        c->failed = true;
}

/* ---- one pair ---- */

/* A symbol's version follows its name: "memcpy@GLIBC_2.14". */
static size_t name_length(const char *external)
{
    return strcspn(external, "@");
}

static bool same_external(const char *a, const char *b)
{
    if (!a || !b)
        return a == b;
    size_t length = name_length(a);
    return length == name_length(b) && strncmp(a, b, length) == 0;
}

static void note_external(struct comparing *c, const char *external)
{
    if (cook_intern_add_n(&c->externals, external, name_length(external)) == COOK_INTERN_NONE)
        c->failed = true;
}

/* Both lead to the same place of what they lead to: the third element of a table, say. */
static bool same_place(const struct comparing *c, const struct code_reference *old,
                       const struct code_reference *new)
{
    struct code_entity a;
    struct code_entity b;
    bool have_a = code_entity_at(c->old, old->target, &a);
    bool have_b = code_entity_at(c->new, new->target, &b);
    if (!have_a || !have_b)
        return have_a == have_b;
    /* Within code that is another, places move; that it is another is found when it is
     * compared. */
    return (a.function && b.function) || old->target - a.address == new->target - b.address;
}

/* Equal up to what references filled in. `*same` out. */
static void compare_in_step(struct comparing *c, uint32_t index, bool *same)
{
    struct pair pair = c->pairs[index]; /* the array may move */
    struct walk old_walk = walk_start(c->old, &pair.old);
    struct walk new_walk = walk_start(c->new, &pair.new);
    uint64_t at = 0;
    *same = pair.old.size == pair.new.size && !pair.old.bytes == !pair.new.bytes;
    while (*same && pair.old.bytes) {
        struct code_reference a = { .place = pair.old.address + pair.old.size };
        struct code_reference b = { .place = pair.new.address + pair.new.size };
        bool more = walk_next(&old_walk, &a);
        *same = more == walk_next(&new_walk, &b) && a.type == b.type &&
                a.place - pair.old.address ==
                    b.place - pair.new.address &&a.place - pair.old.address >= at;
        uint64_t upto = a.place - pair.old.address;
        *same = *same && memcmp(pair.old.bytes + at, pair.new.bytes + at, upto - at) == 0;
        if (!*same || !more)
            break;
        at = upto + a.width;
        *same = at <= pair.old.size && same_external(a.external, b.external) &&
                (a.external || same_place(c, &a, &b));
    }
}

/* What both lead to is compared too, whether they are equal or not: by position where they are,
 * by name where they are not. */
static void follow_in_step(struct comparing *c, uint32_t index)
{
    struct pair pair = c->pairs[index];
    struct walk old_walk = walk_start(c->old, &pair.old);
    struct walk new_walk = walk_start(c->new, &pair.new);
    struct code_reference a;
    struct code_reference b;
    while (walk_next(&old_walk, &a) && walk_next(&new_walk, &b)) {
        if (b.external && pair.new.function &&b.width)
            note_external(c, b.external);
        else if (!a.external && !b.external)
            reach(c, &a, &b, index);
    }
}

static void follow_by_name(struct comparing *c, uint32_t index)
{
    struct pair pair = c->pairs[index];
    struct walk walk = walk_start(c->new, &pair.new);
    struct code_reference b;
    while (walk_next(&walk, &b)) {
        struct code_entity new;
        struct code_entity old;
        if (b.external) {
            note_external(c, b.external);
            continue;
        }
        if (!code_entity_at(c->new, b.target, &new) || !new.name)
            continue;
        const struct code_symbol *symbol = code_symbol_find(c->old, new.name);
        if (symbol && code_entity_at(c->old, symbol->address, &old) &&
            !add_pair(c, &old, &new, index))
            c->failed = true;
    }
}

static void compare_pair(struct comparing *c, uint32_t index)
{
    bool same;
    compare_in_step(c, index, &same);
    if (same) {
        follow_in_step(c, index);
        return;
    }
    const struct pair *pair = &c->pairs[index];
    uint64_t address = pair->new.name ? pair->new.address : 0;
    add_change(c, name_of(c, &pair->new), pair->parent, !pair->new.function, address,
               pair->depth);
    follow_by_name(c, index);
}

static void add_root(struct comparing *c, const char *root)
{
    const struct code_symbol *old = code_symbol_find(c->old, root);
    const struct code_symbol *new = code_symbol_find(c->new, root);
    struct code_entity a;
    struct code_entity b;
    if (!old && !new)
        return;
    if (!old || !new || !code_entity_at(c->old, old->address, &a) ||
        !code_entity_at(c->new, new->address, &b))
        add_change(c, author_name(c, root), UINT32_MAX, false, new ? new->address : 0, 0);
    else if (!add_pair(c, &a, &b, UINT32_MAX))
        c->failed = true;
}

enum cook_status cook_code_compare(struct cook_code_comparison *out, struct cook_code *old,
                                   struct cook_code *new, const char *const *roots,
                                   size_t root_count, struct cook_arena *arena,
                                   struct cook_error *error)
{
    struct comparing c = { .old = old, .new = new, .arena = arena };
    *out = (struct cook_code_comparison){ 0 };
    for (size_t i = 0; i < root_count; i++)
        add_root(&c, roots[i]);
    for (size_t i = 0; i < c.count && !c.failed; i++)
        compare_pair(&c, (uint32_t)i);
    out->compared = c.count;
    out->count = c.change_count;
    out->changes = cook_arena_alloc(arena, (c.change_count + 1) * sizeof(*c.changes));
    if (out->changes && c.change_count)
        memcpy(out->changes, c.changes, c.change_count * sizeof(*c.changes));
    out->externals = cook_arena_alloc(arena, (c.externals.count + 1) * sizeof(char *));
    for (uint32_t i = 0; out->externals && i < c.externals.count; i++) {
        out->externals[i] = cook_arena_strdup(arena, cook_intern_text(&c.externals, i));
        out->external_count += out->externals[i] != NULL;
    }
    c.failed |= !out->changes || !out->externals;
    cook_free(c.pairs);
    cook_free(c.changes);
    cook_intern_finish(&c.seen);
    cook_intern_finish(&c.externals);
    return c.failed ? cook_error_set(error, COOK_E_NO_MEMORY, "out of memory comparing code")
                    : COOK_OK;
}
