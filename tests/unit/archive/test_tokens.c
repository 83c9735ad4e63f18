#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <setjmp.h>

#include <cmocka.h>
#include <stdlib.h>
#include <string.h>

#include "cook/archive/token_codec.h"
#include "cook/archive/tokens.h"

struct fixture {
    struct cook_token_map map;
    struct cook_token_map decoded;
    struct cook_buf bytes;
    struct cook_arena arena;
};

static int set_up(void **state)
{
    struct fixture *f = calloc(1, sizeof(*f));
    assert_non_null(f);
    cook_token_map_init(&f->map);
    cook_token_map_init(&f->decoded);
    *state = f;
    return 0;
}

static int tear_down(void **state)
{
    struct fixture *f = *state;
    cook_alloc_fail_after(-1);
    cook_token_map_finish(&f->map);
    cook_token_map_finish(&f->decoded);
    cook_buf_finish(&f->bytes);
    cook_arena_finish(&f->arena);
    free(f);
    return 0;
}

static void add(struct cook_token_map *map, const char *path, enum cook_token_type type,
                size_t size, uint32_t first, uint32_t second)
{
    uint32_t indices[2] = { first, second };
    cook_token_map_add(map, cook_token_map_path(map, path, type), size, indices);
}

static uint32_t key(struct cook_token_map *map, const char *text)
{
    return COOK_TOKEN_KEY_FLAG | cook_intern_add(&map->keys, text);
}

/* A little of everything: fixed and varying sizes, nested indices, map keys, jumps between
 * paths. */
static void fill(struct cook_token_map *map)
{
    add(map, "#header.Magic", COOK_TOKEN_U32, 4, 0, 0);
    for (uint32_t i = 0; i < 20; i++) {
        add(map, "Rock:Lods[].Name", COOK_TOKEN_STRING, 4 + i % 3, i, 0);
        for (uint32_t k = 0; k < i; k++)
            add(map, "Rock:Lods[].Indices[]", COOK_TOKEN_U16, 2, i, k * 7);
        add(map, "Table:Rows[].Damage", COOK_TOKEN_F32, 4, key(map, i % 2 ? "Sword" : "Bow"),
            0);
    }
    add(map, "Rock:Bulk", COOK_TOKEN_DATA, 1u << 30, 0, 0);
    add(map, "", COOK_TOKEN_PADDING, 0, 0, 0);
}

static void assert_same(const struct cook_token_map *a, const struct cook_token_map *b)
{
    assert_int_equal(a->count, b->count);
    assert_int_equal(a->paths.count, b->paths.count);
    assert_memory_equal(a->tokens, b->tokens, a->count * sizeof(*a->tokens));
    assert_int_equal(a->index_count, b->index_count);
    if (a->index_count)
        assert_memory_equal(a->indices, b->indices, a->index_count * sizeof(*a->indices));
    for (uint32_t i = 0; i < a->paths.count; i++) {
        assert_string_equal(cook_intern_text(&a->paths, i), cook_intern_text(&b->paths, i));
        assert_int_equal(a->types[i], b->types[i]);
        assert_int_equal(a->depths[i], b->depths[i]);
    }
    assert_int_equal(a->keys.count, b->keys.count);
    for (uint32_t i = 0; i < a->keys.count; i++)
        assert_string_equal(cook_intern_text(&a->keys, i), cook_intern_text(&b->keys, i));
}

static void decode__encoded_map__is_the_same(void **state)
{
    struct fixture *f = *state;
    fill(&f->map);
    cook_token_map_encode(&f->map, &f->bytes);
    assert_false(f->bytes.failed);
    assert_int_equal(cook_token_map_decode(&f->decoded, f->bytes.data, f->bytes.size, NULL),
                     COOK_OK);
    assert_same(&f->map, &f->decoded);
}

static void decode__empty_map__is_empty(void **state)
{
    struct fixture *f = *state;
    cook_token_map_encode(&f->map, &f->bytes);
    assert_int_equal(cook_token_map_decode(&f->decoded, f->bytes.data, f->bytes.size, NULL),
                     COOK_OK);
    assert_int_equal(f->decoded.count, 0);
}

static void encode__struct_array__takes_few_bytes(void **state)
{
    struct fixture *f = *state;
    for (uint32_t i = 0; i < 10000; i++) {
        add(&f->map, "Rock:Items[].A", COOK_TOKEN_U32, 4, i, 0);
        add(&f->map, "Rock:Items[].B", COOK_TOKEN_F32, 4, i, 0);
        add(&f->map, "Rock:Items[].C", COOK_TOKEN_U8, 1, i, 0);
    }
    cook_token_map_encode(&f->map, &f->bytes);
    assert_true(f->bytes.size < 500);
}

static void path__same_text_two_types__stay_apart(void **state)
{
    struct fixture *f = *state;
    uint32_t text = cook_token_map_path(&f->map, "T:Rows[]", COOK_TOKEN_STRING);
    uint32_t number = cook_token_map_path(&f->map, "T:Rows[]", COOK_TOKEN_I32);
    assert_int_not_equal(text, number);
    assert_string_equal(cook_intern_text(&f->map.paths, number), "T:Rows[] (i32)");
    assert_int_equal(cook_token_map_path(&f->map, "T:Rows[]", COOK_TOKEN_STRING), text);
    assert_int_equal(cook_token_map_path(&f->map, "T:Rows[]", COOK_TOKEN_I32), number);
    assert_int_equal(f->map.depths[number], 1);
}

static void add__more_than_4_gib__becomes_several_tokens(void **state)
{
    struct fixture *f = *state;
    uint64_t size = ((uint64_t)5 << 30) + 3;
    add(&f->map, "Rock:Mips[].Bulk", COOK_TOKEN_DATA, size, 7, 0);
    assert_int_equal(f->map.count, 2);
    assert_int_equal((uint64_t)f->map.tokens[0].size + f->map.tokens[1].size, size);
    assert_string_equal(cook_token_text(&f->map, 1, &f->arena), "Rock:Mips[7].Bulk");
    cook_token_map_encode(&f->map, &f->bytes);
    assert_int_equal(cook_token_map_decode(&f->decoded, f->bytes.data, f->bytes.size, NULL),
                     COOK_OK);
    assert_string_equal(cook_token_text(&f->decoded, 1, &f->arena), "Rock:Mips[7].Bulk");
}

static void add__unknown_path__marks_the_map_failed(void **state)
{
    struct fixture *f = *state;
    cook_token_map_add(&f->map, 3, 4, NULL);
    assert_true(f->map.failed);
    cook_token_map_encode(&f->map, &f->bytes);
    assert_true(f->bytes.failed);
}

static void text__indices_and_keys__stand_in_their_places(void **state)
{
    struct fixture *f = *state;
    add(&f->map, "A/B:Lods[].Indices[]", COOK_TOKEN_U16, 2, 3, 14);
    add(&f->map, "T:Rows[].Damage", COOK_TOKEN_F32, 4, key(&f->map, "A \"big\"\n\\ one"), 0);
    add(&f->map, "#header.Version", COOK_TOKEN_U32, 4, 0, 0);
    assert_string_equal(cook_token_text(&f->map, 0, &f->arena), "A/B:Lods[3].Indices[14]");
    assert_string_equal(cook_token_text(&f->map, 1, &f->arena),
                        "T:Rows[\"A \\\"big\\\"\\x0a\\\\ one\"].Damage");
    assert_string_equal(cook_token_text(&f->map, 2, &f->arena), "#header.Version");
}

static enum cook_status unpack(struct fixture *f, const void *bytes, size_t size)
{
    cook_token_map_finish(&f->decoded);
    return cook_token_codec_unpack(&f->decoded, bytes, size, NULL);
}

static void unpack__each_bad_field__is_malformed(void **state)
{
    struct fixture *f = *state;
    /* one path "a[]" of type u8; no keys; one token; its three columns */
    static const uint8_t good[] = { 1, 0, 3, 'a', '[', ']', 6, 0, 1, 1, 0, 0, 1, 4 };
    static const struct {
        size_t at;
        uint8_t value;
    } faults[] = {
        { 0, 2 },    /* more paths than bytes hold */
        { 1, 1 },    /* shares a byte with no path */
        { 3, 0 },    /* a zero byte in the text */
        { 6, 99 },   /* no such type */
        { 7, 9 },    /* more keys than bytes */
        { 8, 2 },    /* two tokens in a column of one */
        { 10, 4 },   /* path id 1 of 1 */
        { 10, 1 },   /* a size follows, but there is none */
        { 12, 0 },   /* no index for it */
        { 13, 128 }, /* an index without end */
    };
    assert_int_equal(unpack(f, good, sizeof(good)), COOK_OK);
    assert_string_equal(cook_token_text(&f->decoded, 0, &f->arena), "a[2]");
    for (size_t i = 0; i < sizeof(faults) / sizeof(*faults); i++) {
        uint8_t bad[sizeof(good)];
        memcpy(bad, good, sizeof(good));
        bad[faults[i].at] = faults[i].value;
        assert_int_equal(unpack(f, bad, sizeof(bad)), COOK_E_MALFORMED);
    }
}

static void unpack__index_names_a_missing_key__is_malformed(void **state)
{
    struct fixture *f = *state;
    static const uint8_t bytes[] = { 1, 0, 3, 'a', '[',  ']',  6,    0,    1,
                                     1, 0, 0, 5,   0xff, 0xff, 0xff, 0xff, 0x0f };
    assert_int_equal(unpack(f, bytes, sizeof(bytes)), COOK_E_MALFORMED);
}

static void decode__every_cut__fails_cleanly(void **state)
{
    struct fixture *f = *state;
    fill(&f->map);
    cook_token_map_encode(&f->map, &f->bytes);
    for (size_t size = 0; size < f->bytes.size; size++) {
        struct cook_token_map cut;
        cook_token_map_init(&cut);
        assert_int_equal(cook_token_map_decode(&cut, f->bytes.data, size, NULL),
                         COOK_E_MALFORMED);
        cook_token_map_finish(&cut);
    }
}

static void unpack__random_bytes_changed__never_crashes(void **state)
{
    struct fixture *f = *state;
    fill(&f->map);
    cook_token_codec_pack(&f->map, &f->bytes);
    uint32_t random = 1;
    for (int round = 0; round < 3000; round++) {
        struct cook_buf copy = COOK_BUF_INIT;
        cook_buf_put(&copy, f->bytes.data, f->bytes.size);
        for (int i = 0; i < 3; i++) {
            random = random * 1664525u + 1013904223u;
            copy.data[(random >> 8) % copy.size] = (uint8_t)random;
        }
        if (unpack(f, copy.data, copy.size) == COOK_OK) {
            for (size_t i = 0; i < f->decoded.count; i++)
                assert_non_null(cook_token_text(&f->decoded, i, &f->arena));
        }
        cook_buf_finish(&copy);
    }
}

static void decode__any_allocation_fails__reports_no_memory(void **state)
{
    struct fixture *f = *state;
    fill(&f->map);
    cook_token_map_encode(&f->map, &f->bytes);
    enum cook_status status = COOK_E_NO_MEMORY;
    for (long after = 0; status != COOK_OK; after++) {
        cook_token_map_finish(&f->decoded);
        cook_alloc_fail_after(after);
        status = cook_token_map_decode(&f->decoded, f->bytes.data, f->bytes.size, NULL);
        cook_alloc_fail_after(-1);
        assert_true(status == COOK_OK || status == COOK_E_NO_MEMORY);
        assert_true(after < 1000);
    }
    assert_same(&f->map, &f->decoded);
}

static void encode__any_allocation_fails__marks_the_buffer(void **state)
{
    struct fixture *f = *state;
    bool failed = true;
    for (long after = 0; failed; after++) {
        cook_token_map_finish(&f->map);
        cook_buf_clear(&f->bytes);
        cook_alloc_fail_after(after);
        fill(&f->map);
        cook_token_map_encode(&f->map, &f->bytes);
        cook_alloc_fail_after(-1);
        failed = f->bytes.failed;
        assert_true(after < 1000);
    }
    assert_int_equal(cook_token_map_decode(&f->decoded, f->bytes.data, f->bytes.size, NULL),
                     COOK_OK);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(decode__encoded_map__is_the_same),
        TEST(decode__empty_map__is_empty),
        TEST(encode__struct_array__takes_few_bytes),
        TEST(path__same_text_two_types__stay_apart),
        TEST(add__more_than_4_gib__becomes_several_tokens),
        TEST(add__unknown_path__marks_the_map_failed),
        TEST(text__indices_and_keys__stand_in_their_places),
        TEST(unpack__each_bad_field__is_malformed),
        TEST(unpack__index_names_a_missing_key__is_malformed),
        TEST(decode__every_cut__fails_cleanly),
        TEST(unpack__random_bytes_changed__never_crashes),
        TEST(decode__any_allocation_fails__reports_no_memory),
        TEST(encode__any_allocation_fails__marks_the_buffer),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
