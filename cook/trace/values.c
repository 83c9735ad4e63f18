#include "cook/trace/values.h"

#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sched.h>
#include <sys/stat.h>
#include <sys/utsname.h>
#include <time.h>
#include <unistd.h>

#include "cook/base/intern.h"
#include "cook/base/path.h"
#include "cook/deps/value.h"

#define MAX_HASHED_BYTES (UINT64_C(256) << 20) /* longer files are known by their stat */
#define MAX_KEPT         100000

struct kept {
    struct cook_file_stat stat;
    struct cook_hash hash;
};

struct cook_trace_values {
    struct cook_intern keys;
    struct kept *items; /* by id of keys */
    size_t capacity;
};

enum cook_status cook_trace_values_create(struct cook_trace_values **out, struct cook_error *error)
{
    *out = cook_calloc(1, sizeof(**out));
    return *out ? COOK_OK : cook_error_set(error, COOK_E_NO_MEMORY, "out of memory");
}

void cook_trace_values_destroy(struct cook_trace_values *values)
{
    if (!values)
        return;
    cook_intern_finish(&values->keys);
    cook_free(values->items);
    cook_free(values);
}

/* ---- keys ---- */

/* "." and ".." are resolved by text: what is absent has no other way. `path` is absolute. */
static char *normalise(struct cook_arena *arena, const char *path)
{
    char *relative = cook_path_join(arena, "", path + strspn(path, "/"));
    return relative ? cook_arena_printf(arena, "/%s", relative) : NULL;
}

static const char *below(const char *path, const char *folder)
{
    size_t length = strlen(folder);
    if (strncmp(path, folder, length) != 0)
        return NULL;
    if (path[length] == '\0')
        return ".";
    return path[length] == '/' ? path + length + 1 : NULL;
}

const char *cook_trace_key(struct cook_arena *arena, const char *project, const char *path)
{
    char real[PATH_MAX];
    const char *whole = path[0] == '/' ? path : cook_arena_printf(arena, "%s/%s", project, path);
    const char *normal = whole ? normalise(arena, whole) : NULL;
    if (!normal)
        return whole ? cook_arena_strdup(arena, whole) : NULL;
    const char *inside = below(normal, project);
    if (!inside && realpath(normal, real) && below(real, project))
        inside = cook_arena_strdup(arena, below(real, project));
    return inside ? inside : normal;
}

/* ---- values ---- */

static bool same_stat(const struct cook_file_stat *a, const struct cook_file_stat *b)
{
    return a->kind == b->kind && a->size_bytes == b->size_bytes && a->mtime_ns == b->mtime_ns &&
           a->ctime_ns == b->ctime_ns && a->inode == b->inode && a->device == b->device;
}

static struct cook_hash hash_stat(const struct cook_file_stat *stat)
{
    char text[128];
    (void)snprintf(text, sizeof(text), "%d %llu %lld", (int)stat->kind,
                   (unsigned long long)stat->size_bytes, (long long)stat->mtime_ns);
    return cook_hash_bytes(text, strlen(text));
}

/* The content's hash, from memory where the file has not been touched since. */
static struct cook_hash hash_content(struct cook_trace_values *values, int project_fd,
                                     const char *key, const struct cook_file_stat *stat)
{
    size_t before = values->keys.count;
    uint32_t id = before < MAX_KEPT ? cook_intern_add(&values->keys, key)
                                    : cook_intern_find(&values->keys, key);
    if (id != COOK_INTERN_NONE && id == before) {
        if (!cook_grow(&values->items, &values->capacity, before + 1, sizeof(*values->items)))
            id = COOK_INTERN_NONE;
        else
            values->items[id] = (struct kept){ .stat.kind = COOK_FILE_UNKNOWN };
    }
    if (id < values->capacity && id != COOK_INTERN_NONE &&
        same_stat(&values->items[id].stat, stat))
        return values->items[id].hash;
    struct kept now = { *stat, { 0, 0 } };
    struct cook_buf bytes = COOK_BUF_INIT;
    if (cook_fs_read(&bytes, &now.stat, project_fd, key, MAX_HASHED_BYTES, NULL) == COOK_OK)
        now.hash = cook_hash_bytes(bytes.data, bytes.size);
    else
        now.hash = hash_stat(stat);
    cook_buf_finish(&bytes);
    if (id != COOK_INTERN_NONE && id < values->capacity)
        values->items[id] = now;
    return now.hash;
}

static const char *time_text(int64_t ns, struct cook_arena *arena)
{
    char stamp[40] = "";
    time_t seconds = (time_t)(ns / 1000000000);
    struct tm utc;
    if (gmtime_r(&seconds, &utc))
        (void)strftime(stamp, sizeof(stamp), "%Y-%m-%dT%H:%M:%S", &utc);
    return cook_arena_printf(arena, "%s.%09lldZ", stamp, (long long)(ns % 1000000000));
}

static void set_text(struct cook_traced_input *input, const char *text)
{
    input->text = text ? text : "";
    input->value = cook_hash_bytes(input->text, strlen(input->text));
}

static void value_of_file(struct cook_traced_input *input, struct cook_trace_values *values,
                          int project_fd, const struct cook_file_stat *stat,
                          struct cook_arena *arena)
{
    if (stat->kind != COOK_FILE_REGULAR) { /* never opened: a pipe would wait for ever */
        set_text(input, "not a regular file");
        return;
    }
    input->value = hash_content(values, project_fd, input->key, stat);
    const char *text = cook_arena_printf(arena, "%llu bytes",
                                         (unsigned long long)stat->size_bytes);
    input->text = text ? text : "";
}

static void value_of_folder(struct cook_traced_input *input, int project_fd,
                            struct cook_arena *arena)
{
    const char **names;
    size_t count;
    if (cook_directory_list(&names, &count, project_fd, input->key, arena, NULL) != COOK_OK)
        return;
    input->value = cook_directory_hash(names, count);
    const char *text = cook_arena_printf(arena, "%zu entr%s", count, count == 1 ? "y" : "ies");
    input->text = text ? text : "";
}

static void value_of_stat(struct cook_traced_input *input, const struct cook_file_stat *stat,
                          struct cook_arena *arena)
{
    const char *when = time_text(stat->mtime_ns, arena);
    const char *text = stat->kind == COOK_FILE_FOLDER
                           ? cook_arena_printf(arena, "a folder of %s", when ? when : "")
                           : cook_arena_printf(arena, "%llu bytes of %s",
                                               (unsigned long long)stat->size_bytes,
                                               when ? when : "");
    input->value = hash_stat(stat);
    input->text = text ? text : "";
}

static void value_of_link(struct cook_traced_input *input, int project_fd, struct cook_arena *arena)
{
    char target[PATH_MAX];
    ssize_t size = readlinkat(project_fd, input->key, target, sizeof(target) - 1);
    input->absent = size < 0;
    if (size >= 0) {
        target[size] = '\0';
        set_text(input, cook_arena_strdup(arena, target));
    }
}

static void value_of_path(struct cook_traced_input *input, struct cook_trace_values *values,
                          int project_fd, struct cook_arena *arena)
{
    struct cook_file_stat stat = { .kind = COOK_FILE_ABSENT };
    if (input->kind == COOK_INPUT_LINK) {
        value_of_link(input, project_fd, arena);
        return;
    }
    bool known = cook_fs_stat(&stat, project_fd, input->key, NULL) == COOK_OK;
    input->absent = !known || stat.kind == COOK_FILE_ABSENT;
    if (input->absent)
        input->text = "absent";
    else if (input->kind == COOK_INPUT_STAT)
        value_of_stat(input, &stat, arena);
    else if (input->kind == COOK_INPUT_DIRECTORY)
        value_of_folder(input, project_fd, arena);
    else
        value_of_file(input, values, project_fd, &stat, arena);
}

static void value_of_host(struct cook_traced_input *input, int project_fd, struct cook_arena *arena)
{
    struct utsname names;
    cpu_set_t processors;
    char folder[PATH_MAX];
    if (strcmp(input->key, "host name") == 0 && uname(&names) == 0)
        set_text(input, cook_arena_strdup(arena, names.nodename));
    else if (strcmp(input->key, "processor count") == 0 &&
             sched_getaffinity(0, sizeof(processors), &processors) == 0)
        set_text(input, cook_arena_printf(arena, "%d", CPU_COUNT(&processors)));
    else if (strcmp(input->key, "working folder") == 0 && getcwd(folder, sizeof(folder)))
        set_text(input, cook_arena_strdup(arena, folder));
    else if (input->key[0] == '/') {
        struct cook_buf bytes = COOK_BUF_INIT;
        if (cook_fs_read(&bytes, NULL, project_fd, input->key, 4096, NULL) == COOK_OK)
            input->value = cook_hash_bytes(bytes.data, bytes.size);
        cook_buf_finish(&bytes);
    }
}

void cook_trace_value(struct cook_traced_input *input, struct cook_trace_values *values,
                      int project_fd, struct cook_arena *arena)
{
    input->value = (struct cook_hash){ 0, 0 };
    input->text = "";
    input->absent = false;
    switch (input->kind) {
    case COOK_INPUT_FILE:
    case COOK_INPUT_DIRECTORY:
    case COOK_INPUT_STAT:
    case COOK_INPUT_LINK:
    case COOK_INPUT_PROCESS:
        value_of_path(input, values, project_fd, arena);
        break;
    case COOK_INPUT_ENVIRONMENT: {
        const char *text = getenv(input->key);
        input->absent = !text;
        if (text)
            set_text(input, cook_arena_strdup(arena, text));
        break;
    }
    case COOK_INPUT_HOST:
        value_of_host(input, project_fd, arena);
        break;
    case COOK_INPUT_CLOCK: /* another at each read */
    case COOK_INPUT_RANDOM:
    case COOK_INPUT_UNKNOWN:
    case COOK_INPUT_KIND_END:
        break;
    }
}

enum cook_file_kind cook_trace_file_kind(int project_fd, const char *key)
{
    struct cook_file_stat stat;
    return cook_fs_stat(&stat, project_fd, key, NULL) == COOK_OK ? stat.kind : COOK_FILE_ABSENT;
}
