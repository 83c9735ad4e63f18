/*
 * Command lines to type: what "reproduce:" and its like print. Words are quoted for a shell where
 * they need it, so that a line can be copied whatever a folder is called.
 */
#ifndef COOK_CLI_COMMAND_H
#define COOK_CLI_COMMAND_H

#include "cook/base/buf.h"
#include "cook/cli/cli.h"

/* Append a word, after a space unless `out` is empty. */
void cook_command_word(struct cook_buf *out, const char *word);
/* Append "--name" and its value. */
void cook_command_option(struct cook_buf *out, const char *name, const char *value);
/* Begin "cook VERB" with the project and the target that this command line has. */
void cook_command_begin(struct cook_buf *out, const struct cook_cli *cli, const char *verb);
/* Append what else decides about a cook: config, maps, the configuration. */
void cook_command_cooking(struct cook_buf *out, const struct cook_cli *cli);
/* Append what class code sees, behind "--"; last. */
void cook_command_tokens(struct cook_buf *out, const struct cook_cli *cli);

#endif
