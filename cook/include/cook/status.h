/*
 * Status codes returned by every Cookproof function that can fail.
 *
 * Values are frozen: they cross process borders and stand in stored records. 0 is success, errors
 * are negative. Detail (a message, errno) travels in a caller-supplied `struct cook_error`.
 */
#ifndef COOK_STATUS_H
#define COOK_STATUS_H

#ifdef __cplusplus
extern "C" {
#endif

/* X(name, value, text) */
#define COOK_STATUS_LIST(X)                                                                       \
    X(COOK_OK, 0, "ok")                                                                           \
    X(COOK_E_NO_MEMORY, -1, "out of memory")                                                      \
    X(COOK_E_IO, -2, "input or output failed")                                                    \
    X(COOK_E_NOT_FOUND, -3, "not found")                                                          \
    X(COOK_E_INVALID, -4, "invalid argument")                                                     \
    X(COOK_E_MALFORMED, -5, "malformed input")                                                    \
    X(COOK_E_LIMIT, -6, "a limit was exceeded")                                                   \
    X(COOK_E_LOCKED, -7, "locked by another process")                                             \
    X(COOK_E_DAMAGED, -8, "stored data is damaged")                                               \
    X(COOK_E_NO_SPACE, -9, "no space left")                                                       \
    X(COOK_E_CONFIG, -10, "wrong project configuration")                                          \
    X(COOK_E_USAGE, -11, "wrong usage")                                                           \
    X(COOK_E_CRASHED, -12, "a process crashed")                                                   \
    X(COOK_E_TIMEOUT, -13, "timed out")                                                           \
    X(COOK_E_PROTOCOL, -14, "a peer broke the protocol")                                          \
    X(COOK_E_FAILED, -15, "the operation failed")                                                 \
    X(COOK_E_UNSUPPORTED, -16, "not supported")                                                   \
    X(COOK_E_EXISTS, -17, "exists already")

enum cook_status {
#define COOK_STATUS_ENUM(name, value, text) name = value,
    COOK_STATUS_LIST(COOK_STATUS_ENUM)
#undef COOK_STATUS_ENUM
};

/* Returns the fixed English text of a status; never NULL, "unknown status" for a foreign value. */
const char *cook_status_text(enum cook_status status);

#define COOK_CHECK_RESULT __attribute__((warn_unused_result))

#ifdef __cplusplus
}
#endif

#endif
