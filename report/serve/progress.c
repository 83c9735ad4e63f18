/* The progress of a running cook, and the stream of events that tells of it. */
#include <poll.h>
#include <stdlib.h>
#include <string.h>

#include "cook/plan/progress.h"
#include "report/serve/serve.h"

#define EVENT_MS      500
#define QUIET_TURNS   20 /* without an event, until a comment shows whether the reader is still there */

static cJSON *read_progress(struct serve *serve, const char *target)
{
    char path[512];
    int length = snprintf(path, sizeof(path), SERVE_STORES "/%s/" COOK_PROGRESS_FILE, target);
    cJSON *progress = length > 0 && (size_t)length < sizeof(path)
                          ? cook_progress_read(serve->project.fd, path)
                          : NULL;
    if (!progress && (progress = cJSON_CreateObject()))
        cJSON_AddBoolToObject(progress, "running", false);
    cJSON *seconds = cJSON_GetObjectItemCaseSensitive(progress, "seconds");
    if (cJSON_IsTrue(cJSON_GetObjectItemCaseSensitive(progress, "running")) && cJSON_IsNumber(seconds))
        cJSON_SetNumberValue(seconds, (double)(int64_t)seconds->valuedouble); /* an event a second */
    return progress;
}

void serve_progress(struct serve_request *request)
{
    cJSON_AddItemToObject(request->document, "progress",
                          read_progress(request->serve, request->target));
}

/* ---- the stream ---- */

struct serve_stream {
    struct serve *serve;
    char *target;
    char *last;
    struct cook_buf waiting;
    size_t sent;
    unsigned quiet; /* turns without an event */
};

struct serve_stream *serve_stream_create(struct serve *serve, const char *target)
{
    struct serve_stream *stream = calloc(1, sizeof(*stream));
    if (!stream)
        return NULL;
    stream->serve = serve;
    stream->target = strdup(target);
    if (stream->target)
        return stream;
    free(stream);
    return NULL;
}

void serve_stream_destroy(void *user)
{
    struct serve_stream *stream = user;
    free(stream->target);
    cJSON_free(stream->last);
    cook_buf_finish(&stream->waiting);
    free(stream);
}

static void next_event(struct serve_stream *stream)
{
    cook_buf_clear(&stream->waiting);
    stream->sent = 0;
    cJSON *progress = read_progress(stream->serve, stream->target);
    char *now = cJSON_PrintUnformatted(progress);
    cJSON_Delete(progress);
    if (now && (!stream->last || strcmp(stream->last, now) != 0)) {
        cook_buf_printf(&stream->waiting, "event: progress\ndata: %s\n\n", now);
        cJSON_free(stream->last);
        stream->last = now;
        stream->quiet = 0;
        return;
    }
    cJSON_free(now);
    if (++stream->quiet % QUIET_TURNS == 0)
        cook_buf_printf(&stream->waiting, ": still here\n\n");
}

ssize_t serve_stream_read(void *user, uint64_t position, char *out, size_t max)
{
    struct serve_stream *stream = user;
    (void)position;
    while (stream->sent == stream->waiting.size) {
        if (stream->serve->stopping)
            return SERVE_STREAM_END;
        if (stream->last)
            (void)poll(NULL, 0, EVENT_MS);
        next_event(stream);
    }
    size_t size = stream->waiting.size - stream->sent;
    size = size < max ? size : max;
    memcpy(out, stream->waiting.data + stream->sent, size);
    stream->sent += size;
    return (ssize_t)size;
}
