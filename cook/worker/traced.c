/* What a traced worker saw, told to the director between packages. */
#include "cook/worker/traced.h"

#include <string.h>

#include "cook/trace/tracer.h"
#include "cook/worker/protocol.h"

struct telling {
    struct cook_session *session;
    const struct cook_context *saving; /* of the package just cooked; NULL: none */
    struct cook_package **closure;
    size_t closure_count;
};

static uint32_t dependency_of(enum cook_input_kind kind)
{
    switch (kind) {
    case COOK_INPUT_FILE:
    case COOK_INPUT_STAT:
    case COOK_INPUT_LINK:
    case COOK_INPUT_PROCESS:
        return COOK_DEP_FILE;
    case COOK_INPUT_DIRECTORY:
        return COOK_DEP_DIRECTORY;
    case COOK_INPUT_ENVIRONMENT:
        return COOK_DEP_ENV;
    case COOK_INPUT_CLOCK: /* nothing can declare them */
    case COOK_INPUT_RANDOM:
    case COOK_INPUT_HOST:
    case COOK_INPUT_UNKNOWN:
    case COOK_INPUT_KIND_END:
        break;
    }
    return COOK_DEP_UNKNOWN;
}

static bool is_source(const struct cook_package *package, const char *key)
{
    size_t length = package->path ? strlen(package->path) : 0;
    return length && strncmp(key, package->path, length) == 0 &&
           (key[length] == '\0' || strcmp(key + length, ".cook") == 0);
}

/* Whether what a package recorded while it was loaded covers an input. */
static bool load_covers(const struct cook_package *package, enum cook_input_kind kind,
                        const char *key, bool *hidden)
{
    uint32_t dependency = dependency_of(kind);
    if (dependency == COOK_DEP_FILE && is_source(package, key))
        return true;
    *hidden |= cook_record_find(&package->load.unrecorded_reads, dependency, key) != NULL;
    return cook_record_find(&package->load.record, dependency, key) != NULL;
}

static bool declared(void *user, const char *name, bool loading, enum cook_input_kind kind,
                     const char *key, bool *hidden)
{
    const struct telling *telling = user;
    uint32_t dependency = dependency_of(kind);
    if (dependency == COOK_DEP_DIRECTORY && strcmp(key, ".") == 0)
        key = "";
    const struct cook_context *saving = telling->saving;
    bool own = !loading && saving && strcmp(saving->package->name, name) == 0;
    bool covered = false;
    if (dependency == COOK_DEP_UNKNOWN)
        return false;
    if (own) {
        covered = cook_record_find(&saving->record, dependency, key) != NULL;
        *hidden |= cook_record_find(&saving->unrecorded_reads, dependency, key) != NULL;
        for (size_t i = 0; !covered && i < telling->closure_count; i++)
            covered = load_covers(telling->closure[i], kind, key, hidden);
    } else {
        const struct cook_package *package = cook_session_resident(telling->session, name);
        covered = package && package->load.session && load_covers(package, kind, key, hidden);
    }
    *hidden &= !covered;
    return covered;
}

static enum cook_status tell(struct telling *telling, struct cook_error *error)
{
    struct cook_buf out = COOK_BUF_INIT;
    const struct cook_context *saving = telling->saving;
    struct cook_tracer_flush flush = { .project_fd = telling->session->project_fd,
                                       .cooked = saving ? saving->package->name : NULL,
                                       .declared = declared,
                                       .user = telling };
    const char **uses = cook_malloc((telling->closure_count + 1) * sizeof(*uses));
    for (size_t i = 0; uses && i < telling->closure_count; i++)
        if (!saving || telling->closure[i] != saving->package)
            uses[flush.use_count++] = telling->closure[i]->name;
    flush.uses = uses;
    enum cook_status status = COOK_OK;
    if (!uses)
        status = cook_error_set(error, COOK_E_NO_MEMORY, "out of memory");
    else if (cook_tracer_flush(&out, &flush))
        status = cook_frame_write(COOK_WORKER_SOCKET_FD, COOK_FRAME_TRACED, &out, error);
    cook_buf_finish(&out);
    cook_free(uses);
    return status;
}

enum cook_status cook_session_tell_traced(struct cook_session *session,
                                          struct cook_context *saving, struct cook_error *error)
{
    struct telling telling = { .session = session, .saving = saving };
    if (!cook_tracer_is_wanted())
        return COOK_OK;
    cook_tracer_pause();
    enum cook_status status = COOK_OK;
    if (saving)
        status = cook_session_closure(session, saving, true, &telling.closure,
                                      &telling.closure_count);
    cook_tracer_resume();
    if (status == COOK_OK)
        status = tell(&telling, error);
    cook_free(telling.closure);
    return status;
}
