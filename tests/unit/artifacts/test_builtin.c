/* The built-in artifacts: their files follow from the parts, whatever the way. */
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <setjmp.h>

#include <cmocka.h>
#include <string.h>

#include "cook/artifacts/builtin.h"
#include "cook/artifacts/fold.h"

static const char *const packages[] = { "/Game/A", "/Game/B", "/Game/C", "/Game/D" };
#define PACKAGE_COUNT 4

struct fixture {
    const struct cook_artifact *artifact;
    struct cook_config *config;
    struct cook_buf parts[PACKAGE_COUNT];
};

/* ---- parts as workers and the plan make them ---- */

static void put_shader(struct cook_buf *part, const char *path, const char *code)
{
    cook_buf_put_string(part, path);
    cook_buf_put_u32(part, 2);
    cook_buf_put_string(part, code);
}

static void make_shader_parts(struct fixture *f)
{
    put_shader(&f->parts[0], "S", "shared code");
    put_shader(&f->parts[1], "S", "shared code");
    put_shader(&f->parts[1], "T", "other code");
    put_shader(&f->parts[2], "U", "third code");
    put_shader(&f->parts[3], "V", "other code");
}

static void make_registry_parts(struct fixture *f)
{
    for (uint32_t i = 0; i < PACKAGE_COUNT; i++) {
        struct cook_buf *part = &f->parts[i];
        cook_buf_put_varint(part, 1);
        cook_buf_put_string(part, i % 2 ? "Odd" : "Even");
        cook_buf_put_string(part, "/Script/Cook.Object");
        cook_buf_put_varint(part, 2);
        cook_buf_put_string(part, "Seen");
        cook_buf_put_string(part, packages[i]);
        cook_buf_put_string(part, "Unseen");
        cook_buf_put_string(part, "zzz");
        cook_buf_put_varint(part, 1);
        cook_buf_put_string(part, packages[(i + 1) % PACKAGE_COUNT]);
        cook_buf_put_varint(part, 0);
    }
}

static void make_chunk_parts(struct fixture *f)
{
    static const uint32_t chunks[] = { 0, 3 };
    struct cook_details_file file = { "bank.bnk", { 1, 2 }, 7 };
    for (uint32_t i = 0; i < PACKAGE_COUNT; i++) {
        struct cook_details details = { .files = &file, .file_count = i == 1 };
        struct cook_chunk_part part = { .chunks = chunks + i % 2,
                                        .chunk_count = i == 2 ? 2 : 1,
                                        .bytes = { i, i },
                                        .size_bytes = i,
                                        .details = &details };
        cook_chunk_part_encode(&part, &f->parts[i]);
    }
}

/* ---- folding ---- */

/* A fold over `state` that takes out and adds packages by bit. */
static void fold(struct fixture *f, struct cook_fold *out, const struct cook_buf *state,
                 unsigned remove, unsigned add, bool backwards)
{
    *out =
        (struct cook_fold){ .artifact = f->artifact, .config = f->config, .target = "Desktop" };
    if (state)
        cook_buf_put(&out->input, state->data, state->size);
    assert_int_equal(cook_fold_run_begin(out), COOK_OK);
    for (uint32_t i = 0; i < PACKAGE_COUNT; i++)
        if (remove & (1u << i))
            assert_int_equal(f->artifact->remove(out->user, packages[i]), COOK_OK);
    for (uint32_t k = 0; k < PACKAGE_COUNT; k++) {
        uint32_t i = backwards ? PACKAGE_COUNT - 1 - k : k;
        if (add & (1u << i))
            assert_int_equal(
                f->artifact->add(out->user, packages[i], f->parts[i].data, f->parts[i].size),
                COOK_OK);
    }
    assert_int_equal(cook_fold_run_finish(out), COOK_OK);
}

static void assert_same(const struct cook_fold *a, const struct cook_fold *b)
{
    assert_int_equal(a->state.size, b->state.size);
    assert_memory_equal(a->state.data, b->state.data, a->state.size);
    assert_int_equal(a->file_count, b->file_count);
    for (size_t i = 0; i < a->file_count; i++) {
        assert_string_equal(a->files[i].name, b->files[i].name);
        assert_int_equal(a->files[i].bytes.size, b->files[i].bytes.size);
        assert_memory_equal(a->files[i].bytes.data, b->files[i].bytes.data,
                            a->files[i].bytes.size);
    }
}

/* From each set of packages to each other one: as if made from nothing. */
static void check_all_ways(struct fixture *f)
{
    for (unsigned from = 0; from < 1u << PACKAGE_COUNT; from++) {
        struct cook_fold before;
        fold(f, &before, NULL, 0, from, true);
        for (unsigned to = 0; to < 1u << PACKAGE_COUNT; to++) {
            struct cook_fold step;
            struct cook_fold whole;
            fold(f, &step, &before.state, from & ~to, to & ~from, false);
            fold(f, &whole, NULL, 0, to, false);
            assert_same(&step, &whole);
            cook_fold_finish(&step);
            cook_fold_finish(&whole);
        }
        cook_fold_finish(&before);
    }
}

/* Each cut of a state is refused or understood, and never read past. */
static void check_cut_states(struct fixture *f)
{
    struct cook_fold whole;
    fold(f, &whole, NULL, 0, 15, false);
    for (size_t size = 1; size < whole.state.size; size++) {
        struct cook_fold cut = { .artifact = f->artifact, .config = f->config };
        cook_buf_put(&cut.input, whole.state.data, size);
        enum cook_status status = cook_fold_run_begin(&cut);
        assert_true(status == COOK_OK || status == COOK_E_MALFORMED);
        cook_fold_finish(&cut);
    }
    cook_fold_finish(&whole);
}

static int set_up(struct fixture *f, const struct cook_artifact *artifact)
{
    static const uint8_t none[] = { 1, 0, 0 }; /* an encoded config: no files, no sections */
    *f = (struct fixture){ .artifact = artifact };
    return cook_config_decode(&f->config, none, sizeof(none), NULL) == COOK_OK ? 0 : -1;
}

static void tear_down(struct fixture *f)
{
    for (int i = 0; i < PACKAGE_COUNT; i++)
        cook_buf_finish(&f->parts[i]);
    cook_config_destroy(f->config);
}

static void check(const struct cook_artifact *artifact, void (*make)(struct fixture *))
{
    struct fixture f;
    assert_int_equal(set_up(&f, artifact), 0);
    make(&f);
    check_all_ways(&f);
    check_cut_states(&f);
    tear_down(&f);
}

static void shader_library__any_way_gives_the_same_bytes(void **state)
{
    (void)state;
    check(&cook_shader_library_artifact, make_shader_parts);
}

static void asset_registry__any_way_gives_the_same_bytes(void **state)
{
    (void)state;
    check(&cook_asset_registry_artifact, make_registry_parts);
}

static void chunk_manifests__any_way_gives_the_same_bytes(void **state)
{
    (void)state;
    check(&cook_chunk_artifact, make_chunk_parts);
}

static size_t occurrences(const struct cook_buf *bytes, const char *text)
{
    size_t count = 0;
    size_t length = strlen(text);
    for (size_t i = 0; i + length <= bytes->size; i++)
        count += memcmp(bytes->data + i, text, length) == 0;
    return count;
}

static void shader_library__stores_equal_code_once(void **state)
{
    struct fixture f;
    struct cook_fold out;
    (void)state;
    assert_int_equal(set_up(&f, &cook_shader_library_artifact), 0);
    make_shader_parts(&f);
    fold(&f, &out, NULL, 0, 15, false);
    assert_int_equal(occurrences(&out.files[0].bytes, "shared code"), 1);
    assert_int_equal(occurrences(&out.files[0].bytes, "other code"), 1);
    cook_fold_finish(&out);
    tear_down(&f);
}

static void asset_registry__hides_tags_that_no_entry_allows(void **state)
{
    struct fixture f;
    struct cook_fold out;
    (void)state;
    assert_int_equal(set_up(&f, &cook_asset_registry_artifact), 0);
    make_registry_parts(&f);
    fold(&f, &out, NULL, 0, 15, false);
    assert_int_equal(occurrences(&out.files[0].bytes, "Unseen"), 0);
    assert_int_equal(occurrences(&out.files[0].bytes, "zzz"), 0);
    assert_int_equal(occurrences(&out.files[0].bytes, "/Game/C"), 1);
    cook_fold_finish(&out);
    tear_down(&f);
}

static void chunk_manifests__list_files_by_chunk(void **state)
{
    struct fixture f;
    struct cook_fold out;
    (void)state;
    assert_int_equal(set_up(&f, &cook_chunk_artifact), 0);
    make_chunk_parts(&f);
    fold(&f, &out, NULL, 0, 15, false);
    assert_int_equal(out.file_count, 2);
    assert_string_equal(out.files[0].name, "Chunk0.manifest");
    assert_string_equal(cook_buf_text(&out.files[1].bytes),
                        "cookproof chunk 3\n"
                        "00000000000000010000000000000001 1 Game/B.cooked\n"
                        "00000000000000010000000000000002 7 Game/B.files/bank.bnk\n"
                        "00000000000000020000000000000002 2 Game/C.cooked\n"
                        "00000000000000030000000000000003 3 Game/D.cooked\n");
    cook_fold_finish(&out);
    tear_down(&f);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(shader_library__any_way_gives_the_same_bytes),
        cmocka_unit_test(asset_registry__any_way_gives_the_same_bytes),
        cmocka_unit_test(chunk_manifests__any_way_gives_the_same_bytes),
        cmocka_unit_test(shader_library__stores_equal_code_once),
        cmocka_unit_test(asset_registry__hides_tags_that_no_entry_allows),
        cmocka_unit_test(chunk_manifests__list_files_by_chunk),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
