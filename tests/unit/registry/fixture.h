/*
 * A project in a temporary folder, with a state that is refreshed over and over. The file
 * system's clock is coarse: what a test wrote stays racy until settle() has waited the window
 * out.
 */
#ifndef COOK_TESTS_REGISTRY_FIXTURE_H
#define COOK_TESTS_REGISTRY_FIXTURE_H

#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <setjmp.h>
#include <cmocka.h>

#include <sys/mman.h>
#include <sys/stat.h>
#include <time.h>

#include "cook/registry/registry.h"
#include "support/folder.h"

#define CLOCK_TICK_NS INT64_C(12000000)

struct fixture {
    struct test_folder folder;
    struct cook_project project;
    struct cook_state state;
    struct cook_registry_options options;
    struct cook_registry_changes changes;
    struct cook_error error;
    struct cook_arena arena;
};

static const char *const asset_extensions[] = { ".asset", NULL };
static const char *const image_extensions[] = { ".png", ".jpg", NULL };
static const struct cook_reader_info test_readers[] = {
    { "asset", 1, asset_extensions, 0 },
    { "image", 3, image_extensions, 0 },
};

static inline void write_file(struct fixture *f, const char *path, const char *text)
{
    assert_int_equal(test_folder_write(&f->folder, path, text), 0);
}

/* Write in place: same inode. */
static inline void overwrite_file(struct fixture *f, const char *path, const char *text)
{
    int fd = openat(f->folder.fd, path, O_WRONLY | O_TRUNC | O_CLOEXEC);
    assert_true(fd >= 0);
    assert_int_equal(write(fd, text, strlen(text)), strlen(text));
    close(fd);
}

static inline void remove_path(struct fixture *f, const char *path)
{
    assert_int_equal(cook_fs_remove_tree(f->folder.fd, path, NULL), COOK_OK);
}

static inline void rename_path(struct fixture *f, const char *from, const char *to)
{
    assert_int_equal(renameat(f->folder.fd, from, f->folder.fd, to), 0);
}

static inline void make_folder(struct fixture *f, const char *path)
{
    assert_int_equal(cook_fs_make_folders(f->folder.fd, path, NULL), COOK_OK);
}

static inline void make_link(struct fixture *f, const char *target, const char *path)
{
    assert_int_equal(symlinkat(target, f->folder.fd, path), 0);
}

static inline void open_project(struct fixture *f)
{
    struct cook_project_options options = { .folder = f->folder.path };
    assert_int_equal(cook_project_open(&f->project, &options, &f->error), COOK_OK);
}

static inline int set_up(void **state)
{
    struct fixture *f = cook_calloc(1, sizeof(*f));
    *state = f;
    if (!f || test_folder_open(&f->folder) != 0)
        return -1;
    write_file(f, "cook.ini", "[Project]\nName=Test\n+ContentRoot=/Game=Content\n");
    make_folder(f, "Content");
    open_project(f);
    cook_state_init(&f->state);
    f->options.readers = test_readers;
    f->options.reader_count = 2;
    f->options.threads = 2;
    f->options.trust_stat = true;
    return 0;
}

static inline int tear_down(void **state)
{
    struct fixture *f = *state;
    cook_alloc_fail_after(-1);
    cook_registry_changes_finish(&f->changes);
    cook_state_finish(&f->state);
    cook_project_finish(&f->project);
    cook_arena_finish(&f->arena);
    int result = test_folder_close(&f->folder);
    cook_free(f);
    return result;
}

static inline void refresh(struct fixture *f)
{
    cook_registry_changes_finish(&f->changes);
    enum cook_status status =
        cook_registry_refresh(&f->changes, &f->state, &f->project, &f->options, &f->error);
    if (status != COOK_OK)
        print_error("%s\n", f->error.message);
    assert_int_equal(status, COOK_OK);
}

static inline void wait_out_racy_window(void)
{
    struct timespec pause = { 0, COOK_RACY_WINDOW_NS + CLOCK_TICK_NS };
    nanosleep(&pause, NULL);
}

/* Give each package that asks for it facts of one object "Main". */
static inline void scan_pending(struct fixture *f)
{
    struct cook_fact_object object = { "Main", "/Script/Test.Thing" };
    struct cook_facts facts = { .objects = &object, .object_count = 1 };
    struct cook_buf blob = COOK_BUF_INIT;
    cook_facts_encode(&facts, &blob);
    for (size_t i = 0; i < f->changes.to_scan_count; i++) {
        uint32_t id = f->changes.to_scan[i];
        uint32_t name = f->state.files[f->state.packages[id].file].name;
        char *reader =
            cook_registry_reader_text(&f->options, cook_state_text(&f->state, name), &f->arena);
        assert_int_equal(cook_registry_set_facts(&f->state, id, reader,
                                                 cook_registry_source_hash(&f->state, id),
                                                 blob.data, blob.size, &f->error),
                         COOK_OK);
    }
    cook_buf_finish(&blob);
}

/* Refresh until nothing is racy and every package has facts. */
static inline void settle(struct fixture *f)
{
    wait_out_racy_window();
    refresh(f);
    scan_pending(f);
    refresh(f);
    assert_false(f->changes.stat_changed);
    assert_int_equal(f->changes.to_scan_count, 0);
}

static inline uint32_t file_id(struct fixture *f, const char *path)
{
    return cook_state_find_file(&f->state, path);
}

static inline const struct cook_state_file *file_row(struct fixture *f, const char *path)
{
    uint32_t id = file_id(f, path);
    assert_int_not_equal(id, COOK_ID_NONE);
    return &f->state.files[id];
}

static inline const struct cook_state_folder *folder_row(struct fixture *f, const char *path)
{
    uint32_t id = cook_state_find_folder(&f->state, path);
    assert_int_not_equal(id, COOK_ID_NONE);
    return &f->state.folders[id];
}

static inline uint32_t package_id(struct fixture *f, const char *name)
{
    uint32_t id = cook_state_find_package(&f->state, name);
    assert_int_not_equal(id, COOK_ID_NONE);
    return id;
}

static inline const struct cook_state_package *package_row(struct fixture *f, const char *name)
{
    return &f->state.packages[package_id(f, name)];
}

static inline bool is_present(struct fixture *f, const char *name)
{
    uint32_t id = cook_state_find_package(&f->state, name);
    return id != COOK_ID_NONE && (f->state.packages[id].flags & COOK_PACKAGE_PRESENT);
}

static inline struct cook_hash source_of(struct fixture *f, const char *name)
{
    return cook_registry_source_hash(&f->state, package_id(f, name));
}

/* The packages to scan are exactly this one. */
static inline void assert_scan(struct fixture *f, const char *name)
{
    assert_int_equal(f->changes.to_scan_count, 1);
    assert_int_equal(f->changes.to_scan[0], package_id(f, name));
}

/* The fault in a package's facts, or NULL. */
static inline const char *fault_of(struct fixture *f, const char *name)
{
    struct cook_facts facts;
    size_t size;
    const uint8_t *blob =
        cook_state_blob(&f->state, f->state.results[package_id(f, name)].facts, &size);
    assert_int_equal(cook_facts_decode(&facts, blob, size, &f->arena, &f->error), COOK_OK);
    return facts.fault;
}

static inline void copy_ids(void *to, const uint32_t *from, uint32_t count)
{
    if (count)
        memcpy(to, from, count * sizeof(*from));
}

static inline size_t padded(size_t size)
{
    return (size + 63) & ~(size_t)63;
}

/*
 * Turn the state into a mapped one over memory that must not be written, as the index file
 * gives it: what changes a row without thawing first crashes.
 */
static inline void freeze(struct fixture *f)
{
    struct cook_state *s = &f->state;
    struct cook_state frozen = { .mapped = true };
    size_t size = padded(s->order_packages * sizeof(uint32_t)) +
                  padded(s->order_files * sizeof(uint32_t));
#define ADD_SIZE(field, type) size += padded((s->field##_count + 1) * sizeof(type));
    COOK_STATE_TABLES(ADD_SIZE)
#undef ADD_SIZE
    uint8_t *at = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    assert_true(at != MAP_FAILED);
    frozen.map = at;
    frozen.map_size = size;
#define COPY_TABLE(field, type)                                                                \
    frozen.field = (type *)(void *)at;                                                         \
    frozen.field##_count = s->field##_count;                                                   \
    if (s->field##_count)                                                                      \
        memcpy(at, s->field, s->field##_count * sizeof(type));                                 \
    at += padded((s->field##_count + 1) * sizeof(type));
    COOK_STATE_TABLES(COPY_TABLE)
#undef COPY_TABLE
    frozen.package_order = (uint32_t *)(void *)at;
    frozen.order_packages = s->order_packages;
    copy_ids(at, s->package_order, s->order_packages);
    at += padded(s->order_packages * sizeof(uint32_t));
    frozen.file_order = (uint32_t *)(void *)at;
    frozen.order_files = s->order_files;
    copy_ids(at, s->file_order, s->order_files);
    assert_int_equal(mprotect(frozen.map, size, PROT_READ), 0);
    cook_state_finish(s);
    *s = frozen;
}

#endif
