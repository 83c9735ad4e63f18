/* Findings and runs of the history, and the progress of a running cook. */
#include <errno.h>
#include <signal.h>
#include <string.h>
#include <time.h>

#include "cook/base/fs.h"
#include "cook/plan/progress.h"
#include "report/serve/serve.h"

#define STALE_NS INT64_C(10000000000)
#define MAX_BYTES 65536

/* Whether the process that wrote the progress is still at it. */
static bool is_live(const cJSON *progress, const struct cook_file_stat *stat)
{
    const cJSON *process = cJSON_GetObjectItemCaseSensitive(progress, "process");
    struct timespec now;
    if (!cJSON_IsNumber(process) || process->valuedouble < 1 || process->valuedouble > INT32_MAX)
        return false;
    (void)clock_gettime(CLOCK_REALTIME, &now);
    int64_t age = (int64_t)now.tv_sec * 1000000000 + now.tv_nsec - stat->mtime_ns;
    return age < STALE_NS && (kill((pid_t)process->valuedouble, 0) == 0 || errno == EPERM);
}

void serve_progress_text(struct cook_buf *out, struct serve *serve, const char *target)
{
    char path[512];
    struct cook_file_stat stat;
    struct cook_buf text = COOK_BUF_INIT;
    cJSON *progress = NULL;
    int length = snprintf(path, sizeof(path), "Saved/Cook/%s/" COOK_PROGRESS_FILE, target);
    if (length > 0 && (size_t)length < sizeof(path) &&
        cook_fs_read(&text, &stat, serve->project.fd, path, MAX_BYTES, NULL) == COOK_OK)
        progress = cJSON_ParseWithLength((const char *)text.data, text.size);
    if (cJSON_IsObject(progress) && is_live(progress, &stat)) {
        cJSON_AddBoolToObject(progress, "running", true);
        char *json = cJSON_PrintUnformatted(progress);
        cook_buf_printf(out, "%s", json ? json : "{\"running\":false}");
        cJSON_free(json);
    } else {
        cook_buf_printf(out, "{\"running\":false}");
    }
    cJSON_Delete(progress);
    cook_buf_finish(&text);
}

void serve_progress(struct serve_request *request)
{
    struct cook_buf text = COOK_BUF_INIT;
    serve_progress_text(&text, request->serve, request->view->target);
    serve_add_json(request->document, "progress", cook_buf_text(&text));
    cook_buf_finish(&text);
}
