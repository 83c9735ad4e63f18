#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <setjmp.h>

#include <cmocka.h>

#include "cook/cli/command.h"

static void word__plain_text__stays_as_it_is(void **state)
{
    struct cook_buf text = COOK_BUF_INIT;
    (void)state;
    cook_command_word(&text, "cook");
    cook_command_word(&text, "/Game/A_b-1.png");
    assert_string_equal(cook_buf_text(&text), "cook /Game/A_b-1.png");
    cook_buf_finish(&text);
}

static void word__what_a_shell_would_change__is_quoted(void **state)
{
    struct cook_buf text = COOK_BUF_INIT;
    (void)state;
    cook_command_word(&text, "");
    cook_command_word(&text, "my game");
    cook_command_word(&text, "it's $HOME");
    cook_command_word(&text, "~");
    assert_string_equal(cook_buf_text(&text), "'' 'my game' 'it'\\''s $HOME' '~'");
    cook_buf_finish(&text);
}

static void command__has_what_decides_about_a_cook(void **state)
{
    struct cook_buf text = COOK_BUF_INIT;
    char ini[] = "A.B=c d";
    char map[] = "/Game/M";
    char *inis[] = { ini, NULL };
    char *maps[] = { map, NULL };
    const char *tokens[] = { "-Seed=1", "--x" };
    struct cook_cli cli = { .run.project.folder = "dir",
                            .target = "Phone",
                            .inis = inis,
                            .maps = maps,
                            .keep_editor_only = 1,
                            .class_arguments = tokens,
                            .class_argument_count = 2 };
    (void)state;
    cook_command_begin(&text, &cli, "determinism");
    cook_command_cooking(&text, &cli);
    cook_command_tokens(&text, &cli);
    assert_string_equal(cook_buf_text(&text),
                        "cook determinism -C dir --target Phone --ini 'A.B=c d' --map /Game/M "
                        "--keep-editor-only -- -Seed=1 --x");
    cook_buf_finish(&text);
}

static void command__of_the_project_at_hand__names_no_folder(void **state)
{
    struct cook_buf text = COOK_BUF_INIT;
    struct cook_cli cli = { .run.project.folder = "." };
    (void)state;
    cook_command_begin(&text, &cli, "reproduce");
    cook_command_cooking(&text, &cli);
    cook_command_tokens(&text, &cli);
    assert_string_equal(cook_buf_text(&text), "cook reproduce");
    cook_buf_finish(&text);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(word__plain_text__stays_as_it_is),
        cmocka_unit_test(word__what_a_shell_would_change__is_quoted),
        cmocka_unit_test(command__has_what_decides_about_a_cook),
        cmocka_unit_test(command__of_the_project_at_hand__names_no_folder),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
