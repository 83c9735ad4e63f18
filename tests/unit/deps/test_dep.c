#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <setjmp.h>

#include <cmocka.h>

#include "cook/deps/dep.h"

struct fixture {
    struct cook_record record;
    struct cook_record other;
    struct cook_buf bytes;
    struct cook_buf other_bytes;
    struct cook_arena arena;
    struct cook_observation *items;
    size_t count;
};

static int set_up(void **state)
{
    struct fixture *f = cook_calloc(1, sizeof(*f));
    *state = f;
    if (!f)
        return -1;
    cook_record_init(&f->record);
    cook_record_init(&f->other);
    return 0;
}

static int tear_down(void **state)
{
    struct fixture *f = *state;
    cook_alloc_fail_after(-1);
    cook_record_finish(&f->record);
    cook_record_finish(&f->other);
    cook_buf_finish(&f->bytes);
    cook_buf_finish(&f->other_bytes);
    cook_arena_finish(&f->arena);
    cook_free(f);
    return 0;
}

static const struct cook_hash one = { 0, 1 };
static const struct cook_hash two = { 0, 2 };

static void add_three(struct cook_record *record)
{
    cook_record_add(record, COOK_DEP_FILE, "Data/b", one, "", (struct cook_dep_origin){ 0 });
    cook_record_add(record, COOK_DEP_CONFIG, "[S] K", two, "text", (struct cook_dep_origin){ 0 });
    cook_record_add(record, COOK_DEP_FILE, "Data/a", two, "", (struct cook_dep_origin){ 0 });
}

static enum cook_status decode(struct fixture *f, size_t size)
{
    struct cook_reader_buf in = cook_read_init(f->bytes.data, size);
    cook_arena_finish(&f->arena);
    return cook_record_decode(&f->items, &f->count, &in, &f->arena);
}

static void kind_text__known_and_foreign(void **state)
{
    (void)state;
    assert_string_equal(cook_dep_kind_text(COOK_DEP_SOURCE), "source");
    assert_string_equal(cook_dep_kind_text(COOK_DEP_FUNCTION), "function");
    assert_string_equal(cook_dep_kind_text(0), "unknown");
    assert_string_equal(cook_dep_kind_text(9999), "unknown");
}

static void add__same_twice__the_first_value_stands(void **state)
{
    struct fixture *f = *state;
    cook_record_add(&f->record, COOK_DEP_FILE, "a", one, "", (struct cook_dep_origin){ 0 });
    cook_record_add(&f->record, COOK_DEP_FILE, "a", two, "", (struct cook_dep_origin){ 0 });
    cook_record_add(&f->record, COOK_DEP_DIRECTORY, "a", two, "", (struct cook_dep_origin){ 0 });
    assert_int_equal(cook_record_count(&f->record), 2);
    assert_true(cook_hash_equal(f->record.items[0].value, one));
}

static void encode__other_order__same_bytes(void **state)
{
    struct fixture *f = *state;
    add_three(&f->record);
    cook_record_add(&f->other, COOK_DEP_FILE, "Data/a", two, "", (struct cook_dep_origin){ 0 });
    add_three(&f->other);
    cook_record_encode(&f->record, &f->bytes);
    cook_record_encode(&f->other, &f->other_bytes);
    assert_int_equal(f->bytes.size, f->other_bytes.size);
    assert_memory_equal(f->bytes.data, f->other_bytes.data, f->bytes.size);
}

static void decode__what_was_encoded__is_sorted(void **state)
{
    struct fixture *f = *state;
    add_three(&f->record);
    cook_record_encode(&f->record, &f->bytes);
    assert_int_equal(decode(f, f->bytes.size), COOK_OK);
    assert_int_equal(f->count, 3);
    assert_int_equal(f->items[0].kind, COOK_DEP_CONFIG);
    assert_string_equal(f->items[0].text, "text");
    assert_string_equal(f->items[1].args, "Data/a");
    assert_string_equal(f->items[2].args, "Data/b");
    assert_true(cook_hash_equal(f->items[2].value, one));
}

static void decode__empty_record__is_empty(void **state)
{
    struct fixture *f = *state;
    cook_record_encode(&f->record, &f->bytes);
    assert_int_equal(decode(f, f->bytes.size), COOK_OK);
    assert_int_equal(f->count, 0);
}

static void decode__cut_anywhere__is_malformed(void **state)
{
    struct fixture *f = *state;
    add_three(&f->record);
    cook_record_encode(&f->record, &f->bytes);
    for (size_t size = 0; size < f->bytes.size; size++)
        assert_int_equal(decode(f, size), COOK_E_MALFORMED);
}

static void decode__no_memory__fails(void **state)
{
    struct fixture *f = *state;
    enum cook_status status = COOK_E_FAILED;
    add_three(&f->record);
    cook_record_encode(&f->record, &f->bytes);
    for (long after = 0; status != COOK_OK; after++) {
        assert_true(after < 100);
        cook_alloc_fail_after(after);
        status = decode(f, f->bytes.size);
        cook_alloc_fail_after(-1);
    }
    assert_int_equal(f->count, 3);
}

static void add__no_memory__marks_the_record(void **state)
{
    struct fixture *f = *state;
    cook_alloc_fail_after(0);
    cook_record_add(&f->record, COOK_DEP_FILE, "a", one, "", (struct cook_dep_origin){ 0 });
    cook_alloc_fail_after(-1);
    assert_true(f->record.failed);
    cook_record_encode(&f->record, &f->bytes);
    assert_true(f->bytes.failed);
}

static const struct cook_dep_origin by_config = { "cook_config", "post_load", "Texture" };
static const struct cook_dep_origin by_depend = { "cook_depend_config", "on_cook_event", "Mesh" };

static void origin__of_two__does_not_depend_on_their_order(void **state)
{
    struct fixture *f = *state;
    struct cook_dep_origin none = { 0 };
    cook_record_add(&f->record, COOK_DEP_CONFIG, "[S] K", one, "", none);
    cook_record_add(&f->record, COOK_DEP_CONFIG, "[S] K", one, "", by_depend);
    cook_record_add(&f->record, COOK_DEP_CONFIG, "[S] K", one, "", by_config);
    cook_record_add(&f->other, COOK_DEP_CONFIG, "[S] K", one, "", by_config);
    cook_record_add(&f->other, COOK_DEP_CONFIG, "[S] K", one, "", by_depend);
    cook_record_add(&f->other, COOK_DEP_CONFIG, "[S] K", one, "", none);
    assert_string_equal(f->record.items[0].origin.call, "cook_config");
    cook_record_encode_origins(&f->record, &f->bytes);
    cook_record_encode_origins(&f->other, &f->other_bytes);
    assert_int_equal(f->bytes.size, f->other_bytes.size);
    assert_memory_equal(f->bytes.data, f->other_bytes.data, f->bytes.size);
}

static void origins__encoded__come_back(void **state)
{
    struct fixture *f = *state;
    const struct cook_dep_origin origins[4] = { by_config, { 0 }, by_depend, by_config };
    struct cook_dep_origin out[4];
    cook_origins_encode(origins, 4, &f->bytes);
    assert_int_equal(cook_origins_decode(out, 4, f->bytes.data, f->bytes.size, &f->arena), COOK_OK);
    assert_string_equal(out[0].call, "cook_config");
    assert_string_equal(out[0].hook, "post_load");
    assert_string_equal(out[0].hook_class, "Texture");
    assert_null(out[1].call);
    assert_string_equal(out[2].call, "cook_depend_config");
    assert_string_equal(out[3].hook_class, "Texture");
}

static void origins__none__take_no_bytes(void **state)
{
    struct fixture *f = *state;
    const struct cook_dep_origin none[2] = { { 0 }, { 0 } };
    struct cook_dep_origin out[2] = { by_config, by_config };
    cook_origins_encode(none, 2, &f->bytes);
    assert_int_equal(f->bytes.size, 0);
    assert_int_equal(cook_origins_decode(out, 2, NULL, 0, &f->arena), COOK_OK);
    assert_null(out[0].call);
    assert_null(out[1].call);
}

static void origins__cut_or_of_another_count__are_malformed(void **state)
{
    struct fixture *f = *state;
    const struct cook_dep_origin origins[2] = { by_config, by_depend };
    struct cook_dep_origin out[3];
    cook_origins_encode(origins, 2, &f->bytes);
    for (size_t size = 1; size < f->bytes.size; size++)
        assert_int_equal(cook_origins_decode(out, 2, f->bytes.data, size, &f->arena),
                         COOK_E_MALFORMED);
    assert_int_equal(cook_origins_decode(out, 3, f->bytes.data, f->bytes.size, &f->arena),
                     COOK_E_MALFORMED);
    assert_int_equal(cook_origins_decode(out, 1, f->bytes.data, f->bytes.size, &f->arena),
                     COOK_E_MALFORMED);
}

static void config_args__and_back(void **state)
{
    struct fixture *f = *state;
    const char *section;
    const char *key;
    const char *args = cook_dep_config_args(&f->arena, "Cook.Part", "Some Key");
    assert_string_equal(args, "[Cook.Part] Some Key");
    assert_true(cook_dep_config_parse(args, &f->arena, &section, &key));
    assert_string_equal(section, "Cook.Part");
    assert_string_equal(key, "Some Key");
}

static void config_parse__malformed__is_refused(void **state)
{
    struct fixture *f = *state;
    const char *section;
    const char *key;
    static const char *const texts[] = { "", "Key", "[Section", "Section] Key" };
    for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++)
        assert_false(cook_dep_config_parse(texts[i], &f->arena, &section, &key));
}

static void hash__each_part_matters(void **state)
{
    (void)state;
    struct cook_hash hash = cook_dep_hash(COOK_DEP_FILE, "a", one);
    assert_true(cook_hash_equal(hash, cook_dep_hash(COOK_DEP_FILE, "a", one)));
    assert_false(cook_hash_equal(hash, cook_dep_hash(COOK_DEP_DIRECTORY, "a", one)));
    assert_false(cook_hash_equal(hash, cook_dep_hash(COOK_DEP_FILE, "b", one)));
    assert_false(cook_hash_equal(hash, cook_dep_hash(COOK_DEP_FILE, "a", two)));
}

static void key_sum__any_order__same_key(void **state)
{
    (void)state;
    struct cook_hash none = { 0, 0 };
    struct cook_hash carry = { 1, UINT64_MAX };
    struct cook_hash ab = cook_key_sum(cook_key_sum(none, carry), two);
    struct cook_hash ba = cook_key_sum(cook_key_sum(none, two), carry);
    assert_true(cook_hash_equal(ab, ba));
    assert_int_equal(ab.high, 2);
    assert_false(cook_hash_is_zero(cook_key_finish(none)));
    assert_false(cook_hash_equal(cook_key_finish(ab), ab));
}

static void source_hash__absent_side_file__is_a_value(void **state)
{
    (void)state;
    struct cook_hash none = { 0, 0 };
    struct cook_hash without = cook_source_hash(one, false, none);
    assert_false(cook_hash_is_zero(without));
    assert_false(cook_hash_equal(without, cook_source_hash(one, true, none)));
    assert_false(cook_hash_equal(without, cook_source_hash(two, false, none)));
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)
    const struct CMUnitTest tests[] = {
        TEST(kind_text__known_and_foreign),
        TEST(add__same_twice__the_first_value_stands),
        TEST(encode__other_order__same_bytes),
        TEST(decode__what_was_encoded__is_sorted),
        TEST(decode__empty_record__is_empty),
        TEST(decode__cut_anywhere__is_malformed),
        TEST(decode__no_memory__fails),
        TEST(add__no_memory__marks_the_record),
        TEST(origin__of_two__does_not_depend_on_their_order),
        TEST(origins__encoded__come_back),
        TEST(origins__none__take_no_bytes),
        TEST(origins__cut_or_of_another_count__are_malformed),
        TEST(config_args__and_back),
        TEST(config_parse__malformed__is_refused),
        TEST(hash__each_part_matters),
        TEST(key_sum__any_order__same_key),
        TEST(source_hash__absent_side_file__is_a_value),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
