#include "cook/base/error.h"

#include <errno.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

const char *cook_status_text(enum cook_status status)
{
    switch (status) {
#define STATUS_CASE(name, value, text)                                                         \
    case name:                                                                                 \
        return text;
        COOK_STATUS_LIST(STATUS_CASE)
#undef STATUS_CASE
    }
    return "unknown status";
}

/* Cut text must not end inside a UTF-8 sequence: messages travel into JSON documents. */
static void drop_partial_character(char *text, size_t length)
{
    size_t start = length;
    while (start > 0 && ((unsigned char)text[start - 1] & 0xC0) == 0x80)
        start--;
    if (start == 0)
        return;
    unsigned char lead = (unsigned char)text[start - 1];
    size_t wanted = lead < 0xC0 ? 1 : lead < 0xE0 ? 2 : lead < 0xF0 ? 3 : 4;
    if (length - start + 1 < wanted)
        text[start - 1] = '\0';
}

/* File names may hold anything, but a message stays on one line. */
static void replace_control_characters(char *text)
{
    for (; *text; text++) {
        if ((unsigned char)*text < 0x20 || *text == 0x7f)
            *text = '?';
    }
}

static void finish_message(char *text, size_t size, int wanted)
{
    if (wanted < 0)
        text[0] = '\0';
    else if ((size_t)wanted >= size)
        drop_partial_character(text, size - 1);
    replace_control_characters(text);
}

/* Formats beside the record first, since the arguments may point into its old message. */
static void set_message(struct cook_error *error, const char *format, va_list args)
{
    char text[sizeof(error->message)];
    finish_message(text, sizeof(text), vsnprintf(text, sizeof(text), format, args));
    memcpy(error->message, text, sizeof(text));
}

/* The precision says what the compiler cannot see: both parts are cut to the message. */
static void join_message(struct cook_error *error, const char *first, const char *second)
{
    char text[sizeof(error->message)];
    int limit = (int)sizeof(text) - 1;
    int wanted = snprintf(text, sizeof(text), "%.*s: %.*s", limit, first, limit, second);
    finish_message(text, sizeof(text), wanted);
    memcpy(error->message, text, sizeof(text));
}

enum cook_status cook_error_set(struct cook_error *error, enum cook_status status,
                                const char *format, ...)
{
    if (error) {
        va_list args;
        va_start(args, format);
        set_message(error, format, args);
        va_end(args);
        error->status = status;
        error->sys_errno = 0;
    }
    return status;
}

static enum cook_status status_from_errno(int code)
{
    switch (code) {
    case ENOMEM:
        return COOK_E_NO_MEMORY;
    case ENOSPC:
    case EDQUOT:
        return COOK_E_NO_SPACE;
    case ENOENT:
    case ENOTDIR:
        return COOK_E_NOT_FOUND;
    case EEXIST:
        return COOK_E_EXISTS;
    default:
        return COOK_E_IO;
    }
}

enum cook_status cook_error_set_errno(struct cook_error *error, const char *format, ...)
{
    int code = errno;
    enum cook_status status = status_from_errno(code);
    if (error) {
        char reason[128];
        va_list args;
        va_start(args, format);
        set_message(error, format, args);
        va_end(args);
        join_message(error, error->message, strerror_r(code, reason, sizeof(reason)));
        error->status = status;
        error->sys_errno = code;
    }
    errno = code;
    return status;
}

void cook_error_prefix(struct cook_error *error, const char *format, ...)
{
    if (!error)
        return;
    char prefix[sizeof(error->message)];
    va_list args;
    va_start(args, format);
    finish_message(prefix, sizeof(prefix), vsnprintf(prefix, sizeof(prefix), format, args));
    va_end(args);
    join_message(error, prefix, error->message);
}

enum cook_status cook_error_no_memory(struct cook_error *error)
{
    return cook_error_set(error, COOK_E_NO_MEMORY, "out of memory");
}
