/*
 * Small glTF documents for tests: parsed from text, with an arena and an error beside them.
 * Header-only, since each test is one program.
 */
#ifndef COOK_TESTS_UNIT_READER_GLTF_FIXTURE_H
#define COOK_TESTS_UNIT_READER_GLTF_FIXTURE_H

#include "cook/reader/gltf.h"

#include <stdlib.h>
#include <string.h>

struct gltf_fixture {
    struct cook_arena arena;
    struct cook_error error;
    struct cook_gltf doc;
    uint32_t line;
};

static inline int gltf_set_up(void **state)
{
    *state = cook_calloc(1, sizeof(struct gltf_fixture));
    return *state != NULL ? 0 : -1;
}

static inline int gltf_tear_down(void **state)
{
    struct gltf_fixture *f = *state;
    cook_alloc_fail_after(-1);
    cook_arena_finish(&f->arena);
    cook_free(f);
    return 0;
}

/* Parses a copy that ends with its last byte, so that a sanitizer sees reads behind it. */
static inline enum cook_status gltf_parse_bytes(struct gltf_fixture *f, const void *bytes,
                                                size_t size, bool is_binary)
{
    uint8_t *copy = malloc(size > 0 ? size : 1);
    assert_non_null(copy);
    memcpy(copy, bytes, size);
    struct cook_gltf_input input = { copy, size, is_binary };
    enum cook_status status = cook_gltf_parse(&f->doc, &f->line, &input, &f->arena, &f->error);
    f->doc.bin = NULL; /* it points into the copy */
    free(copy);
    return status;
}

/* Parse `members` as those of a document whose asset member stands on the first line. */
static inline enum cook_status gltf_parse(struct gltf_fixture *f, const char *members)
{
    char *text = cook_arena_printf(&f->arena, "{\"asset\":{\"version\":\"2.0\"}%s%s\n}",
                                   *members != '\0' ? ",\n" : "", members);
    assert_non_null(text);
    return gltf_parse_bytes(f, text, strlen(text), false);
}

static inline void gltf_parse_ok(struct gltf_fixture *f, const char *members)
{
    if (gltf_parse(f, members) != COOK_OK) {
        fail_msg("%u: %s", f->line, f->error.message);
    }
}

/* Parse what must be refused with `reason` at `line`. */
static inline void gltf_parse_fails(struct gltf_fixture *f, const char *members, uint32_t line,
                                    const char *reason)
{
    assert_int_not_equal(gltf_parse(f, members), COOK_OK);
    assert_string_equal(f->error.message, reason);
    assert_int_equal(f->line, line);
}

#endif
