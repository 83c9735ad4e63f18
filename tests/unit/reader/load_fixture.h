/*
 * Scans and loads of single files through the real scan and the real loader, with plain
 * stand-ins for the standard classes, whose hooks are not under test. Header-only, since each
 * test is one program.
 */
#ifndef COOK_TESTS_UNIT_READER_LOAD_FIXTURE_H
#define COOK_TESTS_UNIT_READER_LOAD_FIXTURE_H

#include <string.h>

#include <cook/standard.h>

#include "cook/base/path.h"
#include "cook/reader/readers.h"
#include "cook/registry/facts.h"
#include "cook/worker/session.h"
#include "support/folder.h"

struct load_fixture {
    struct test_folder folder;
    struct cook_session session;
    struct cook_package package;
    struct cook_source source;
    struct cook_buf bytes;
    struct cook_arena arena;
    struct cook_facts facts;
};

static const struct cook_property load_texture_properties[] = {
    COOK_PROPERTY(struct cook_texture2d, max_size_px, "MaxSize", COOK_PROPERTY_U32),
    COOK_PROPERTY_END,
};
static const struct cook_class load_classes[] = {
    { .name = "Texture2D",
      .size = sizeof(struct cook_texture2d),
      .properties = load_texture_properties },
    { .name = "StaticMesh", .size = sizeof(struct cook_static_mesh) },
    { .name = "Material", .size = sizeof(struct cook_material) },
    { .name = "Shader", .size = sizeof(struct cook_shader) },
    { .name = "World", .size = sizeof(struct cook_world) },
};

static inline int load_tear_down(void **state)
{
    struct load_fixture *f = *state;
    struct cook_package *package = &f->package;
    cook_context_finish(&package->load);
    cook_free(package->objects);
    cook_intern_finish(&package->inner_paths);
    cook_arena_finish(&package->arena);
    pthread_mutex_destroy(&package->arena_lock);
    cook_session_finish(&f->session);
    cook_buf_finish(&f->bytes);
    cook_arena_finish(&f->arena);
    int result = test_folder_close(&f->folder);
    cook_free(f);
    return result;
}

static inline int load_set_up(void **state)
{
    struct load_fixture *f = cook_calloc(1, sizeof(*f));
    *state = f;
    if (f == NULL || test_folder_open(&f->folder) != 0 ||
        cook_session_init(&f->session, NULL) != COOK_OK) {
        return -1;
    }
    cook_register_module(&f->session.types, "Cook");
    for (size_t i = 0; i < sizeof(load_classes) / sizeof(load_classes[0]); i++) {
        cook_register_class(&f->session.types, &load_classes[i]);
    }
    f->session.project_fd = f->folder.fd;
    pthread_mutex_init(&f->package.arena_lock, NULL);
    return cook_types_link(&f->session.types, NULL, NULL) == COOK_OK ? 0 : -1;
}

/* Let `Content/<name>` with these bytes be the source; the package is "/Game/<name>". */
static inline void load_source(struct load_fixture *f, const char *name, const void *bytes,
                               size_t size)
{
    cook_buf_clear(&f->bytes);
    cook_buf_put(&f->bytes, bytes, size);
    (void)cook_buf_text(&f->bytes);
    f->package.name = cook_arena_printf(&f->arena, "/Game/%s", name);
    f->package.path = cook_arena_printf(&f->arena, "Content/%s", name);
    f->package.folder = cook_path_folder(&f->arena, f->package.path);
    f->source = (struct cook_source){
        .package = f->package.name, .path = f->package.path, .data = f->bytes.data, .size = size
    };
}

static inline void load_side_file(struct load_fixture *f, const char *text)
{
    f->source.side_data = (const uint8_t *)text;
    f->source.side_size = strlen(text);
}

static inline enum cook_status load_run(struct load_fixture *f,
                                        const struct cook_reader *reader)
{
    struct cook_loader loader = { &f->session, &f->package, &f->package.load, &f->source };
    assert_int_equal(cook_context_init(&f->package.load, &f->session, &f->package), COOK_OK);
    return reader->load(&f->package.load, &loader, &f->source);
}

/* Scan and load what must succeed, and check that both name the same objects in the same order.
 */
static inline void load_ok(struct load_fixture *f, const struct cook_reader *reader)
{
    assert_int_equal(cook_facts_scan(&f->facts, reader, &f->source, &f->arena, NULL), COOK_OK);
    if (f->facts.fault != NULL) {
        fail_msg("%s", f->facts.fault);
    }
    enum cook_status status = load_run(f, reader);
    if (status != COOK_OK) {
        fail_msg("%s", f->package.load.messages.count > 0
                           ? f->package.load.messages.items[0].text
                           : cook_status_text(status));
    }
    assert_int_equal(f->facts.object_count, f->package.object_count);
    for (uint32_t i = 0; i < f->package.object_count; i++) {
        const struct cook_object_state *object = f->package.objects[i];
        assert_string_equal(f->facts.objects[i].path, object->inner_path);
        assert_string_equal(f->facts.objects[i].class_name, object->class_info->name);
    }
}

/* The loaded object by its name; fails the test when there is none. */
static inline void *load_object(struct load_fixture *f, const char *name)
{
    struct cook_object_state *state = cook_package_find(&f->package, name);
    assert_non_null(state);
    return state->object;
}

/* Load what must fail, with this first message. */
static inline void load_fails(struct load_fixture *f, const struct cook_reader *reader,
                              const char *message)
{
    assert_int_not_equal(load_run(f, reader), COOK_OK);
    assert_true(f->package.load.messages.count > 0);
    assert_string_equal(f->package.load.messages.items[0].text, message);
}

#endif
