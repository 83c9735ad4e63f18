#include "align_internal.h"

#include <string.h>

#include "cook/base/alloc.h"

/* Fewer single-token anchors than one in so many tokens are chance. */
#define NOISE_SPARSE 1024
#define HASH_FACTOR  0x9E3779B97F4A7C15ull

struct slot {
    uint64_t hash; /* 0: empty */
    int32_t a;     /* the last window seen on each side */
    int32_t b;
    uint32_t a_count;
    uint32_t b_count;
};

struct anchor {
    int32_t a;
    int32_t b;
    int32_t rank; /* place in the order of b */
};

/* Anchors that follow one another on both sides. */
struct run {
    int32_t first; /* into anchors, in the order of a */
    int32_t count;
    int32_t rank;     /* of the first anchor; then of the run among runs */
    int32_t previous; /* of the heaviest chain that ends here */
    bool kept;
};

/* A heaviest chain so far, in a tree indexed by rank (Fenwick: prefix maxima). */
struct chain {
    int64_t weight;
    int32_t run;
};

struct anchors {
    struct slot *slots;
    size_t mask;
    int32_t *rank_of_a; /* by token of a in the box */
    int32_t *b_of_rank;
    struct anchor *list; /* in the order of a */
    int32_t count;
    struct run *runs;
    int32_t run_count;
    int32_t *run_of_rank;
    struct chain *chains;
};

static void anchors_finish(struct anchors *s)
{
    cook_free(s->slots);
    cook_free(s->rank_of_a);
    cook_free(s->b_of_rank);
    cook_free(s->list);
    cook_free(s->runs);
    cook_free(s->run_of_rank);
    cook_free(s->chains);
}

static uint64_t mix(uint64_t x)
{
    x ^= x >> 32;
    x *= 0xd6e8feb86659fd93ull;
    x ^= x >> 32;
    x *= 0xd6e8feb86659fd93ull;
    x ^= x >> 32;
    return x | 1;
}

static struct slot *find_slot(const struct anchors *s, uint64_t hash)
{
    size_t at = hash & s->mask;
    while (s->slots[at].hash && s->slots[at].hash != hash)
        at = (at + 1) & s->mask;
    return &s->slots[at];
}

/* The rolling hash of a window, one token further. */
struct roller {
    const uint64_t *keys;
    int32_t window;
    uint64_t hash;
    uint64_t power; /* weight of the token that leaves */
};

static struct roller roller_init(const uint64_t *keys, int32_t window)
{
    struct roller r = { .keys = keys, .window = window, .power = 1 };
    for (int32_t i = 0; i < window; i++)
        r.power *= HASH_FACTOR;
    return r;
}

/* Take in token `at`; true when a whole window ends there, its hash in `*hash`. */
static bool roll(struct roller *r, int32_t at, uint64_t *hash)
{
    r->hash = r->hash * HASH_FACTOR + r->keys[at];
    if (at >= r->window)
        r->hash -= r->power * r->keys[at - r->window];
    *hash = mix(r->hash);
    return at >= r->window - 1;
}

static bool count_windows_of_a(struct anchors *s, const struct aligner *c, struct align_box box,
                               int32_t window)
{
    size_t count = (size_t)(box.a_end - box.a);
    size_t slot_count = 64;
    while (slot_count < count * 2)
        slot_count *= 2;
    s->mask = slot_count - 1;
    s->slots = cook_calloc(slot_count, sizeof(*s->slots));
    if (!s->slots)
        return false;
    struct roller roller = roller_init(c->a + box.a, window);
    uint64_t hash;
    for (int32_t i = 0; i < box.a_end - box.a; i++) {
        if (!roll(&roller, i, &hash))
            continue;
        struct slot *slot = find_slot(s, hash);
        slot->hash = hash;
        slot->a = box.a + i - window + 1;
        slot->a_count++;
    }
    return true;
}

/* A window that occurs once on each side becomes an anchor; they are ranked in the order of b.
 */
static bool rank_anchors(struct anchors *s, const struct aligner *c, struct align_box box,
                         int32_t window)
{
    size_t a_count = (size_t)(box.a_end - box.a);
    s->rank_of_a = cook_malloc(a_count * sizeof(*s->rank_of_a));
    s->b_of_rank = cook_malloc((size_t)(box.b_end - box.b) * sizeof(*s->b_of_rank));
    if (!s->rank_of_a || !s->b_of_rank)
        return false;
    memset(s->rank_of_a, 0xff, a_count * sizeof(*s->rank_of_a));
    for (int pass = 0; pass < 2; pass++) {
        struct roller roller = roller_init(c->b + box.b, window);
        uint64_t hash;
        for (int32_t i = 0; i < box.b_end - box.b; i++) {
            struct slot *slot = roll(&roller, i, &hash) ? find_slot(s, hash) : NULL;
            if (!slot || !slot->hash)
                continue;
            if (pass == 0) {
                slot->b_count++;
            } else if (slot->a_count == 1 && slot->b_count == 1) {
                s->rank_of_a[slot->a - box.a] = s->count;
                s->b_of_rank[s->count++] = box.b + i - window + 1;
            }
        }
    }
    return true;
}

static bool collect_runs(struct anchors *s, struct align_box box)
{
    size_t count = (size_t)s->count;
    s->list = cook_malloc(count * sizeof(*s->list));
    s->runs = cook_malloc(count * sizeof(*s->runs));
    if (!s->list || !s->runs)
        return false;
    int32_t found = 0;
    for (int32_t i = 0; i < box.a_end - box.a; i++) {
        int32_t rank = s->rank_of_a[i];
        if (rank < 0)
            continue;
        if (found > 0 && s->list[found - 1].rank + 1 == rank)
            s->runs[s->run_count - 1].count++;
        else
            s->runs[s->run_count++] = (struct run){ .first = found, .count = 1, .rank = rank };
        s->list[found++] =
            (struct anchor){ .a = box.a + i, .b = s->b_of_rank[rank], .rank = rank };
    }
    return true;
}

/* Replace each run's rank by its place among the runs, in the order of b. */
static bool rank_runs(struct anchors *s)
{
    s->run_of_rank = cook_malloc((size_t)s->count * sizeof(*s->run_of_rank));
    s->chains = cook_calloc((size_t)s->run_count + 1, sizeof(*s->chains));
    if (!s->run_of_rank || !s->chains)
        return false;
    memset(s->run_of_rank, 0xff, (size_t)s->count * sizeof(*s->run_of_rank));
    for (int32_t i = 0; i < s->run_count; i++)
        s->run_of_rank[s->runs[i].rank] = i;
    int32_t place = 0;
    for (int32_t rank = 0; rank < s->count; rank++) {
        if (s->run_of_rank[rank] >= 0)
            s->runs[s->run_of_rank[rank]].rank = place++;
    }
    return true;
}

/* Keep the heaviest subsequence of runs that is in order on both sides. */
static void keep_heaviest(struct anchors *s)
{
    int32_t best = ALIGN_NONE;
    int64_t best_weight = 0;
    for (int32_t i = 0; i < s->run_count; i++) {
        struct run *run = &s->runs[i];
        struct chain chain = { 0, ALIGN_NONE };
        for (int32_t at = run->rank; at > 0; at -= at & -at) {
            if (s->chains[at].weight > chain.weight)
                chain = s->chains[at];
        }
        run->previous = chain.run;
        chain = (struct chain){ chain.weight + run->count, i };
        if (chain.weight > best_weight) {
            best_weight = chain.weight;
            best = i;
        }
        for (int32_t at = run->rank + 1; at <= s->run_count; at += at & -at) {
            if (s->chains[at].weight < chain.weight)
                s->chains[at] = chain;
        }
    }
    for (; best >= 0; best = s->runs[best].previous)
        s->runs[best].kept = true;
}

/* Align up to an anchor and through what is equal after it; `rest` shrinks to what follows. */
static void place_anchor(struct aligner *c, struct align_box *rest, int32_t a, int32_t b,
                         int depth)
{
    if (a < rest->a || b < rest->b)
        return; /* an anchor before it ran over this one */
    while (a > rest->a && b > rest->b && c->a[a - 1] == c->b[b - 1]) {
        a--;
        b--;
    }
    align_gap(c, (struct align_box){ rest->a, a, rest->b, b }, depth);
    while (a < rest->a_end && b < rest->b_end && c->a[a] == c->b[b])
        align_pair(c, a++, b++);
    rest->a = a;
    rest->b = b;
}

static bool is_free(const struct aligner *c, int32_t a, int32_t b)
{
    return c->b_of_a[a] < 0 && c->a_of_b[b] < 0 && c->moved_of_a[a] < 0 && c->moved_of_b[b] < 0;
}

static void move_pair(struct aligner *c, int32_t a, int32_t b)
{
    c->moved_of_a[a] = b;
    c->moved_of_b[b] = a;
}

/*
 * Mark a run as moved: each anchor extended both ways, and holes of equal length between them,
 * which are edits inside the moved block.
 */
static void move_run(struct aligner *c, const struct anchors *s, const struct run *run,
                     struct align_box box)
{
    int32_t end_a = ALIGN_NONE;
    int32_t end_b = ALIGN_NONE;
    for (int32_t i = run->first; i < run->first + run->count; i++) {
        int32_t a = s->list[i].a;
        int32_t b = s->list[i].b;
        while (a > box.a && b > box.b && is_free(c, a - 1, b - 1) &&
               c->a[a - 1] == c->b[b - 1]) {
            a--;
            b--;
        }
        for (; end_a >= 0 && a - end_a == b - end_b && end_a < a; end_a++, end_b++) {
            if (is_free(c, end_a, end_b))
                move_pair(c, end_a, end_b);
        }
        while (a < box.a_end && b < box.b_end && is_free(c, a, b) && c->a[a] == c->b[b])
            move_pair(c, a++, b++);
        end_a = a;
        end_b = b;
    }
}

static bool find_anchors(struct anchors *s, const struct aligner *c, struct align_box box,
                         int32_t window)
{
    if (!count_windows_of_a(s, c, box, window) || !rank_anchors(s, c, box, window))
        return false;
    if (s->count == 0)
        return true;
    if (!collect_runs(s, box) || !rank_runs(s))
        return false;
    keep_heaviest(s);
    return true;
}

/*
 * Whether single tokens that match do so by chance: few of them, or in no order (of k matches
 * in random order about 2 sqrt(k) can be kept). Aligning by them would tear elements apart that
 * paths alone pair well.
 */
static bool is_noise(const struct anchors *s, struct align_box box)
{
    int32_t kept = 0;
    for (int32_t i = 0; i < s->run_count; i++)
        kept += s->runs[i].kept ? s->runs[i].count : 0;
    int32_t a_count = box.a_end - box.a;
    int32_t b_count = box.b_end - box.b;
    int32_t fewer = a_count < b_count ? a_count : b_count;
    bool sparse = s->count < fewer / NOISE_SPARSE;
    bool scattered = s->run_count > s->count / 2 && kept < s->count / 4;
    return sparse || scattered;
}

bool align_by_anchors(struct aligner *c, struct align_box box, int depth, int32_t window)
{
    if (box.a_end - box.a < window || box.b_end - box.b < window || c->failed)
        return false;
    struct anchors s = { .slots = NULL };
    if (!find_anchors(&s, c, box, window))
        c->failed = true;
    bool any = s.count > 0 && !(window == 1 && is_noise(&s, box));
    if (!any)
        s.run_count = 0;
    struct align_box rest = box;
    for (int32_t i = 0; i < s.run_count && !c->failed; i++) {
        const struct run *run = &s.runs[i];
        for (int32_t k = run->first; run->kept && k < run->first + run->count; k++)
            place_anchor(c, &rest, s.list[k].a, s.list[k].b, depth);
    }
    if (any)
        align_gap(c, rest, depth);
    for (int32_t i = 0; i < s.run_count && c->moved_of_a && !c->failed; i++) {
        if (!s.runs[i].kept)
            move_run(c, &s, &s.runs[i], box);
    }
    anchors_finish(&s);
    return any;
}
