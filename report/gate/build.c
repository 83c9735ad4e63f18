/* Which cook made exactly these bytes. */
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cook/base/fs.h"
#include "cook/stage/stage.h"
#include "cook/store/history.h"
#include "report/gate/gate.h"
#include "report/report.h"

#define MAX_FILE_BYTES (UINT64_C(2) << 30)
#define MAX_DEPTH      64
#define COOKS          1000

struct staged_file {
    const char *path; /* "chunk3/Game/Props/Rock.cooked", of loose files and zips alike */
    struct cook_hash hash;
};
struct staged {
    struct staged_file *files;
    size_t count, capacity;
    struct cook_arena *arena;
    const char *chunk; /* of the zip that is read */
};

static enum cook_status add_file(struct staged *staged, const char *path, const void *bytes,
                                 size_t size, struct cook_error *error)
{
    if (!path || !cook_grow(&staged->files, &staged->capacity, staged->count + 1,
                            sizeof(*staged->files)))
        return cook_error_no_memory(error);
    staged->files[staged->count++] = (struct staged_file){ path, cook_hash_bytes(bytes, size) };
    return COOK_OK;
}

static enum cook_status take_entry(void *user, const char *path, const void *bytes, size_t size,
                                   struct cook_error *error)
{
    struct staged *staged = user;
    return add_file(staged, cook_arena_printf(staged->arena, "%s/%s", staged->chunk, path), bytes,
                    size, error);
}

static bool is_zip(const char *name, size_t *stem)
{
    size_t length = strlen(name);
    *stem = length > 4 ? length - 4 : 0;
    return strncmp(name, "chunk", 5) == 0 && *stem && strcmp(name + *stem, ".zip") == 0;
}

static enum cook_status read_loose(struct staged *staged, int fd, const char *path,
                                   struct cook_error *error)
{
    struct cook_buf bytes = COOK_BUF_INIT;
    enum cook_status status = cook_fs_read(&bytes, NULL, fd, path, MAX_FILE_BYTES, error);
    if (status == COOK_OK)
        status = add_file(staged, cook_arena_strdup(staged->arena, path), bytes.data, bytes.size,
                          error);
    cook_buf_finish(&bytes);
    return status;
}

static enum cook_status read_folder(struct staged *staged, int fd, const char *folder, int depth,
                                    struct cook_error *error)
{
    struct cook_folder_entry *entries;
    size_t count, stem;
    if (depth > MAX_DEPTH)
        return cook_error_set(error, COOK_E_LIMIT, "%s: folders nested too deeply", folder);
    enum cook_status status =
        cook_fs_list(&entries, &count, staged->arena, fd, depth ? folder : ".", error);
    for (size_t i = 0; status == COOK_OK && i < count; i++) {
        const char *name = entries[i].name;
        char *path = depth ? cook_arena_printf(staged->arena, "%s/%s", folder, name)
                           : cook_arena_strdup(staged->arena, name);
        if (!path)
            return cook_error_no_memory(error);
        if (depth == 0 && strcmp(name, COOK_STAGE_LIST) == 0)
            continue;
        if (entries[i].kind == COOK_FILE_FOLDER) {
            status = read_folder(staged, fd, path, depth + 1, error);
        } else if (depth == 0 && is_zip(name, &stem)) {
            staged->chunk = cook_arena_strndup(staged->arena, name, stem);
            status = staged->chunk ? cook_unzip(fd, name, take_entry, staged, error)
                                   : cook_error_no_memory(error);
        } else {
            status = read_loose(staged, fd, path, error);
        }
    }
    return status;
}

static int by_path(const void *a, const void *b)
{
    return strcmp(((const struct staged_file *)a)->path, ((const struct staged_file *)b)->path);
}

/* What a cook would stage, in the same form. */
static enum cook_status expected_of(struct staged *expected, const struct cook_stage *stage,
                                    struct cook_error *error)
{
    for (size_t i = 0; i < stage->chunk_count; i++)
        for (size_t k = 0; k < stage->chunks[i].file_count; k++) {
            const struct cook_stage_file *file = &stage->chunks[i].files[k];
            char *path = cook_stage_loose_name(&stage->chunks[i], file, expected->arena);
            if (!path || !cook_grow(&expected->files, &expected->capacity, expected->count + 1,
                                    sizeof(*expected->files)))
                return cook_error_no_memory(error);
            expected->files[expected->count++] = (struct staged_file){ path, file->hash };
        }
    if (expected->count)
        qsort(expected->files, expected->count, sizeof(*expected->files), by_path);
    return COOK_OK;
}

/* The first thing that differs, in words; NULL when nothing does. */
static const char *difference(const struct staged *staged, const struct staged *expected)
{
    for (size_t i = 0; i < staged->count || i < expected->count; i++) {
        const struct staged_file *have = i < staged->count ? &staged->files[i] : NULL;
        const struct staged_file *want = i < expected->count ? &expected->files[i] : NULL;
        int order = !have ? 1 : !want ? -1 : strcmp(have->path, want->path);
        if (order < 0)
            return cook_arena_printf(staged->arena, "%s is not of that cook", have->path);
        if (order > 0)
            return cook_arena_printf(staged->arena, "%s is missing", want->path);
        if (!cook_hash_equal(have->hash, want->hash))
            return cook_arena_printf(staged->arena, "%s has other bytes", have->path);
    }
    return NULL;
}

/* Whether a cook made the files; a cook whose files are no longer kept did not. */
static enum cook_status try_cook(struct gate_build *build, const struct staged *staged,
                                 struct cook_store *store, const struct cook_store_cook *cook,
                                 struct cook_error *error)
{
    struct cook_stage stage;
    struct staged expected = { .arena = staged->arena };
    enum cook_status status = cook_stage_open(&stage, store, cook->id, error);
    if (status == COOK_OK)
        status = expected_of(&expected, &stage, error);
    if (status == COOK_OK) {
        const char *first = difference(staged, &expected);
        if (!first) {
            build->cook = cook->id;
            build->kind = cook->kind;
        } else if (!build->difference) {
            build->difference = first;
        }
    }
    cook_free(expected.files);
    cook_stage_finish(&stage);
    return status == COOK_E_NOT_FOUND || status == COOK_E_DAMAGED ? COOK_OK : status;
}

/* The newest validation that began after the cook and before the next one. */
static enum cook_status find_validation(struct gate_build *build, const struct cook_project *project,
                                        int64_t from_ns, int64_t until_ns, struct cook_arena *arena,
                                        struct cook_error *error)
{
    struct cook_history *history;
    struct cook_history_run *runs;
    size_t count;
    enum cook_status status = cook_history_open_read(&history, project->fd, error);
    if (status != COOK_OK)
        return status == COOK_E_NOT_FOUND ? COOK_OK : status;
    const struct cook_history_filter filter = { .verb = "incremental-validate",
                                                .target = project->target };
    status = cook_history_runs(history, &runs, &count, &filter, arena, error);
    for (size_t i = 0; status == COOK_OK && i < count && !build->validation_run; i++)
        if (runs[i].started_ns >= from_ns && (until_ns == 0 || runs[i].started_ns < until_ns))
            build->validation_run = runs[i].id;
    cook_history_close(history);
    return status;
}

static enum cook_status find_cook(struct gate_build *build, const struct staged *staged,
                                  const struct cook_project *project, struct cook_store *store,
                                  struct cook_arena *arena, struct cook_error *error)
{
    struct cook_store_cook *cooks;
    size_t count;
    int64_t next_ns = 0;
    enum cook_status status = cook_store_cooks(store, &cooks, &count, COOKS, arena, error);
    for (size_t i = 0; status == COOK_OK && i < count; i++) {
        if (cook_hash_is_zero(cooks[i].manifest))
            continue;
        struct gate_build tried = { .files = build->files, .difference = build->difference };
        status = try_cook(&tried, staged, store, &cooks[i], error);
        if (status == COOK_OK && tried.cook)
            status = find_validation(&tried, project, cooks[i].ended_ns, next_ns, arena, error);
        /* Several cooks may have made the same bytes: one that was validated says most. */
        if (tried.cook && (!build->cook || tried.validation_run))
            *build = tried;
        else if (!build->cook)
            build->difference = tried.difference;
        if (build->validation_run)
            break;
        next_ns = cooks[i].started_ns;
    }
    return status;
}

enum cook_status gate_build_find(struct gate_build *build, const struct cook_project *project,
                                 const char *folder, struct cook_arena *arena,
                                 struct cook_error *error)
{
    struct staged staged = { .arena = arena };
    struct cook_store *store = NULL;
    *build = (struct gate_build){ 0 };
    int fd = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (fd < 0)
        return cook_error_set_errno(error, "cannot open the staged folder '%s'", folder);
    enum cook_status status = read_folder(&staged, fd, "", 0, error);
    close(fd);
    if (status == COOK_OK && staged.count == 0)
        status = cook_error_set(error, COOK_E_INVALID, "there are no staged files in '%s'", folder);
    if (status == COOK_OK)
        qsort(staged.files, staged.count, sizeof(*staged.files), by_path);
    build->files = staged.count;
    if (status == COOK_OK)
        status = cook_store_open(&store, project->fd, project->target, COOK_STORE_READ, error);
    if (status == COOK_OK)
        status = find_cook(build, &staged, project, store, arena, error);
    cook_store_close(store);
    cook_free(staged.files);
    return status;
}
