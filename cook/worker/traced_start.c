#include "cook/worker/traced_start.h"

#include <string.h>

#include "cook/base/alloc.h"
#include "cook/base/buf.h"
#include "cook/trace/hooks.h"

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define SANITIZED 1
#elif defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer)
#define SANITIZED 1
#endif
#endif
#ifndef SANITIZED
#define SANITIZED 0
#endif

#define VARIABLE "LD_PRELOAD="

const char *cook_traced_refusal(const char *prefix)
{
    if (prefix)
        return "--worker-prefix is given: nothing is seen";
    /* A sanitizer's runtime must be the first library, and wraps the same functions. */
    return SANITIZED ? "this is a build with sanitizers: nothing is seen" : NULL;
}

static size_t count_texts(const char *const *texts)
{
    size_t count = 0;
    while (texts[count])
        count++;
    return count;
}

const char **cook_traced_arguments(const char *const *argv, size_t program)
{
    size_t count = count_texts(argv);
    const char **out = cook_malloc((count + 2) * sizeof(*out));
    for (size_t i = 0; out && i <= count; i++)
        out[i + (i > program)] = argv[i];
    if (out)
        out[program + 1] = "--trace";
    return out;
}

/* The variable's text: our library, then what was preloaded before. */
static char *preload_text(const char *worker_path, const char *before)
{
    const char *slash = strrchr(worker_path, '/');
    struct cook_buf text = COOK_BUF_INIT;
    cook_buf_printf(&text, VARIABLE "%.*s%s%s%s", slash ? (int)(slash + 1 - worker_path) : 0,
                    worker_path, COOK_TRACE_PRELOAD, *before ? ":" : "", before);
    char *copy = text.failed ? NULL : cook_strdup(cook_buf_text(&text));
    cook_buf_finish(&text);
    return copy;
}

const char **cook_traced_environment(const char *const *environment, const char *worker_path,
                                     char **preload)
{
    size_t count = count_texts(environment);
    const char **out = cook_malloc((count + 2) * sizeof(*out));
    const char *before = "";
    size_t used = 0;
    *preload = NULL;
    for (size_t i = 0; out && i < count; i++) {
        if (strncmp(environment[i], VARIABLE, strlen(VARIABLE)) == 0)
            before = environment[i] + strlen(VARIABLE);
        else
            out[used++] = environment[i];
    }
    if (out)
        *preload = preload_text(worker_path, before);
    if (!*preload) {
        cook_free(out);
        return NULL;
    }
    out[used++] = *preload;
    out[used] = NULL;
    return out;
}
