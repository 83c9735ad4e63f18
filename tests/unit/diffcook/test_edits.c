#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <setjmp.h>

#include <cmocka.h>

#include "diffcook/causes.h"
#include "unit/diffcook/diff_fixture.h"

/* ---- random packages ---- */

static void add_random_object(struct fixture *f, struct builder *b, uint32_t number)
{
    static const char *const names[] = { "Oak", "Birch", "Ash", "Elm" };
    static const char *const paths[] = { "/Game/A.X", "/Game/A.Y", "/Game/B.X", "/Game/C" };
    char name[32];
    snprintf(name, sizeof(name), "Object%u", number);
    build_export(b, name, number % 3 ? "/Script/Test.Mesh" : "/Script/Test.Tree");
    build_u32(b, "Health", any(f, 3));
    build_text(b, "Kind", COOK_TOKEN_NAME, names[any(f, 4)], 0);
    build_text(b, "Label", COOK_TOKEN_STRING, names[any(f, 4)], 0);
    build_text(b, "Target", COOK_TOKEN_REF, any(f, 5) ? paths[any(f, 4)] : NULL, 0);
    build_text(b, "Icon", COOK_TOKEN_SOFT_REF, any(f, 5) ? paths[any(f, 4)] : NULL, 0);
    uint32_t count = any(f, 12);
    build_number(b, "Items#", COOK_TOKEN_COUNT, count, 0);
    for (uint32_t i = 0; i < count; i++) {
        build_number(b, "Items[].Flag", COOK_TOKEN_BOOL, any(f, 2), i);
        build_number(b, "Items[].Size", COOK_TOKEN_U16, any(f, 100), i);
        if (any(f, 4) == 0)
            build_data(b, "Items[].Bytes", "0123456789abcdef", 1 + any(f, 16), true, i);
    }
}

static void copy_values(struct builder *to, const struct builder *from)
{
    to->export_count = to->value_count = 0;
    for (size_t i = 0; i < from->export_count; i++)
        build_export(to, from->exports[i].name, from->exports[i].class_name);
    for (size_t i = 0; i < from->value_count; i++) {
        const struct built_value *v = &from->values[i];
        struct built_value *copy = build_value(to, v->path, v->type, 0, 0);
        const char *path = copy->path;
        *copy = *v;
        copy->path = path;
    }
}

/* Drop, change, repeat or swap single values of the package. */
static void edit_values(struct fixture *f, struct builder *b, uint32_t edits)
{
    for (uint32_t i = 0; i < edits && b->value_count > 4; i++) {
        size_t at = any(f, (uint32_t)b->value_count - 2);
        struct built_value *v = &b->values[at];
        size_t rest = b->value_count - at - 1;
        switch (any(f, 4)) {
        case 0:
            memmove(v, v + 1, rest * sizeof(*v));
            b->value_count--;
            break;
        case 1:
            v->number ^= 1;
            break;
        case 2: {
            struct built_value copy = *v;
            build_value(b, "Spare", COOK_TOKEN_U32, 0, 0);
            v = &b->values[at];
            memmove(v + 1, v, (rest + 1) * sizeof(*v));
            *v = copy;
            break;
        }
        default:
            if (v[0].export == v[1].export) {
                struct built_value kept = v[0];
                v[0] = v[1];
                v[1] = kept;
            }
            break;
        }
    }
}

/* ---- replaying edits ---- */

struct replay {
    struct diff_side old;
    struct diff_side new;
    struct diff_texts texts;
    struct diff_alignment alignment;
    struct diff_edits edits;
    bool *gone;   /* by old token: removed, or moved away */
    bool *placed; /* by new token: put there by an edit */
};

static void mark_tokens(struct replay *r)
{
    for (size_t i = 0; i < r->edits.count; i++) {
        const struct diff_edit *edit = &r->edits.items[i];
        bool moved = edit->kind == DIFF_MOVED;
        for (size_t k = 0; edit->kind != DIFF_CHANGED && k < edit->old_count; k++)
            r->gone[edit->old_first + k] = true;
        for (size_t k = 0; edit->kind != DIFF_CHANGED && k < edit->new_count; k++) {
            size_t at = edit->new_first + k;
            assert_false(r->placed[at]);
            r->placed[at] = true;
            assert_true(!moved || r->old.paths[edit->old_first + k] == r->new.paths[at]);
        }
    }
}

static bool is_changed(const struct replay *r, size_t *next, size_t old, size_t new)
{
    for (size_t i = 0; i < r->edits.count; i++) {
        const struct diff_edit *edit = &r->edits.items[(*next + i) % r->edits.count];
        if (edit->kind != DIFF_CHANGED || edit->new_first != new)
            continue;
        *next = (*next + i) % r->edits.count;
        return edit->old_first == old;
    }
    return false;
}

static void assert_equal_tokens(const struct replay *r, size_t old, size_t new)
{
    assert_int_equal(diff_side_size(&r->old, old), diff_side_size(&r->new, new));
    assert_memory_equal(diff_side_bytes(&r->old, old), diff_side_bytes(&r->new, new),
                        diff_side_size(&r->old, old));
}

/* A moved and changed single write is told as changed only: its old token is elsewhere. */
static bool is_moved_change(const struct replay *r, size_t new)
{
    uint32_t old = r->alignment.old_of_new[new];
    return old != DIFF_UNALIGNED && r->alignment.moved[old];
}

/* Old tokens that stay, in order, with the edits applied, must give the new tokens. */
static void assert_edits_give_new(struct replay *r)
{
    size_t old = 0;
    size_t next = 0;
    for (size_t new = 0; new < r->new.count; new ++) {
        if (r->placed[new])
            continue;
        if (is_moved_change(r, new)) {
            assert_true(is_changed(r, &next, r->alignment.old_of_new[new], new));
            continue;
        }
        while (old < r->old.count && (r->gone[old] || r->alignment.moved[old]))
            old++;
        assert_true(old < r->old.count);
        assert_int_equal(r->old.paths[old], r->new.paths[new]);
        if (!is_changed(r, &next, old, new))
            assert_equal_tokens(r, old, new);
        old++;
    }
    for (; old < r->old.count; old++)
        assert_true(r->gone[old] || r->alignment.moved[old]);
}

static void assert_moves_are_equal(struct replay *r)
{
    size_t next = 0;
    for (size_t i = 0; i < r->edits.count; i++) {
        const struct diff_edit *edit = &r->edits.items[i];
        assert_int_equal(r->edits.items[edit->root].root, edit->root);
        for (size_t k = 0; edit->kind == DIFF_MOVED && k < edit->new_count; k++) {
            size_t old = edit->old_first + k;
            if (!is_changed(r, &next, old, edit->new_first + k))
                assert_equal_tokens(r, old, edit->new_first + k);
        }
    }
}

static void replay(struct fixture *f)
{
    struct replay r = { .texts = { COOK_INTERN_INIT, COOK_INTERN_INIT } };
    struct diff_version old = version_of(&f->old);
    struct diff_version new = version_of(&f->new);
    assert_true(diff_side_init(&r.old, &old, NULL, &r.texts));
    assert_true(diff_side_init(&r.new, &new, &r.old, &r.texts));
    const struct diff_sequence a = { r.old.paths, r.old.hashes, r.old.count };
    const struct diff_sequence b = { r.new.paths, r.new.hashes, r.new.count };
    assert_int_equal(diff_align(&r.alignment, &a, &b, NULL), COOK_OK);
    assert_true(diff_edits_build(&r.edits, &r.old, &r.new, &r.alignment));
    assert_true(diff_causes_find(&r.edits, &r.old, &r.new, &r.texts));
    r.gone = calloc(r.old.count + 1, sizeof(*r.gone));
    r.placed = calloc(r.new.count + 1, sizeof(*r.placed));
    assert_true(r.gone && r.placed);
    mark_tokens(&r);
    assert_edits_give_new(&r);
    assert_moves_are_equal(&r);
    free(r.gone);
    free(r.placed);
    diff_edits_finish(&r.edits);
    diff_alignment_finish(&r.alignment);
    diff_side_finish(&r.old);
    diff_side_finish(&r.new);
    diff_texts_finish(&r.texts);
}

static void start_again(struct fixture *f)
{
    build_finish(&f->old);
    build_finish(&f->new);
    cook_arena_finish(&f->arena);
    build_init(&f->old);
    build_init(&f->new);
}

static void build__random_edits__give_the_new_package(void **state)
{
    struct fixture *f = *state;
    for (int round = 0; round < 300; round++) {
        start_again(f);
        uint32_t objects = 1 + any(f, 20);
        for (uint32_t i = 0; i < objects; i++)
            add_random_object(f, &f->old, i);
        copy_values(&f->new, &f->old);
        edit_values(f, &f->new, any(f, 12));
        compare(f);
        replay(f);
    }
}

static void build__unrelated_packages__give_the_new_package(void **state)
{
    struct fixture *f = *state;
    for (int round = 0; round < 100; round++) {
        start_again(f);
        for (uint32_t i = 0; i < 1 + any(f, 20); i++)
            add_random_object(f, &f->old, any(f, 4) ? i : 100 + i);
        for (uint32_t i = 0; i < 1 + any(f, 20); i++)
            add_random_object(f, &f->new, any(f, 4) ? i : 200 + i);
        compare(f);
        replay(f);
    }
}

/* One element more in an array of few values: it may not be told as the halves of two. */
static void build__element_like_its_neighbours__is_whole(void **state)
{
    struct fixture *f = *state;
    for (uint32_t at = 0; at <= 8; at++) {
        start_again(f);
        struct builder *both[] = { &f->old, &f->new };
        for (int side = 0; side < 2; side++) {
            build_export(both[side], "Rock", "/Script/Test.Mesh");
            build_number(both[side], "Items#", COOK_TOKEN_COUNT, 8u + (unsigned)side, 0);
            for (uint32_t i = 0; i < 8u + (unsigned)side; i++) {
                bool extra = side && i == at;
                build_number(both[side], "Items[].A", COOK_TOKEN_U8, 1, i);
                build_number(both[side], "Items[].B", COOK_TOKEN_U8, extra ? 9 : 2, i);
                build_number(both[side], "Items[].C", COOK_TOKEN_U8, 1, i);
            }
        }
        compare(f);
        assert_int_equal(f->result.root_count, 1);
        char property[32];
        snprintf(property, sizeof(property), "Rock:Items[%u]", at);
        assert_string_equal(f->result.differences[0].property, property);
        assert_int_equal(f->result.differences[0].tokens, 3);
    }
}

static void build__array_appears__is_one_edit(void **state)
{
    struct fixture *f = *state;
    build_export(&f->old, "Rock", "/Script/Test.Mesh");
    build_u32(&f->old, "Before", 1);
    build_u32(&f->old, "After", 1);
    build_export(&f->new, "Rock", "/Script/Test.Mesh");
    build_u32(&f->new, "Before", 1);
    build_number(&f->new, "Keys#", COOK_TOKEN_COUNT, 7, 0);
    for (uint32_t i = 0; i < 7; i++)
        build_number(&f->new, "Keys[]", COOK_TOKEN_F32, i, i);
    build_u32(&f->new, "After", 1);
    compare(f);
    assert_int_equal(f->result.root_count, 1);
    assert_string_equal(f->result.differences[0].property, "Rock:Keys");
    assert_string_equal(f->result.differences[0].new_value, "7 elements, 8 fields, 32 bytes");
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(build__random_edits__give_the_new_package),
        TEST(build__unrelated_packages__give_the_new_package),
        TEST(build__element_like_its_neighbours__is_whole),
        TEST(build__array_appears__is_one_edit),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
