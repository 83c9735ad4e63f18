/* Two versions of a package and their difference. */
#ifndef TESTS_DIFF_FIXTURE_H
#define TESTS_DIFF_FIXTURE_H

#include "diffcook/diff.h"
#include "unit/diffcook/package_builder.h"

struct fixture {
    struct builder old;
    struct builder new;
    struct cook_arena arena;
    struct diff_options options;
    struct diff_result result;
    uint64_t random;
};

static inline int set_up(void **state)
{
    struct fixture *f = calloc(1, sizeof(*f));
    assert_non_null(f);
    build_init(&f->old);
    build_init(&f->new);
    f->random = 88172645463325252ull;
    *state = f;
    return 0;
}

static inline int tear_down(void **state)
{
    struct fixture *f = *state;
    cook_alloc_fail_after(-1);
    build_finish(&f->old);
    build_finish(&f->new);
    cook_arena_finish(&f->arena);
    free(f);
    return 0;
}

static inline uint32_t any(struct fixture *f, uint32_t below)
{
    f->random ^= f->random << 13;
    f->random ^= f->random >> 7;
    f->random ^= f->random << 17;
    return (uint32_t)(f->random >> 11) % below;
}

static inline struct diff_version version_of(const struct builder *b)
{
    return (struct diff_version){ .bytes = b->bytes.data,
                                  .size = b->bytes.size,
                                  .tokens = &b->tokens };
}

static inline enum cook_status try_compare(struct fixture *f)
{
    struct diff_version old = version_of(&f->old);
    struct diff_version new = version_of(&f->new);
    return diff_compare(&f->result, &old, &new, &f->options, &f->arena, NULL);
}

/* Lays both packages out and compares them; every consequence must name a root. */
static inline void compare(struct fixture *f)
{
    build(&f->old);
    build(&f->new);
    assert_int_equal(try_compare(f), COOK_OK);
    uint32_t roots = 0;
    for (uint32_t i = 0; i < f->result.count; i++) {
        int32_t root = f->result.differences[i].consequence_of;
        roots += root < 0;
        assert_true(root < (int32_t)i);
        assert_true(root < 0 || f->result.differences[root].consequence_of < 0);
    }
    assert_int_equal(roots, f->result.root_count);
}

static inline const struct diff_difference *find(const struct fixture *f, const char *property)
{
    for (uint32_t i = 0; i < f->result.count; i++) {
        if (strcmp(f->result.differences[i].property, property) == 0)
            return &f->result.differences[i];
    }
    return NULL;
}

#endif
