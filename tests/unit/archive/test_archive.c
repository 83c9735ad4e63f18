#include "support/session.h"

#include <cook/archive.h>

#include "cook/archive/cooked.h"

struct range {
    float low, high;
};
struct thing {
    struct cook_object base;
    bool flag;
    int8_t i8;
    int16_t i16;
    int32_t i32;
    int64_t i64;
    uint8_t u8;
    uint16_t u16;
    uint32_t u32;
    uint64_t u64;
    float f32;
    double f64;
    struct cook_string string;
    struct cook_name name;
    int32_t kind;
    struct range range;
    struct cook_bytes bytes;
    struct cook_ref ref;
    struct cook_soft_ref soft;
    struct cook_array ranges; /* of struct range */
    struct cook_map scores;   /* of uint32_t */
    int32_t secret;           /* editor only */
    struct cook_name late;    /* written by the hook, harvested or not */
};

/* What the hook of the test at hand does. */
enum hook { HOOK_NONE, HOOK_BULK, HOOK_NOT_HARVESTED, HOOK_OPEN, HOOK_DEEP_BULK, HOOK_GROUPS,
            HOOK_LAYOUT };
static enum hook hook;

static void write_bulk_deep(struct cook_archive *archive)
{
    uint32_t one = 1;
    for (unsigned i = 0; i < 9; i++) {
        cook_field_array(archive, i ? NULL : "Deep", &one);
        cook_field_element(archive, 0);
    }
    cook_write_bulk(archive, "Data", "x", 1);
    for (unsigned i = 0; i < 9; i++)
        cook_field_array_end(archive);
}

static void serialize(struct cook_archive *archive, void *object)
{
    struct thing *thing = object;
    bool write = cook_archive_phase(archive) == COOK_PHASE_WRITE;
    if (cook_archive_phase(archive) == COOK_PHASE_LOAD)
        return;
    if (hook == HOOK_BULK) {
        cook_write_data(archive, "Inline", "abc", 3);
        cook_write_bulk(archive, "Big", "0123456789", 10);
        cook_write_bulk(archive, "Empty", NULL, 0);
        cook_write_bulk(archive, "More", "xyz", 3);
        cook_write_data_elements(archive, "Steps", "u16", "abcd", 4);
        cook_write_bulk_elements(archive, "Points", "i8x3", "abcdef", 6);
    } else if (hook == HOOK_NOT_HARVESTED && write) {
        thing->late.text = "Late";
        cook_field_name(archive, "Late", &thing->late);
        cook_field_u32(archive, "After", &thing->u32);
    } else if (hook == HOOK_OPEN) {
        cook_field_group(archive, "Group");
    } else if (hook == HOOK_LAYOUT) {
        cook_write_data_elements(archive, "Steps", "u16x2", "abcdef", 6);
    } else if (hook == HOOK_DEEP_BULK) {
        write_bulk_deep(archive);
    } else if (hook == HOOK_GROUPS) {
        cook_field_group(archive, "Group");
        cook_field_u32(archive, "U32", &thing->u32);
        cook_field_group_end(archive);
        cook_field_group_end(archive);
    }
}

static const struct cook_property range_properties[] = {
    COOK_PROPERTY(struct range, low, "Low", COOK_PROPERTY_F32),
    COOK_PROPERTY(struct range, high, "High", COOK_PROPERTY_F32),
    COOK_PROPERTY_END,
};
static const struct cook_struct range_struct = { .name = "Range",
                                                 .size = sizeof(struct range),
                                                 .properties = range_properties };
static const struct cook_enum_entry kind_entries[] = { { "Blunt", 1 },
                                                       { "Sharp", 2 },
                                                       { NULL, 0 } };
static const struct cook_enum kind_enum = { "Kind", kind_entries };
static const struct cook_property properties[] = {
    COOK_PROPERTY(struct thing, flag, "Flag", COOK_PROPERTY_BOOL),
    COOK_PROPERTY(struct thing, i8, "I8", COOK_PROPERTY_I8),
    COOK_PROPERTY(struct thing, i16, "I16", COOK_PROPERTY_I16),
    COOK_PROPERTY(struct thing, i32, "I32", COOK_PROPERTY_I32),
    COOK_PROPERTY(struct thing, i64, "I64", COOK_PROPERTY_I64),
    COOK_PROPERTY(struct thing, u8, "U8", COOK_PROPERTY_U8),
    COOK_PROPERTY(struct thing, u16, "U16", COOK_PROPERTY_U16),
    COOK_PROPERTY(struct thing, u32, "U32", COOK_PROPERTY_U32),
    COOK_PROPERTY(struct thing, u64, "U64", COOK_PROPERTY_U64),
    COOK_PROPERTY(struct thing, f32, "F32", COOK_PROPERTY_F32),
    COOK_PROPERTY(struct thing, f64, "F64", COOK_PROPERTY_F64),
    COOK_PROPERTY(struct thing, string, "String", COOK_PROPERTY_STRING),
    COOK_PROPERTY(struct thing, name, "Name", COOK_PROPERTY_NAME),
    COOK_PROPERTY_TYPED(struct thing, kind, "Kind", COOK_PROPERTY_ENUM, "Kind"),
    COOK_PROPERTY_TYPED(struct thing, range, "Range", COOK_PROPERTY_STRUCT, "Range"),
    COOK_PROPERTY(struct thing, bytes, "Bytes", COOK_PROPERTY_BYTES),
    COOK_PROPERTY(struct thing, ref, "Ref", COOK_PROPERTY_REF),
    COOK_PROPERTY(struct thing, soft, "Soft", COOK_PROPERTY_SOFT_REF),
    COOK_PROPERTY_ARRAY_OF(struct thing, ranges, "Ranges", COOK_PROPERTY_STRUCT, "Range"),
    COOK_PROPERTY_MAP_OF(struct thing, scores, "Scores", COOK_PROPERTY_U32, NULL),
    COOK_PROPERTY_FLAGGED(struct thing, secret, "Secret", COOK_PROPERTY_I32,
                          COOK_PROPERTY_EDITOR_ONLY),
    COOK_PROPERTY_END,
};
static const struct cook_class thing_class = { .name = "Thing",
                                               .size = sizeof(struct thing),
                                               .properties = properties,
                                               .serialize = serialize };

#define THING(name, rest) "{\"name\": \"" name "\", \"class\": \"/Script/Test.Thing\"" rest "}"
#define PROPERTIES(text)  ", \"properties\": {" text "}"
#define ASSET(objects)    "{\"objects\": [" objects "]}"

static const char everything[] = ASSET(THING(
    "Main",
    PROPERTIES(
        "\"Flag\": true, \"I8\": -128, \"I16\": -32768, \"I32\": -2147483648, "
        "\"I64\": -9223372036854775808, \"U8\": 255, \"U16\": 65535, \"U32\": 4294967295, "
        "\"U64\": 18446744073709551615, \"F32\": 0.5, \"F64\": 0.1, \"String\": \"text\", "
        "\"Name\": \"Oak\", \"Kind\": \"Sharp\", \"Range\": {\"Low\": 1, \"High\": 2}, "
        "\"Bytes\": \"AQID\", \"Ref\": {\"$ref\": \"/Game/Other.Main\"}, "
        "\"Soft\": {\"$soft\": \"/Game/Other.Main\"}, "
        "\"Ranges\": [{\"Low\": 3}, {\"High\": 4}], \"Scores\": {\"b\": 2, \"a\": 1}, "
        "\"Secret\": 7")) ", " THING("Sub", ", \"outer\": \"Main\""));

struct saved {
    struct cook_context context;
    struct cook_save_result result;
    struct cook_cooked cooked;
    enum cook_status status;
};

static int set_up(void **state)
{
    if (session_open(state) != 0)
        return -1;
    struct session_fixture *f = *state;
    cook_register_class(&f->session.types, &thing_class);
    cook_register_struct(&f->session.types, &range_struct);
    cook_register_enum(&f->session.types, &kind_enum);
    f->user = cook_calloc(1, sizeof(struct saved));
    hook = HOOK_NONE;
    if (!f->user || session_link(f) != 0)
        return -1;
    (void)session_add(f, "Other", ASSET(THING("Main", "")));
    return 0;
}

static int tear_down(void **state)
{
    struct session_fixture *f = *state;
    struct saved *saved = f->user;
    cook_alloc_fail_after(-1);
    cook_save_result_finish(&saved->result);
    cook_context_finish(&saved->context);
    cook_free(saved);
    return session_close(state);
}

/* Load /Game/A made of this text, and save it. */
static struct saved *save(struct session_fixture *f, const char *text)
{
    struct saved *saved = f->user;
    (void)session_add(f, "A", text);
    struct cook_package *package = session_load_ok(f, "/Game/A");
    assert_int_equal(cook_context_init(&saved->context, &f->session, package), COOK_OK);
    saved->status = cook_session_save(&f->session, package, &saved->context, &saved->result);
    return saved;
}

static struct saved *save_ok(struct session_fixture *f, const char *text)
{
    struct saved *saved = save(f, text);
    if (saved->context.messages.count)
        print_error("%s\n", saved->context.messages.items[0].text);
    assert_int_equal(saved->status, COOK_OK);
    assert_true(saved->result.ok);
    const struct cook_buf *bytes = &saved->result.bytes;
    assert_int_equal(
        cook_cooked_parse(&saved->cooked, bytes->data, bytes->size, &f->arena, &f->error),
        COOK_OK);
    return saved;
}

static void save_fails(struct session_fixture *f, const char *message)
{
    struct saved *saved = save(f, ASSET(THING("Main", "")));
    assert_int_not_equal(saved->status, COOK_OK);
    assert_false(saved->result.ok);
    assert_int_equal(saved->context.messages.count, 1);
    assert_string_equal(saved->context.messages.items[0].text, message);
}

static struct thing *thing_of(struct session_fixture *f, const char *text)
{
    (void)session_add(f, "A", text);
    struct cook_package *package = session_load_ok(f, "/Game/A");
    return (void *)cook_package_find(package, "Main")->object;
}

/* The bytes of the token with this path; fails the test when there is none. */
static const uint8_t *value_of(struct session_fixture *f, const char *path, size_t *size)
{
    const struct saved *saved = f->user;
    const struct cook_token_map *tokens = &saved->result.tokens;
    size_t offset = 0;
    for (size_t i = 0; i < tokens->count; i++) {
        *size = tokens->tokens[i].size;
        if (strcmp(cook_token_text(tokens, i, &f->arena), path) == 0)
            return saved->result.bytes.data + offset;
        offset += *size;
    }
    fail_msg("no token %s", path);
    return NULL;
}

static void assert_value(struct session_fixture *f, const char *path, const char *expected,
                         size_t expected_size)
{
    size_t size;
    const uint8_t *bytes = value_of(f, path, &size);
    assert_int_equal(size, expected_size);
    assert_memory_equal(bytes, expected, size);
}

static void load__every_scalar__is_set(void **state)
{
    const struct thing *thing = thing_of(*state, everything);
    assert_true(thing->flag);
    assert_int_equal(thing->i8, INT8_MIN);
    assert_int_equal(thing->i16, INT16_MIN);
    assert_int_equal(thing->i32, INT32_MIN);
    assert_true(thing->i64 == INT64_MIN);
    assert_int_equal(thing->u8, UINT8_MAX);
    assert_int_equal(thing->u16, UINT16_MAX);
    assert_int_equal(thing->u32, UINT32_MAX);
    assert_true(thing->u64 == UINT64_MAX);
    assert_true(thing->f32 == 0.5f && thing->f64 == 0.1);
    assert_int_equal(thing->kind, 2);
    assert_int_equal(thing->secret, 7);
}

static void load__texts_and_containers__are_set(void **state)
{
    const struct thing *thing = thing_of(*state, everything);
    assert_string_equal(thing->string.data, "text");
    assert_string_equal(thing->name.text, "Oak");
    assert_string_equal(thing->ref.path, "/Game/Other.Main");
    assert_string_equal(thing->soft.path, "/Game/Other.Main");
    assert_int_equal(thing->bytes.size, 3);
    assert_memory_equal(thing->bytes.data, "\1\2\3", 3);
    const struct range *ranges = thing->ranges.items;
    assert_int_equal(thing->ranges.count, 2);
    assert_true(ranges[0].low == 3 && ranges[1].high == 4 && thing->range.high == 2);
    assert_int_equal(thing->scores.count, 2);
    assert_string_equal(thing->scores.keys[0].data,
                        "a"); /* sorted, whatever the file's order */
    assert_int_equal(((const uint32_t *)thing->scores.values)[0], 1);
}

static void load_fails(struct session_fixture *f, const char *properties_text,
                       const char *message)
{
    struct cook_buf text = COOK_BUF_INIT;
    cook_buf_printf(&text, ASSET(THING("Main", PROPERTIES("%s"))), properties_text);
    (void)session_add(f, "A", cook_buf_text(&text));
    cook_buf_finish(&text);
    struct cook_package *package = session_load(f, "/Game/A");
    assert_int_equal(package->stage, COOK_LOAD_FAILED);
    assert_string_equal(package->load.messages.items[0].text, message);
    cook_session_evict(&f->session, package);
}

static void load__wrong_values__name_place_and_expectation(void **state)
{
    load_fails(*state, "\"U8\": 256",
               "Content/A.asset:1: Main:U8: expected an integer from 0 to 255");
    load_fails(*state, "\"Flag\": 1", "Content/A.asset:1: Main:Flag: expected true or false");
    load_fails(*state, "\"Ranges\": [{}, {\"Low\": \"x\"}]",
               "Content/A.asset:1: Main:Ranges[1].Low: expected a number");
    load_fails(*state, "\"Scores\": []", "Content/A.asset:1: Main:Scores: expected an object");
}

static void load__unknown_member__warns(void **state)
{
    struct session_fixture *f = *state;
    (void)session_add(f, "A", ASSET(THING("Main", PROPERTIES("\"Helth\": 1"))));
    struct cook_package *package = session_load(f, "/Game/A");
    assert_int_equal(package->stage, COOK_LOAD_DONE);
    assert_int_equal(package->load.messages.items[0].severity, COOK_SEVERITY_WARNING);
}

static void write__every_scalar__is_little_endian(void **state)
{
    struct session_fixture *f = *state;
    (void)save_ok(f, everything);
    assert_value(f, "Main:Flag", "\1", 1);
    assert_value(f, "Main:I16", "\0\x80", 2);
    assert_value(f, "Main:I32", "\0\0\0\x80", 4);
    assert_value(f, "Main:I64", "\0\0\0\0\0\0\0\x80", 8);
    assert_value(f, "Main:U16", "\xff\xff", 2);
    assert_value(f, "Main:F32", "\0\0\0\x3f", 4);
    assert_value(f, "Main:Kind", "\2\0\0\0", 4);
    assert_value(f, "Main:String", "\4\0\0\0text", 8);
    assert_value(f, "Main:Bytes", "\3\0\0\0\1\2\3", 7);
}

static void write__containers__have_counts_and_elements(void **state)
{
    struct session_fixture *f = *state;
    (void)save_ok(f, everything);
    assert_value(f, "Main:Ranges#", "\2\0\0\0", 4);
    assert_value(f, "Main:Ranges[0].Low", "\0\0\x40\x40", 4);
    assert_value(f, "Main:Ranges[1].High", "\0\0\x80\x40", 4);
    assert_value(f, "Main:Scores#", "\2\0\0\0", 4);
    assert_value(f, "Main:Scores[\"a\"].Key", "\1\0\0\0a", 5);
    assert_value(f, "Main:Scores[\"b\"]", "\2\0\0\0", 4);
}

static void write__references__are_table_entries_and_edges(void **state)
{
    struct session_fixture *f = *state;
    const struct saved *saved = save_ok(f, everything);
    assert_value(f, "Main:Ref", "\xff\xff\xff\xff", 4); /* import 0 */
    assert_value(f, "Main:Soft", "\0\0\0\0", 4);
    assert_value(f, "Main/Sub:Ref", "\0\0\0\0", 4);
    assert_value(f, "Main/Sub:Soft", "\xff\xff\xff\xff", 4);
    assert_int_equal(saved->cooked.import_count, 1);
    assert_string_equal(saved->cooked.imports[0].package, "/Game/Other");
    assert_string_equal(saved->cooked.imports[0].inner, "Main");
    assert_int_equal(saved->cooked.soft_count, 1);
    assert_string_equal(saved->cooked.soft[0], "/Game/Other.Main");
    assert_string_equal(cook_intern_text(&saved->result.hard, 0), "/Game/Other.Main");
    assert_string_equal(cook_intern_text(&saved->result.soft, 0), "/Game/Other.Main");
}

static void write__reference_within_the_package__is_an_export(void **state)
{
    struct session_fixture *f = *state;
    const struct saved *saved = save_ok(
        f,
        ASSET(THING("Main", PROPERTIES("\"Ref\": {\"$ref\": \"/Game/A.Main/Sub\"}")) ", " THING(
            "Sub", ", \"outer\": \"Main\"")));
    assert_value(f, "Main:Ref", "\2\0\0\0", 4);
    assert_int_equal(saved->cooked.import_count, 0);
    assert_int_equal(saved->result.hard.count, 0);
    assert_int_equal(saved->cooked.exports[1].outer, 1);
}

static void write__missing_target__is_null_with_a_warning(void **state)
{
    struct session_fixture *f = *state;
    const struct saved *saved =
        save(f, ASSET(THING("Main", PROPERTIES("\"Ref\": {\"$ref\": \"/Game/Gone\"}"))));
    assert_true(saved->result.ok);
    assert_value(f, "Main:Ref", "\0\0\0\0", 4);
    assert_int_equal(saved->context.messages.items[0].severity, COOK_SEVERITY_WARNING);
}

static bool has_token(struct session_fixture *f, const char *path)
{
    const struct saved *saved = f->user;
    return cook_intern_find(&saved->result.tokens.paths, path) != COOK_INTERN_NONE;
}

static void write__editor_only__is_left_out(void **state)
{
    struct session_fixture *f = *state;
    const struct saved *saved = save_ok(
        f, ASSET(THING("Main", PROPERTIES("\"Secret\": 7")) ", " THING(
               "Note", ", \"flags\": [\"EditorOnly\"]") ", " THING("In",
                                                                   ", \"outer\": \"Note\"")));
    assert_int_equal(saved->cooked.export_count, 1);
    assert_false(has_token(f, "Main:Secret"));
    assert_true(has_token(f, "Main:U32"));
}

static void write__bulk__is_aligned_and_pointed_to(void **state)
{
    struct session_fixture *f = *state;
    hook = HOOK_BULK;
    const struct saved *saved = save_ok(f, ASSET(THING("Main", "")));
    size_t size;
    const uint8_t *offset_bytes = value_of(f, "Main:More.Offset", &size);
    struct cook_reader_buf in = cook_read_init(offset_bytes, 8);
    uint64_t offset = cook_read_u64(&in);
    assert_int_equal(offset % 16, 0);
    assert_true(offset >= saved->cooked.bulk_offset);
    assert_memory_equal(saved->result.bytes.data + offset, "xyz", 3);
    assert_value(f, "Main:More.Size", "\3\0\0\0\0\0\0\0", 8);
    assert_value(f, "Main:Inline", "abc", 3);
    assert_value(f, "Main:Big#bulk", "0123456789", 10);
    assert_value(f, "Main:Steps#u16", "abcd", 4);
    assert_value(f, "Main:Points#bulk#i8x3", "abcdef", 6);
    assert_value(f, "Main:Points.Size", "\6\0\0\0\0\0\0\0", 8);
}

static void write__elements_that_do_not_fit_their_layout__fail(void **state)
{
    hook = HOOK_LAYOUT;
    save_fails(*state, "Main: 'Steps': 6 bytes are no elements of layout 'u16x2'");
}

static void write__tokens__cover_the_bytes_without_gaps(void **state)
{
    struct session_fixture *f = *state;
    hook = HOOK_BULK;
    const struct saved *saved = save_ok(f, everything);
    size_t sum = 0;
    for (size_t i = 0; i < saved->result.tokens.count; i++)
        sum += saved->result.tokens.tokens[i].size;
    assert_int_equal(sum, saved->result.bytes.size);
    assert_int_equal(saved->cooked.size, sum);
}

static void write__twice__same_bytes(void **state)
{
    struct session_fixture *f = *state;
    hook = HOOK_BULK;
    struct saved *saved = save_ok(f, everything);
    struct cook_save_result first = saved->result;
    struct cook_package *package = saved->context.package;
    cook_session_evict(&f->session, package);
    package = session_load_ok(f, "/Game/A");
    assert_int_equal(cook_session_save(&f->session, package, &saved->context, &saved->result),
                     COOK_OK);
    assert_int_equal(saved->result.bytes.size, first.bytes.size);
    assert_memory_equal(saved->result.bytes.data, first.bytes.data, first.bytes.size);
    cook_save_result_finish(&first);
}

static void write__name_not_harvested__fails(void **state)
{
    hook = HOOK_NOT_HARVESTED;
    save_fails(*state, "Main:Late: 'Late' was written but not harvested");
}

static void write__group_left_open__fails(void **state)
{
    hook = HOOK_OPEN;
    save_fails(*state, "Main:Group: serialize left an array or group open");
}

static void write__group_ended_twice__fails(void **state)
{
    hook = HOOK_GROUPS;
    save_fails(*state, "Main: a group or array was ended that was not begun");
}

static void write__bulk_in_too_many_arrays__names_the_limit(void **state)
{
    hook = HOOK_DEEP_BULK;
    save_fails(*state, "Main:Deep[0][0][0][0][0][0][0][0][0]: bulk data in more than 8 arrays");
}

/* Each allocation of a save fails once: the package fails, or is what it always is. */
static void save__no_memory__fails_or_is_whole(void **state)
{
    struct session_fixture *f = *state;
    hook = HOOK_BULK;
    struct saved *saved = save_ok(f, everything);
    struct cook_save_result whole = saved->result;
    struct cook_package *package = saved->context.package;
    bool ok = false;
    for (long after = 0; !ok; after++) {
        assert_true(after < 5000);
        cook_context_finish(&saved->context);
        assert_int_equal(cook_context_init(&saved->context, &f->session, package), COOK_OK);
        cook_alloc_fail_after(after);
        (void)!cook_session_save(&f->session, package, &saved->context, &saved->result);
        cook_alloc_fail_after(-1);
        ok = saved->result.ok;
        if (ok)
            assert_memory_equal(saved->result.bytes.data, whole.bytes.data, whole.bytes.size);
        else
            cook_save_result_finish(&saved->result);
    }
    cook_save_result_finish(&whole);
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)
    const struct CMUnitTest tests[] = {
        TEST(load__every_scalar__is_set),
        TEST(load__texts_and_containers__are_set),
        TEST(load__wrong_values__name_place_and_expectation),
        TEST(load__unknown_member__warns),
        TEST(write__every_scalar__is_little_endian),
        TEST(write__containers__have_counts_and_elements),
        TEST(write__references__are_table_entries_and_edges),
        TEST(write__reference_within_the_package__is_an_export),
        TEST(write__missing_target__is_null_with_a_warning),
        TEST(write__editor_only__is_left_out),
        TEST(write__bulk__is_aligned_and_pointed_to),
        TEST(write__tokens__cover_the_bytes_without_gaps),
        TEST(write__twice__same_bytes),
        TEST(write__name_not_harvested__fails),
        TEST(write__group_left_open__fails),
        TEST(write__group_ended_twice__fails),
        TEST(write__bulk_in_too_many_arrays__names_the_limit),
        TEST(write__elements_that_do_not_fit_their_layout__fail),
        TEST(save__no_memory__fails_or_is_whole),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
