#include "cook/plan/chunks.h"

#include <stdlib.h>
#include <string.h>

#include "cook/base/alloc.h"

struct pair {
    uint32_t package;
    uint32_t chunk;
};

struct assigning {
    const struct cook_chunk_input *input;
    struct cook_chunk_parent *parents; /* sorted by child */
    uint32_t *level_of; /* by package: 1 + the rank group that owns it, 0 for none */
    uint32_t *seen_by;  /* by package: the last search that entered it */
    uint32_t *stack;
    struct pair *pairs;
    size_t pair_count;
    size_t pair_capacity;
};

static enum cook_status no_memory(struct cook_error *error)
{
    return cook_error_set(error, COOK_E_NO_MEMORY, "out of memory for the chunks");
}

/* ---- the tree ---- */

static int compare_parents(const void *a, const void *b)
{
    const struct cook_chunk_parent *x = a;
    const struct cook_chunk_parent *y = b;
    return (x->child > y->child) - (x->child < y->child);
}

/* Of a chunk other than 0. */
static uint32_t parent_of(const struct assigning *a, uint32_t chunk)
{
    const struct cook_chunk_parent wanted = { chunk, 0 };
    const struct cook_chunk_parent *found =
        a->input->parent_count ? bsearch(&wanted, a->parents, a->input->parent_count,
                                         sizeof(wanted), compare_parents)
                               : NULL;
    return found ? found->parent : 0;
}

static enum cook_status check_tree(const struct assigning *a, struct cook_error *error)
{
    size_t count = a->input->parent_count;
    for (size_t i = 0; i < count; i++) {
        uint32_t child = a->parents[i].child;
        if (child == 0)
            return cook_error_set(error, COOK_E_CONFIG,
                                  "[Chunks] chunk 0 cannot have a parent");
        if (i && a->parents[i - 1].child == child &&
            a->parents[i - 1].parent != a->parents[i].parent)
            return cook_error_set(error, COOK_E_CONFIG, "[Chunks] chunk %u has two parents",
                                  child);
        size_t depth = 0;
        for (uint32_t c = child; c != 0; c = parent_of(a, c))
            if (++depth > count + 1)
                return cook_error_set(error, COOK_E_CONFIG,
                                      "[Chunks] the parents of chunk %u form a cycle", child);
    }
    return COOK_OK;
}

static bool is_ancestor(const struct assigning *a, uint32_t ancestor, uint32_t chunk)
{
    while (chunk != 0) {
        chunk = parent_of(a, chunk);
        if (chunk == ancestor)
            return true;
    }
    return false;
}

static uint32_t common_ancestor(const struct assigning *a, uint32_t x, uint32_t y)
{
    while (x != y && !is_ancestor(a, x, y))
        x = parent_of(a, x);
    return x;
}

/* ---- owning ---- */

static bool add_pair(struct assigning *a, uint32_t package, uint32_t chunk)
{
    if (!cook_grow(&a->pairs, &a->pair_capacity, a->pair_count + 1, sizeof(*a->pairs)))
        return false;
    a->pairs[a->pair_count++] = (struct pair){ package, chunk };
    return true;
}

static int32_t rank_of(const struct cook_chunk_root *root)
{
    return root->priority < 0 ? -1 : root->priority;
}

/* Highest rank first; then by chunk. */
static int compare_roots(const void *a, const void *b)
{
    const struct cook_chunk_root *x = a;
    const struct cook_chunk_root *y = b;
    if (rank_of(x) != rank_of(y))
        return rank_of(x) > rank_of(y) ? -1 : 1;
    int32_t chunk_x = x->chunk < 0 ? -1 : x->chunk;
    int32_t chunk_y = y->chunk < 0 ? -1 : y->chunk;
    return (chunk_x > chunk_y) - (chunk_x < chunk_y);
}

static bool enter(struct assigning *a, uint32_t package, uint32_t level, uint32_t search,
                  int32_t chunk, size_t *depth)
{
    if (package >= a->input->package_count || a->seen_by[package] == search ||
        (a->level_of[package] && a->level_of[package] != level))
        return true;
    a->seen_by[package] = search;
    a->level_of[package] = level;
    a->stack[(*depth)++] = package;
    return chunk < 0 || add_pair(a, package, (uint32_t)chunk);
}

/* All that some roots of one rank and chunk own. What a higher rank owns leads only to what
 * that rank owns as well, so that it need not be passed through. */
static bool own(struct assigning *a, const struct cook_chunk_root *roots, size_t count,
                uint32_t level, uint32_t search)
{
    const struct cook_chunk_input *in = a->input;
    size_t depth = 0;
    for (size_t i = 0; i < count; i++) {
        if (!enter(a, roots[i].package, level, search, roots[i].chunk, &depth))
            return false;
        while (depth) {
            uint32_t package = a->stack[--depth];
            for (uint32_t e = in->edge_first[package]; e < in->edge_first[package + 1]; e++)
                if (!enter(a, in->edges[e], level, search, roots[i].chunk, &depth))
                    return false;
        }
    }
    return true;
}

static bool own_all(struct assigning *a, const struct cook_chunk_root *roots)
{
    uint32_t level = 0;
    uint32_t search = 0;
    for (size_t i = 0; i < a->input->root_count;) {
        size_t end = i + 1;
        while (end < a->input->root_count && compare_roots(&roots[i], &roots[end]) == 0)
            end++;
        if (i == 0 || rank_of(&roots[i]) != rank_of(&roots[i - 1]))
            level++;
        if (!own(a, &roots[i], end - i, level, ++search))
            return false;
        i = end;
    }
    return true;
}

/* ---- the result ---- */

static int compare_pairs(const void *a, const void *b)
{
    const struct pair *x = a;
    const struct pair *y = b;
    if (x->package != y->package)
        return x->package < y->package ? -1 : 1;
    return (x->chunk > y->chunk) - (x->chunk < y->chunk);
}

/* The chunks of one package, of `count` wanted ones (ascending, perhaps twice); how many out.
 * */
static uint32_t reduce(const struct assigning *a, const struct pair *wanted, size_t count,
                       bool single, uint32_t *out)
{
    uint32_t kept = 0;
    if (count == 0) {
        out[0] = 0;
        return 1;
    }
    if (single) {
        out[0] = wanted[0].chunk;
        for (size_t i = 1; i < count; i++)
            out[0] = common_ancestor(a, out[0], wanted[i].chunk);
        return 1;
    }
    for (size_t i = 0; i < count; i++) {
        bool needed = i == 0 || wanted[i].chunk != wanted[i - 1].chunk;
        for (size_t k = 0; needed && k < count; k++)
            needed = !is_ancestor(a, wanted[k].chunk, wanted[i].chunk);
        if (needed)
            out[kept++] = wanted[i].chunk;
    }
    return kept;
}

static enum cook_status write_out(struct cook_chunk_assignment *out, struct assigning *a,
                                  struct cook_error *error)
{
    uint32_t count = a->input->package_count;
    size_t at = 0;
    uint32_t used = 0;
    if (a->pair_count)
        qsort(a->pairs, a->pair_count, sizeof(*a->pairs), compare_pairs);
    out->first = cook_malloc(((size_t)count + 1) * sizeof(uint32_t));
    out->chunks = cook_malloc(((size_t)count + a->pair_count + 1) * sizeof(uint32_t));
    if (!out->first || !out->chunks)
        return no_memory(error);
    for (uint32_t package = 0; package < count; package++) {
        size_t end = at;
        while (end < a->pair_count && a->pairs[end].package == package)
            end++;
        bool single = a->input->single && a->input->single[package];
        out->first[package] = used;
        used += reduce(a, a->pairs + at, end - at, single, out->chunks + used);
        at = end;
    }
    out->first[count] = used;
    return COOK_OK;
}

enum cook_status cook_chunks_assign(struct cook_chunk_assignment *out,
                                    const struct cook_chunk_input *input,
                                    struct cook_error *error)
{
    struct assigning a = { .input = input };
    size_t count = (size_t)input->package_count + 1;
    *out = (struct cook_chunk_assignment){ 0 };
    struct cook_chunk_root *roots = cook_malloc((input->root_count + 1) * sizeof(*roots));
    a.parents = cook_malloc((input->parent_count + 1) * sizeof(*a.parents));
    a.level_of = cook_calloc(count, sizeof(uint32_t));
    a.seen_by = cook_calloc(count, sizeof(uint32_t));
    a.stack = cook_malloc(count * sizeof(uint32_t));
    a.pairs = cook_malloc((a.pair_capacity = 16) * sizeof(*a.pairs));
    enum cook_status status = COOK_OK;
    if (!roots || !a.parents || !a.level_of || !a.seen_by || !a.stack || !a.pairs)
        status = no_memory(error);
    if (status == COOK_OK && input->parent_count) {
        memcpy(a.parents, input->parents, input->parent_count * sizeof(*a.parents));
        qsort(a.parents, input->parent_count, sizeof(*a.parents), compare_parents);
        status = check_tree(&a, error);
    }
    if (status == COOK_OK && input->root_count) {
        memcpy(roots, input->roots, input->root_count * sizeof(*roots));
        qsort(roots, input->root_count, sizeof(*roots), compare_roots);
        if (!own_all(&a, roots))
            status = no_memory(error);
    }
    for (size_t i = 0; status == COOK_OK && i < input->startup_count; i++)
        if (input->startup[i] < input->package_count && !add_pair(&a, input->startup[i], 0))
            status = no_memory(error);
    if (status == COOK_OK)
        status = write_out(out, &a, error);
    if (status != COOK_OK)
        cook_chunk_assignment_finish(out);
    cook_free(roots);
    cook_free(a.parents);
    cook_free(a.level_of);
    cook_free(a.seen_by);
    cook_free(a.stack);
    cook_free(a.pairs);
    return status;
}

void cook_chunk_assignment_finish(struct cook_chunk_assignment *assignment)
{
    cook_free(assignment->first);
    cook_free(assignment->chunks);
    *assignment = (struct cook_chunk_assignment){ 0 };
}
