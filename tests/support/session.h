/*
 * A worker's session over a temporary project: classes of the test, the native format's reader,
 * and a registry of the packages that the test writes. Header-only, since each test is one
 * program.
 */
#ifndef COOK_TESTS_SUPPORT_SESSION_H
#define COOK_TESTS_SUPPORT_SESSION_H

#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <setjmp.h>

#include <cmocka.h>

#include "cook/reader/readers.h"
#include "cook/registry/facts.h"
#include "cook/registry/registry.h"
#include "cook/worker/session.h"
#include "support/folder.h"

struct session_fixture {
    struct test_folder folder;
    struct cook_session session;
    struct cook_arena arena;
    struct cook_error error;
    void *user;
};

/* Before the test registers its types in module "Test"; then session_link(). */
static inline int session_open(void **state)
{
    struct session_fixture *f = cook_calloc(1, sizeof(*f));
    *state = f;
    if (!f || test_folder_open(&f->folder) != 0 ||
        cook_session_init(&f->session, &f->error) != COOK_OK)
        return -1;
    f->session.project_fd = f->folder.fd;
    f->session.target = "Desktop";
    struct cook_config_options options = { .project_fd = f->folder.fd, .target = "Desktop" };
    if (test_folder_write(&f->folder, "cook.ini",
                          "[Project]\nName=Test\n[Test]\nKey=Value\n") != 0 ||
        cook_config_load(&f->session.config, &options, &f->error) != COOK_OK)
        return -1;
    cook_register_reader(&f->session.types, &cook_reader_asset);
    cook_register_module(&f->session.types, "Test");
    return 0;
}

static inline int session_link(struct session_fixture *f)
{
    enum cook_status status = cook_types_link(&f->session.types, f->session.config, &f->error);
    if (status != COOK_OK)
        print_error("%s\n", f->error.message);
    return status == COOK_OK ? 0 : -1;
}

static inline int session_close(void **state)
{
    struct session_fixture *f = *state;
    cook_alloc_fail_after(-1);
    cook_session_finish(&f->session);
    cook_arena_finish(&f->arena);
    int result = test_folder_close(&f->folder);
    cook_free(f);
    return result;
}

/* Write Content/<name>.asset and make it the present package /Game/<name> with the facts of a
 * scan. */
static inline uint32_t session_add(struct session_fixture *f, const char *name,
                                   const char *text)
{
    struct cook_state *registry = &f->session.registry;
    const char *package = cook_arena_printf(&f->arena, "/Game/%s", name);
    const char *path = cook_arena_printf(&f->arena, "Content/%s.asset", name);
    struct cook_source source = {
        .package = package, .path = path, .data = (const uint8_t *)text, .size = strlen(text)
    };
    struct cook_facts facts;
    struct cook_buf blob = COOK_BUF_INIT;
    assert_int_equal(test_folder_write(&f->folder, path, text), 0);
    assert_int_equal(cook_facts_scan(&facts, &cook_reader_asset, &source, &f->arena, NULL),
                     COOK_OK);
    cook_facts_encode(&facts, &blob);
    uint32_t id = cook_state_add_package(registry, package);
    uint32_t file = cook_state_add_file(registry, path);
    registry->packages[id].file = file;
    registry->packages[id].flags |= COOK_PACKAGE_PRESENT;
    struct cook_hash hash = { 1, 2 };
    assert_int_equal(
        cook_registry_set_facts(registry, id, "asset/1", hash, blob.data, blob.size, &f->error),
        COOK_OK);
    cook_buf_finish(&blob);
    return id;
}

/* Load a package that must be there, whether it loads well or not. */
static inline struct cook_package *session_load(struct session_fixture *f, const char *name)
{
    struct cook_package *package = cook_session_load(&f->session, name);
    assert_non_null(package);
    return package;
}

/* Load a package that must load well. */
static inline struct cook_package *session_load_ok(struct session_fixture *f, const char *name)
{
    struct cook_package *package = session_load(f, name);
    if (package->load.messages.count)
        print_error("%s\n", package->load.messages.items[0].text);
    assert_int_equal(package->stage, COOK_LOAD_DONE);
    return package;
}

#endif
