/*
 * Error detail: a caller-supplied record that a failing function fills. Never allocated, never
 * thread-local, may always be NULL. Library code returns errors and prints nothing.
 */
#ifndef COOK_BASE_ERROR_H
#define COOK_BASE_ERROR_H

#include <cook/status.h>

struct cook_error {
    enum cook_status status;
    int sys_errno;      /* errno at the failing call, 0 where none applies */
    char message[1024]; /* lower case, no full stop, no newline, always terminated */
};

#define COOK_ERROR_INIT { COOK_OK, 0, { 0 } }

/*
 * Record `status` and a formatted message in `error` (may be NULL) and return `status`, so that
 * callers can write `return cook_error_set(error, COOK_E_MALFORMED, "…")`. Longer text is cut.
 */
enum cook_status cook_error_set(struct cook_error *error, enum cook_status status,
                                const char *format, ...) __attribute__((format(printf, 3, 4)));

/*
 * The same for a failed system call: appends ": strerror(errno)", keeps errno, and chooses the
 * status from it (ENOMEM, ENOSPC/EDQUOT, ENOENT/ENOTDIR, EEXIST; otherwise COOK_E_IO).
 */
enum cook_status cook_error_set_errno(struct cook_error *error, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

/* COOK_E_NO_MEMORY with "out of memory"; for what needs no more words. */
enum cook_status cook_error_no_memory(struct cook_error *error);

/* Put a formatted prefix and ": " before the message already in `error` (may be NULL). */
void cook_error_prefix(struct cook_error *error, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

#endif
