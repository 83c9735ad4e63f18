#include "cook/plan/trace.h"

#include <stdio.h>
#include <time.h>

#include <cjson/cJSON.h>

#include "cook/base/fs.h"

double cook_trace_now(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + (double)now.tv_nsec / 1e9;
}

void cook_trace_init(struct cook_trace *trace)
{
    *trace = (struct cook_trace){ .started = cook_trace_now() };
}

void cook_trace_finish(struct cook_trace *trace)
{
    cook_buf_finish(&trace->events);
}

static void append(struct cook_buf *out, cJSON *event)
{
    char *text = cJSON_PrintUnformatted(event);
    if (text)
        cook_buf_printf(out, "%s%s", out->size ? ",\n" : "", text);
    else
        out->failed = true;
    cJSON_free(text);
    cJSON_Delete(event);
}

static cJSON *event_of(unsigned lane, const char *phase, const char *name)
{
    cJSON *event = cJSON_CreateObject();
    cJSON_AddStringToObject(event, "ph", phase);
    cJSON_AddNumberToObject(event, "pid", 1);
    cJSON_AddNumberToObject(event, "tid", lane);
    cJSON_AddStringToObject(event, "name", name);
    return event;
}

void cook_trace_add(struct cook_trace *trace, unsigned lane, const char *category,
                    const char *name, double started)
{
    if (!trace)
        return;
    double now = cook_trace_now();
    cJSON *event = event_of(lane, "X", name);
    cJSON_AddStringToObject(event, "cat", category);
    cJSON_AddNumberToObject(event, "ts", (started - trace->started) * 1e6);
    cJSON_AddNumberToObject(event, "dur", (now - started) * 1e6);
    append(&trace->events, event);
}

enum cook_status cook_trace_write(const struct cook_trace *trace, unsigned lanes, const char *path,
                                  struct cook_error *error)
{
    struct cook_buf out = COOK_BUF_INIT;
    cook_buf_put(&out, trace->events.data, trace->events.size);
    for (unsigned lane = 0; lane <= lanes; lane++) {
        char name[32];
        if (lane)
            (void)snprintf(name, sizeof(name), "worker %u", lane);
        else
            (void)snprintf(name, sizeof(name), "director");
        cJSON *event = event_of(lane, "M", "thread_name");
        cJSON *arguments = cJSON_AddObjectToObject(event, "args");
        cJSON_AddStringToObject(arguments, "name", name);
        append(&out, event);
    }
    struct cook_buf document = COOK_BUF_INIT;
    cook_buf_printf(&document, "{\"displayTimeUnit\":\"ms\",\"traceEvents\":[\n");
    cook_buf_put(&document, out.data, out.size);
    cook_buf_printf(&document, "\n]}\n");
    enum cook_status status;
    if (trace->events.failed || out.failed || document.failed)
        status = cook_error_no_memory(error);
    else
        status = cook_fs_write_output(path, document.data, document.size, error);
    cook_buf_finish(&out);
    cook_buf_finish(&document);
    return status;
}
