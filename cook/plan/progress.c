#include "cook/plan/progress.h"

#include <string.h>
#include <unistd.h>

#include <cjson/cJSON.h>

#include "cook/base/fs.h"

#define EVERY_SECONDS 0.5

static cJSON *progress_json(const struct cook_run *run, const struct cook_progress_figures *figures,
                            const char *slowest)
{
    cJSON *json = cJSON_CreateObject();
    cJSON_AddStringToObject(json, "verb", run->options.verb ? run->options.verb : "");
    cJSON_AddNumberToObject(json, "process", (double)getpid());
    cJSON_AddNumberToObject(json, "seconds", cook_run_seconds(run));
    cJSON_AddNumberToObject(json, "reached", (double)figures->reached);
    cJSON_AddNumberToObject(json, "cooked", (double)figures->cooked);
    cJSON_AddNumberToObject(json, "skipped", (double)figures->skipped);
    cJSON_AddNumberToObject(json, "failed", (double)figures->failed);
    cJSON_AddNumberToObject(json, "left", (double)figures->left);
    cJSON_AddStringToObject(json, "slowest", slowest ? slowest : "");
    return json;
}

void cook_progress_publish(struct cook_run *run, const struct cook_progress_figures *figures,
                           const char *slowest)
{
    double now = cook_run_seconds(run);
    if (run->options.mode != COOK_STORE_WRITE || !run->store ||
        (run->progress_seconds > 0 && now - run->progress_seconds < EVERY_SECONDS))
        return;
    run->progress_seconds = now;
    cJSON *json = progress_json(run, figures, slowest);
    char *text = cJSON_PrintUnformatted(json);
    if (text && cook_fs_write(cook_store_folder(run->store), COOK_PROGRESS_FILE, text, strlen(text),
                              false, NULL) != COOK_OK)
        run->progress_seconds = now;
    cJSON_free(text);
    cJSON_Delete(json);
}

void cook_progress_withdraw(struct cook_run *run)
{
    if (run->progress_seconds > 0 && run->store)
        (void)unlinkat(cook_store_folder(run->store), COOK_PROGRESS_FILE, 0);
}
