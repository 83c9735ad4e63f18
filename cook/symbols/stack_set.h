/* What the decoders of stacks and of crash reports share. */
#ifndef COOK_SYMBOLS_STACK_SET_H
#define COOK_SYMBOLS_STACK_SET_H

#include <stdbool.h>

#define COOK_STACK_SET_VERSION 1 /* of the encoding; stacks.c describes it */

bool cook_build_id_is_valid(const char *text); /* lower-case hex of whole bytes, or "" */

#endif
