#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <setjmp.h>
#include <cmocka.h>

#include <archive.h>
#include <archive_entry.h>
#include <cjson/cJSON.h>

#include "cook/bundle/bundle.h"
#include "support/folder.h"

struct fixture {
    struct cook_bundle bundle;
    struct cook_bundle read;
    struct cook_buf packed;
    cJSON *head;
    struct cook_error error;
};

static int set_up(void **context)
{
    struct fixture *fixture = calloc(1, sizeof(*fixture));
    *context = fixture;
    return cook_bundle_add(&fixture->bundle, "project/b.txt", "bb", 2, NULL) != COOK_OK ||
           cook_bundle_add(&fixture->bundle, "a.json", "{}", 2, NULL) != COOK_OK ||
           cook_bundle_add(&fixture->bundle, "project/sub/empty", "", 0, NULL) != COOK_OK;
}

static int tear_down(void **context)
{
    struct fixture *fixture = *context;
    cook_bundle_finish(&fixture->bundle);
    cook_bundle_finish(&fixture->read);
    cook_buf_finish(&fixture->packed);
    cJSON_Delete(fixture->head);
    free(fixture);
    return 0;
}

static void pack(struct fixture *fixture, struct cook_buf *out)
{
    cJSON *head = cJSON_CreateObject();
    cJSON_AddStringToObject(head, "finding", "f00");
    assert_int_equal(cook_bundle_pack(out, &fixture->bundle, head, &fixture->error), COOK_OK);
    cJSON_Delete(head);
}

static enum cook_status unpack(struct fixture *fixture, const struct cook_buf *packed)
{
    cook_bundle_finish(&fixture->read);
    cJSON_Delete(fixture->head);
    return cook_bundle_unpack(&fixture->read, &fixture->head, packed->data, packed->size,
                              &fixture->error);
}

static void pack__same_contents_same_bytes_and_back(void **context)
{
    struct fixture *fixture = *context;
    struct cook_buf again = COOK_BUF_INIT;
    pack(fixture, &fixture->packed);
    setenv("TZ", "Asia/Tokyo", 1);
    pack(fixture, &again);
    unsetenv("TZ");
    assert_int_equal(again.size, fixture->packed.size);
    assert_memory_equal(again.data, fixture->packed.data, again.size);
    assert_int_equal(unpack(fixture, &again), COOK_OK);
    assert_int_equal(fixture->read.count, 3);
    assert_string_equal(fixture->read.entries[0].path, "a.json");
    const struct cook_buf *found = cook_bundle_find(&fixture->read, "project/b.txt");
    assert_non_null(found);
    assert_int_equal(found->size, 2);
    assert_null(cook_bundle_find(&fixture->read, "project"));
    assert_string_equal(cJSON_GetObjectItem(fixture->head, "finding")->valuestring, "f00");
    cook_buf_finish(&again);
}

static void add__refuses_what_leads_out_or_is_there(void **context)
{
    struct fixture *fixture = *context;
    static const char *const bad[] = { "../x", "/x", "a/../../x", "", "a//b", "bundle.json" };
    for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++)
        assert_int_equal(cook_bundle_add(&fixture->bundle, bad[i], "", 0, NULL),
                         COOK_E_INVALID);
    assert_int_equal(cook_bundle_add(&fixture->bundle, "a.json", "", 0, NULL), COOK_E_EXISTS);
}

static void extract__below_a_prefix(void **context)
{
    struct fixture *fixture = *context;
    struct test_folder folder;
    struct cook_file_stat stat;
    assert_int_equal(test_folder_open(&folder), 0);
    assert_int_equal(cook_bundle_extract(&fixture->bundle, "project/", folder.fd, NULL),
                     COOK_OK);
    assert_int_equal(cook_fs_stat(&stat, folder.fd, "sub/empty", NULL), COOK_OK);
    assert_int_equal(stat.kind, COOK_FILE_REGULAR);
    assert_int_equal(cook_fs_stat(&stat, folder.fd, "b.txt", NULL), COOK_OK);
    assert_int_equal(stat.size_bytes, 2);
    assert_int_equal(cook_fs_stat(&stat, folder.fd, "a.json", NULL), COOK_OK);
    assert_int_equal(stat.kind, COOK_FILE_ABSENT);
    assert_int_equal(test_folder_close(&folder), 0);
}

/* ---- bundles of other making ---- */

static la_ssize_t take_bytes(struct archive *archive, void *user, const void *bytes,
                             size_t size)
{
    (void)archive;
    cook_buf_put(user, bytes, size);
    return (la_ssize_t)size;
}

struct foreign {
    const char *head;
    const char *path;
    const char *bytes;
    const char *link; /* a symbolic link instead of a file */
};

static void make_foreign(struct cook_buf *out, const struct foreign *foreign)
{
    const char *const paths[] = { "bundle.json", foreign->path };
    const char *const texts[] = { foreign->head, foreign->bytes };
    struct archive *archive = archive_write_new();
    archive_write_set_format_pax_restricted(archive);
    archive_write_add_filter_zstd(archive);
    archive_write_set_bytes_in_last_block(archive, 1);
    assert_int_equal(archive_write_open(archive, out, NULL, take_bytes, NULL), ARCHIVE_OK);
    for (size_t i = 0; i < 2; i++) {
        struct archive_entry *entry = archive_entry_new();
        bool link = i == 1 && foreign->link;
        archive_entry_set_pathname(entry, paths[i]);
        archive_entry_set_size(entry, link ? 0 : (la_int64_t)strlen(texts[i]));
        archive_entry_set_filetype(entry, link ? AE_IFLNK : AE_IFREG);
        if (link)
            archive_entry_set_symlink(entry, foreign->link);
        archive_entry_set_perm(entry, 0644);
        assert_int_equal(archive_write_header(archive, entry), ARCHIVE_OK);
        if (!link)
            archive_write_data(archive, texts[i], strlen(texts[i]));
        archive_entry_free(entry);
    }
    archive_write_free(archive);
}

static void unpack__refuses_what_is_not_as_its_head_says(void **context)
{
    struct fixture *fixture = *context;
    char hash[COOK_HASH_TEXT_SIZE];
    char good[256];
    cook_hash_to_text(cook_hash_bytes("ok", 2), hash);
    snprintf(good, sizeof(good),
             "{\"schema\":\"cookproof/bundle/1\",\"entries\":[{\"path\":\"%s\",\"size\":2,"
             "\"hash\":\"%s\"}]}",
             "a", hash);
    const struct foreign sound = { good, "a", "ok", NULL };
    make_foreign(&fixture->packed, &sound);
    assert_int_equal(unpack(fixture, &fixture->packed), COOK_OK);
    const struct foreign bad[] = {
        { good, "a", "no", NULL },        /* hash */
        { good, "b", "ok", NULL },        /* name */
        { good, "a", "okay", NULL },      /* size */
        { good, "../a", "ok", NULL },     /* leads out */
        { good, "/tmp/a", "ok", NULL },   /* the same */
        { good, "a", "", "/etc/passwd" }, /* a link */
        { "{\"schema\":\"cookproof/bundle/2\"}", "a", "ok", NULL },
        { "{\"schema\":\"cookproof/bundle/1\",\"entries\":[]}", "a", "ok", NULL },
        { "not JSON", "a", "ok", NULL },
    };
    for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
        struct cook_buf packed = COOK_BUF_INIT;
        make_foreign(&packed, &bad[i]);
        assert_int_equal(unpack(fixture, &packed), COOK_E_MALFORMED);
        assert_non_null(strstr(fixture->error.message, "not a sound bundle"));
        assert_null(fixture->head);
        cook_buf_finish(&packed);
    }
}

static void unpack__refuses_any_cut_and_any_noise(void **context)
{
    struct fixture *fixture = *context;
    struct cook_buf noise = COOK_BUF_INIT;
    pack(fixture, &fixture->packed);
    for (size_t size = 0; size < fixture->packed.size; size += 7) {
        struct cook_buf cut = { fixture->packed.data, size, size, false };
        assert_int_not_equal(unpack(fixture, &cut), COOK_OK);
    }
    cook_buf_printf(&noise, "this is no archive at all");
    assert_int_equal(unpack(fixture, &noise), COOK_E_MALFORMED);
    cook_buf_finish(&noise);
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)
    const struct CMUnitTest tests[] = {
        TEST(pack__same_contents_same_bytes_and_back),
        TEST(add__refuses_what_leads_out_or_is_there),
        TEST(extract__below_a_prefix),
        TEST(unpack__refuses_what_is_not_as_its_head_says),
        TEST(unpack__refuses_any_cut_and_any_noise),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
