#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
/* cmocka needs the headers above first */
#include <cmocka.h>

#include <string.h>
#include <unistd.h>

#include "cook/cli/cli.h"

/* What comes out of a stream, of these pieces; each is flushed by itself. */
static void assert_stream(const char *const *pieces, const char *expected)
{
    int ends[2];
    char said[256];
    assert_int_equal(pipe(ends), 0);
    FILE *stream = cook_cli_stream(ends[1]);
    assert_non_null(stream);
    for (size_t i = 0; pieces[i]; i++) {
        fputs(pieces[i], stream);
        fflush(stream);
    }
    assert_int_equal(fclose(stream), 0);
    close(ends[1]);
    ssize_t size = read(ends[0], said, sizeof(said) - 1);
    close(ends[0]);
    assert_true(size >= 0);
    said[size] = '\0';
    assert_string_equal(said, expected);
}

static void stream__shows_what_is_hidden(void **state)
{
    (void)state;
    const char *const pieces[] = { "a\x1b[2J\tb\n", "\xe2\x80\xae" "c\n", NULL };
    assert_stream(pieces, "a\\x1b[2J\tb\n\\u202ec\n");
}

static void stream__joins_characters_that_come_in_parts(void **state)
{
    (void)state;
    const char *const pieces[] = { "\xe6", "\x97", "\xa5\xe2\x80", "\xae\xf0\x9f", "\x8d\xb3", NULL };
    assert_stream(pieces, "\xe6\x97\xa5\\u202e\xf0\x9f\x8d\xb3");
}

static void stream__a_cut_end_is_shown(void **state)
{
    (void)state;
    const char *const pieces[] = { "a\xe6\x97", NULL };
    assert_stream(pieces, "a\\xe6\\x97");
    const char *const broken[] = { "\xe6", "b\xff", "c", NULL };
    assert_stream(broken, "\\xe6b\\xffc");
}

static void stream__long_text_is_whole(void **state)
{
    (void)state;
    int ends[2];
    assert_int_equal(pipe(ends), 0);
    FILE *stream = cook_cli_stream(ends[1]);
    for (int i = 0; i < 3000; i++)
        fputs("\xe6\x97\xa5", stream); /* 9,000 bytes: over any buffer, cut at any place */
    assert_int_equal(fclose(stream), 0);
    close(ends[1]);
    char said[16384];
    size_t size = 0;
    for (ssize_t n; (n = read(ends[0], said + size, sizeof(said) - size)) > 0;)
        size += (size_t)n;
    close(ends[0]);
    assert_int_equal(size, 9000);
    for (size_t i = 0; i < size; i += 3)
        assert_memory_equal(said + i, "\xe6\x97\xa5", 3);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(stream__shows_what_is_hidden),
        cmocka_unit_test(stream__joins_characters_that_come_in_parts),
        cmocka_unit_test(stream__a_cut_end_is_shown),
        cmocka_unit_test(stream__long_text_is_whole),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
