#include "cook/cli/command.h"

#include <string.h>

#define PLAIN                                                                                  \
    "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-+=:,./@%"

void cook_command_word(struct cook_buf *out, const char *word)
{
    if (out->size)
        cook_buf_printf(out, " ");
    if (*word && word[strspn(word, PLAIN)] == '\0') {
        cook_buf_printf(out, "%s", word);
        return;
    }
    cook_buf_printf(out, "'");
    for (const char *at = word; *at;) {
        size_t length = strcspn(at, "'");
        cook_buf_printf(out, "%.*s", (int)length, at);
        at += length;
        if (*at == '\'') {
            cook_buf_printf(out, "'\\''");
            at++;
        }
    }
    cook_buf_printf(out, "'");
}

void cook_command_option(struct cook_buf *out, const char *name, const char *value)
{
    cook_command_word(out, name);
    cook_command_word(out, value);
}

void cook_command_begin(struct cook_buf *out, const struct cook_cli *cli, const char *verb)
{
    const char *folder = cli->run.project.folder;
    cook_command_word(out, "cook");
    cook_command_word(out, verb);
    if (strcmp(folder, ".") != 0)
        cook_command_option(out, "-C", folder);
    if (cli->target)
        cook_command_option(out, "--target", cli->target);
}

void cook_command_cooking(struct cook_buf *out, const struct cook_cli *cli)
{
    for (size_t i = 0; cli->inis && cli->inis[i]; i++)
        cook_command_option(out, "--ini", cli->inis[i]);
    for (size_t i = 0; cli->maps && cli->maps[i]; i++)
        cook_command_option(out, "--map", cli->maps[i]);
    if (cli->configuration)
        cook_command_option(out, "--configuration", cli->configuration);
    if (cli->keep_editor_only)
        cook_command_word(out, "--keep-editor-only");
}

void cook_command_tokens(struct cook_buf *out, const struct cook_cli *cli)
{
    if (cli->class_argument_count)
        cook_command_word(out, "--");
    for (size_t i = 0; i < cli->class_argument_count; i++)
        cook_command_word(out, cli->class_arguments[i]);
}
