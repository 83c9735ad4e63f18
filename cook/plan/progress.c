#include "cook/plan/progress.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include <cjson/cJSON.h>

#include "cook/base/fs.h"

#define EVERY_SECONDS 0.5
#define MAX_BYTES     65536
#define LEAST_BYTES   1024 /* of an earlier run's file, that are written over */
#define TORN_TRIES    5    /* to read a file that is being written */
/* Of a cook on another machine, whose processes cannot be asked after. */
#define ELSEWHERE_SECONDS 60.0

static double clock_seconds(clockid_t clock)
{
    struct timespec now;
    (void)clock_gettime(clock, &now);
    return (double)now.tv_sec + (double)now.tv_nsec / 1e9;
}

/* ---- which process ---- */

static void read_start(const char *path, char *text, size_t size)
{
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    ssize_t length = fd >= 0 ? read(fd, text, size - 1) : -1;
    if (fd >= 0)
        close(fd);
    text[length > 0 ? length : 0] = '\0';
}

/* Where process ids mean the same: a boot of a machine, and a space of ids on it. */
static void place_of_ids(char place[128])
{
    char boot[40];
    char space[40];
    read_start("/proc/sys/kernel/random/boot_id", boot, sizeof(boot));
    boot[strcspn(boot, "\n")] = '\0';
    ssize_t length = readlink("/proc/self/ns/pid", space, sizeof(space) - 1);
    space[length > 0 ? length : 0] = '\0';
    (void)snprintf(place, 128, "%s %s", boot, space);
}

/* When a process began, in ticks since the boot; 0: nobody says; -1: it has ended, and only its parent
 * has not asked yet. */
static double start_of(long process)
{
    char path[40];
    char text[1024];
    (void)snprintf(path, sizeof(path), "/proc/%ld/stat", process);
    read_start(path, text, sizeof(text));
    const char *at = strrchr(text, ')'); /* a name may hold anything */
    if (at && strncmp(at, ") Z", 3) == 0)
        return -1;
    for (int field = 2; at && field < 22; field++) {
        at = strchr(at, ' ');
        at = at ? at + 1 : NULL;
    }
    return at ? strtod(at, NULL) : 0;
}

/* ---- publishing ---- */

static cJSON *progress_json(const struct cook_progress *progress, const char *outcome,
                            const char *error)
{
    const struct cook_progress_figures *figures = &progress->figures;
    cJSON *json = cJSON_CreateObject();
    cJSON_AddStringToObject(json, "verb", progress->verb ? progress->verb : "");
    cJSON_AddNumberToObject(json, "process", (double)getpid());
    cJSON_AddNumberToObject(json, "process_start", progress->start);
    cJSON_AddStringToObject(json, "place", progress->place);
    cJSON_AddNumberToObject(json, "began", progress->began_at);
    cJSON_AddNumberToObject(json, "seconds", clock_seconds(CLOCK_MONOTONIC) - progress->began);
    cJSON_AddStringToObject(json, "phase", progress->phase);
    cJSON_AddNumberToObject(json, "done", (double)progress->done);
    cJSON_AddNumberToObject(json, "total", (double)progress->total);
    cJSON_AddNumberToObject(json, "reached", (double)figures->reached);
    cJSON_AddNumberToObject(json, "cooked", (double)figures->cooked);
    cJSON_AddNumberToObject(json, "skipped", (double)figures->skipped);
    cJSON_AddNumberToObject(json, "failed", (double)figures->failed);
    cJSON_AddNumberToObject(json, "left", (double)figures->left);
    cJSON_AddStringToObject(json, "slowest", progress->slowest ? progress->slowest : "");
    cJSON_AddNumberToObject(json, "slowest_seconds", progress->slowest_seconds);
    if (outcome)
        cJSON_AddStringToObject(json, "outcome", outcome);
    if (error)
        cJSON_AddStringToObject(json, "error", error);
    return json;
}

/* In one write; who reads in the middle of it finds no JSON, and reads again. */
static void publish(struct cook_progress *progress, const char *outcome, const char *error)
{
    struct cook_buf text = COOK_BUF_INIT;
    progress->published = clock_seconds(CLOCK_MONOTONIC);
    cJSON *json = progress_json(progress, outcome, error);
    char *line = cJSON_PrintUnformatted(json);
    if (line)
        cook_buf_printf(&text, "%-*s\n", (int)progress->size_bytes - 1, line);
    if (line && !text.failed && pwrite(progress->fd, text.data, text.size, 0) > 0)
        progress->size_bytes = text.size;
    cJSON_free(line);
    cJSON_Delete(json);
    cook_buf_finish(&text);
}

static void publish_when_due(struct cook_progress *progress)
{
    if (progress->begun && !progress->ended &&
        clock_seconds(CLOCK_MONOTONIC) - progress->published >= EVERY_SECONDS)
        publish(progress, NULL, NULL);
}

void cook_progress_begin(struct cook_progress *progress, int folder_fd, const char *verb)
{
    *progress = (struct cook_progress){ .folder_fd = folder_fd,
                                        .begun = true,
                                        .verb = verb,
                                        .began = clock_seconds(CLOCK_MONOTONIC),
                                        .began_at = clock_seconds(CLOCK_REALTIME),
                                        .start = start_of((long)getpid()) };
    struct stat facts;
    place_of_ids(progress->place);
    progress->fd = openat(folder_fd, COOK_PROGRESS_FILE, O_WRONLY | O_CREAT | O_CLOEXEC | O_NOFOLLOW,
                          0666);
    if (progress->fd >= 0 && fstat(progress->fd, &facts) == 0 && facts.st_size > 0) {
        progress->size_bytes = facts.st_size < LEAST_BYTES ? (size_t)facts.st_size : LEAST_BYTES;
        if (facts.st_size > LEAST_BYTES && ftruncate(progress->fd, LEAST_BYTES) != 0)
            progress->size_bytes = 0;
    }
    cook_progress_phase(progress, "open");
}

static void stop(struct cook_progress *progress)
{
    if (progress->fd >= 0)
        close(progress->fd);
    progress->fd = -1;
    progress->ended = true;
}

void cook_progress_phase(struct cook_progress *progress, const char *phase)
{
    if (!progress->begun || progress->ended)
        return;
    progress->phase = phase;
    progress->done = progress->total = 0;
    progress->slowest = NULL;
    progress->slowest_seconds = 0;
    publish(progress, NULL, NULL);
}

void cook_progress_count(struct cook_progress *progress, size_t done, size_t total)
{
    progress->done = done;
    progress->total = total;
    publish_when_due(progress);
}

void cook_progress_figures(struct cook_progress *progress, const struct cook_progress_figures *figures,
                           const char *slowest, double slowest_seconds)
{
    progress->figures = *figures;
    progress->slowest = slowest;
    progress->slowest_seconds = slowest_seconds;
    publish_when_due(progress);
    progress->slowest = NULL;
}

void cook_progress_end(struct cook_progress *progress, const char *error)
{
    if (!progress->begun || progress->ended)
        return;
    publish(progress, error ? "error" : "done", error);
    stop(progress);
}

void cook_progress_withdraw(struct cook_progress *progress)
{
    if (!progress->begun || progress->ended)
        return;
    (void)unlinkat(progress->folder_fd, COOK_PROGRESS_FILE, 0);
    stop(progress);
}

/* ---- reading ---- */

static double number_of(const cJSON *json, const char *key)
{
    const cJSON *number = cJSON_GetObjectItemCaseSensitive(json, key);
    return cJSON_IsNumber(number) ? number->valuedouble : 0;
}

/* Whether the process that wrote it is still there, and no other that got its number since. */
static bool is_alive(const cJSON *json, int64_t written_ns)
{
    char here[128];
    const char *place = cJSON_GetStringValue(cJSON_GetObjectItemCaseSensitive(json, "place"));
    double process = number_of(json, "process");
    place_of_ids(here);
    if (!place || strcmp(place, here) != 0)
        return clock_seconds(CLOCK_REALTIME) - (double)written_ns / 1e9 < ELSEWHERE_SECONDS;
    if (!(process >= 1 && process <= INT32_MAX) ||
        (kill((pid_t)process, 0) != 0 && errno != EPERM))
        return false;
    double start = start_of((long)process);
    double said = number_of(json, "process_start");
    return start >= 0 && (said <= 0 || start <= 0 || !(start < said || start > said));
}

static void set_number(cJSON *json, const char *key, double value)
{
    cJSON_DeleteItemFromObjectCaseSensitive(json, key);
    cJSON_AddNumberToObject(json, key, value);
}

struct cJSON *cook_progress_read(int folder_fd, const char *path)
{
    struct cook_file_stat stat;
    cJSON *json = NULL;
    for (int i = 0; i < TORN_TRIES && !json; i++) {
        struct cook_buf text = COOK_BUF_INIT;
        if (cook_fs_read(&text, &stat, folder_fd, path, MAX_BYTES, NULL) != COOK_OK)
            i = TORN_TRIES;
        else
            json = cJSON_ParseWithLength((const char *)text.data, text.size);
        cook_buf_finish(&text);
    }
    if (!cJSON_IsObject(json)) {
        cJSON_Delete(json);
        return NULL;
    }
    bool ended = cJSON_HasObjectItem(json, "outcome");
    bool running = !ended && is_alive(json, stat.mtime_ns);
    if (running)
        set_number(json, "seconds", clock_seconds(CLOCK_REALTIME) - number_of(json, "began"));
    else if (!ended)
        cJSON_AddStringToObject(json, "outcome", "killed");
    cJSON_DeleteItemFromObjectCaseSensitive(json, "running");
    cJSON_AddBoolToObject(json, "running", running);
    return json;
}
