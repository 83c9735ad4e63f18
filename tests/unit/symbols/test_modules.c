#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <setjmp.h>

#include <cmocka.h>
#include <elf.h>
#include <string.h>

#include "cook/base/buf.h"
#include "cook/symbols/modules.h"

static void put_note(struct cook_buf *out, uint32_t type, const char *name, uint32_t size,
                     size_t alignment)
{
    cook_buf_put_u32(out, (uint32_t)strlen(name) + 1);
    cook_buf_put_u32(out, size);
    cook_buf_put_u32(out, type);
    cook_buf_put(out, name, strlen(name) + 1);
    cook_buf_align(out, alignment);
    for (uint32_t i = 0; i < size; i++)
        cook_buf_put_u8(out, (uint8_t)(0xa0 + i));
    cook_buf_align(out, alignment);
}

static void notes__build_id_is_found_after_others(void **state)
{
    (void)state;
    for (size_t alignment = 4; alignment <= 8; alignment += 4) {
        struct cook_buf notes = COOK_BUF_INIT;
        char text[COOK_BUILD_ID_TEXT_SIZE];
        put_note(&notes, 5, "GNU", 13, alignment);
        put_note(&notes, NT_GNU_BUILD_ID, "Other", 4, alignment);
        put_note(&notes, NT_GNU_BUILD_ID, "GNU", 4, alignment);
        cook_build_id_from_notes(text, notes.data, notes.size, alignment);
        assert_string_equal("a0a1a2a3", text);
        cook_buf_finish(&notes);
    }
}

static void notes__cut_short_give_none(void **state)
{
    (void)state;
    struct cook_buf notes = COOK_BUF_INIT;
    char text[COOK_BUILD_ID_TEXT_SIZE];
    put_note(&notes, NT_GNU_BUILD_ID, "GNU", 20, 4);
    for (size_t size = 0; size < notes.size; size++) {
        cook_build_id_from_notes(text, notes.data, size, 4);
        assert_string_equal("", text);
    }
    cook_buf_finish(&notes);
}

static void notes__endless_sizes_give_none(void **state)
{
    (void)state;
    char text[COOK_BUILD_ID_TEXT_SIZE];
    uint32_t name[8] = { UINT32_MAX, 4, NT_GNU_BUILD_ID, 0x554e47, 0, 0, 0, 0 };
    uint32_t desc[8] = { 4, UINT32_MAX, NT_GNU_BUILD_ID, 0x554e47, 0, 0, 0, 0 };
    uint32_t large[32] = { 4, 100, NT_GNU_BUILD_ID, 0x554e47 };
    cook_build_id_from_notes(text, name, sizeof(name), 4);
    assert_string_equal("", text);
    cook_build_id_from_notes(text, desc, sizeof(desc), 4);
    assert_string_equal("", text);
    cook_build_id_from_notes(text, large, sizeof(large), 4);
    assert_string_equal("", text);
}

static void snapshot__finds_this_program_and_libc(void **state)
{
    (void)state;
    struct cook_modules modules;
    assert_int_equal(COOK_OK, cook_modules_snapshot(&modules, NULL));
    const struct cook_module *own =
        cook_modules_find(&modules, (uintptr_t)snapshot__finds_this_program_and_libc);
    uintptr_t in_libc;
    void *(*function)(void *, const void *, size_t) = memmove;
    memcpy(&in_libc, &function, sizeof(in_libc));
    assert_non_null(own);
    assert_int_equal('/', own->path[0]);
    assert_non_null(strstr(own->name, "modules"));
    assert_null(cook_modules_find(&modules, 1));
    assert_null(cook_modules_find(&modules, UINTPTR_MAX));
    const struct cook_module *other = cook_modules_find(&modules, in_libc);
    assert_true(other && other != own); /* libc, or the sanitizer in front of it */
    cook_modules_finish(&modules);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(notes__build_id_is_found_after_others),
        cmocka_unit_test(notes__cut_short_give_none),
        cmocka_unit_test(notes__endless_sizes_give_none),
        cmocka_unit_test(snapshot__finds_this_program_and_libc),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
