/* Source lines beside stack frames. File names come from debug information, which may say anything:
 * only plain relative paths below the project, or below a folder that the user named, are read. */
#include "report/report.h"

#include <fcntl.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <linux/openat2.h>

#include "cook/base/fs.h"
#include "cook/base/path.h"

#define MAX_FRAMES       3 /* of a stack: the nearest to the write */
#define AROUND           3 /* lines before and after */
#define MAX_FILE_BYTES   (UINT64_C(2) << 20)
#define MAX_FILES        256
#define MAX_LINE_BYTES   200
#define MAX_TOTAL_BYTES  (UINT64_C(8) << 20)

struct file {
    const char *path;
    struct cook_buf text;
};
struct sources {
    struct report *report;
    struct file files[MAX_FILES];
    size_t count;
    size_t total_bytes;
};

/* Open below a folder without ever leaving it, whatever links lie there. */
static int open_below(int folder, const char *path)
{
    struct open_how how = { .flags = O_RDONLY | O_CLOEXEC | O_NONBLOCK,
                            .resolve = RESOLVE_BENEATH | RESOLVE_NO_MAGICLINKS };
    return (int)syscall(SYS_openat2, folder, path, &how, sizeof(how));
}

static bool read_below(struct cook_buf *text, int folder, const char *path)
{
    int fd = open_below(folder, path);
    if (fd < 0)
        return false;
    char self[64];
    (void)snprintf(self, sizeof(self), "/proc/self/fd/%d", fd);
    enum cook_status status = cook_fs_read(text, NULL, AT_FDCWD, self, MAX_FILE_BYTES, NULL);
    close(fd);
    return status == COOK_OK;
}

static void read_source(struct sources *sources, struct file *file)
{
    struct report *report = sources->report;
    bool found = report->has_project && read_below(&file->text, report->project.fd, file->path);
    for (size_t i = 0; !found && report->sources && report->sources[i]; i++) {
        int folder = open(report->sources[i], O_PATH | O_DIRECTORY | O_CLOEXEC);
        if (folder < 0)
            continue;
        found = read_below(&file->text, folder, file->path);
        close(folder);
    }
    if (!found)
        cook_buf_clear(&file->text);
}

/* The text of a file, read once; NULL where it cannot be had. */
static const struct file *find_file(struct sources *sources, const char *path)
{
    if (!cook_path_is_plain(path))
        return NULL;
    for (size_t i = 0; i < sources->count; i++)
        if (strcmp(sources->files[i].path, path) == 0)
            return &sources->files[i];
    if (sources->count == MAX_FILES)
        return NULL;
    struct file *file = &sources->files[sources->count++];
    *file = (struct file){ .path = path, .text = COOK_BUF_INIT };
    read_source(sources, file);
    return file;
}

static void add_lines(struct sources *sources, cJSON *frame, const struct file *file, unsigned line)
{
    const char *at = (const char *)file->text.data;
    const char *end = at + file->text.size;
    unsigned first = line > AROUND ? line - AROUND : 1;
    cJSON *source = cJSON_CreateObject();
    cJSON *lines = cJSON_CreateArray();
    for (unsigned number = 1; at < end && number <= line + AROUND; number++) {
        const char *stop = memchr(at, '\n', (size_t)(end - at));
        size_t length = (size_t)((stop ? stop : end) - at);
        char text[MAX_LINE_BYTES + 1];
        if (number >= first) {
            size_t kept = length < MAX_LINE_BYTES ? length : MAX_LINE_BYTES;
            for (size_t i = 0; i < kept; i++)
                text[i] = at[i] ? at[i] : ' ';
            text[kept] = '\0';
            cJSON_AddItemToArray(lines, cJSON_CreateString(text));
            sources->total_bytes += kept;
        }
        at = stop ? stop + 1 : end;
    }
    if (cJSON_GetArraySize(lines) == 0) {
        cJSON_Delete(source);
        cJSON_Delete(lines);
        return;
    }
    cJSON_AddNumberToObject(source, "first", first);
    cJSON_AddItemToObject(source, "lines", lines);
    cJSON_AddItemToObject(frame, "source", source);
}

/* The files on disk are those of the new build; an older build's lines would be the wrong ones. */
static bool same_build(const cJSON *old_stack, const cJSON *new_stack)
{
    return strcmp(report_text(cJSON_GetArrayItem(old_stack, 0), "build_id"),
                  report_text(cJSON_GetArrayItem(new_stack, 0), "build_id")) == 0;
}

static void add_to_stack(struct sources *sources, cJSON *stack)
{
    cJSON *frame;
    int done = 0;
    cJSON_ArrayForEach(frame, stack) {
        double line = report_number(frame, "line");
        if (done++ == MAX_FRAMES || sources->total_bytes > MAX_TOTAL_BYTES)
            return;
        if (line < 1 || line > 1e7)
            continue;
        const struct file *file = find_file(sources, report_text(frame, "file"));
        if (file && file->text.size)
            add_lines(sources, frame, file, (unsigned)line);
    }
}

void report_add_sources(struct report *report, cJSON *findings)
{
    struct sources *sources = cook_calloc(1, sizeof(*sources));
    cJSON *finding, *difference;
    if (!sources)
        return;
    sources->report = report;
    cJSON_ArrayForEach(finding, findings)
        cJSON_ArrayForEach(difference, cJSON_GetObjectItemCaseSensitive(finding, "differences")) {
            cJSON *new_stack = cJSON_GetObjectItemCaseSensitive(difference, "new_stack");
            cJSON *old_stack = cJSON_GetObjectItemCaseSensitive(difference, "old_stack");
            add_to_stack(sources, new_stack);
            if (same_build(old_stack, new_stack))
                add_to_stack(sources, old_stack);
        }
    for (size_t i = 0; i < sources->count; i++)
        cook_buf_finish(&sources->files[i].text);
    cook_free(sources);
}
