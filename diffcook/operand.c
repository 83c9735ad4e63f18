#include "operand.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cook/base/fs.h"
#include "cook/base/path.h"
#include "cook/stage/stage.h"
#include "operand_zip.h"

#define COOKS_LOOKED_AT 1000 /* for the latest finished one */

/* A cook's id, or false: such a text may be the end of a path. */
static bool read_cook(uint32_t *cook, const char *text)
{
    uint64_t value = 0;
    *cook = DIFF_COOK_LATEST;
    if (strcmp(text, "latest") == 0)
        return true;
    for (const char *at = text; *at; at++) {
        if (*at < '0' || *at > '9' || value > UINT32_MAX / 10)
            return false;
        value = value * 10 + (uint64_t)(*at - '0');
    }
    *cook = (uint32_t)value;
    return value > 0 && value <= UINT32_MAX;
}

enum cook_status diff_operand_split(const char **path, uint32_t *cook, bool *has_cook,
                                    const char *text, struct cook_arena *arena,
                                    struct cook_error *error)
{
    const char *colon = strrchr(text, ':');
    *cook = DIFF_COOK_LATEST;
    *has_cook = colon && read_cook(cook, colon + 1);
    *path = *has_cook ? cook_arena_strndup(arena, text, (size_t)(colon - text))
                      : cook_arena_strdup(arena, text);
    return *path ? COOK_OK : cook_error_no_memory(error);
}

static bool has_file(int folder_fd, const char *name)
{
    return faccessat(folder_fd, name, F_OK, 0) == 0;
}

/* ---- a cook in a store ---- */

static enum cook_status open_project(struct diff_operand *operand, int fd, const char *path,
                                     const struct cook_project_options *options,
                                     struct cook_error *error)
{
    if (options->target)
        return cook_store_open(&operand->store, fd, options->target, COOK_STORE_READ, error);
    struct cook_project project = { .fd = -1 };
    struct cook_project_options own = *options;
    own.folder = path;
    enum cook_status status = cook_project_open(&project, &own, error);
    if (status == COOK_OK)
        status = cook_store_open(&operand->store, fd, project.target, COOK_STORE_READ, error);
    cook_project_finish(&project);
    return status;
}

/* The kind of the cook for people; the latest finished one where none was named. */
static enum cook_status find_cook(struct diff_operand *operand, const char **kind,
                                  struct cook_error *error)
{
    struct cook_store_cook *cooks;
    size_t count;
    enum cook_status status = cook_store_cooks(operand->store, &cooks, &count, COOKS_LOOKED_AT,
                                               &operand->arena, error);
    *kind = "";
    for (size_t i = 0; status == COOK_OK && i < count; i++) {
        bool wanted = operand->cook == DIFF_COOK_LATEST ? !cook_hash_is_zero(cooks[i].manifest)
                                                        : cooks[i].id == operand->cook;
        if (!wanted)
            continue;
        operand->cook = cooks[i].id;
        operand->manifest = cooks[i].manifest;
        operand->outputs = cooks[i].outputs;
        *kind = cooks[i].kind;
        return COOK_OK;
    }
    if (status != COOK_OK)
        return status;
    if (operand->cook == DIFF_COOK_LATEST)
        return cook_error_set(error, COOK_E_USAGE, "no finished cook is kept; run: cook full");
    return cook_error_set(error, COOK_E_USAGE, "there is no cook %u; see: cook store log",
                          operand->cook);
}

static enum cook_status name_cook(struct diff_operand *operand, const char *path,
                                  struct cook_error *error)
{
    const char *kind;
    enum cook_status status = find_cook(operand, &kind, error);
    if (status != COOK_OK)
        return status;
    operand->text = cook_arena_printf(&operand->arena, "%s: cook %u%s%s%s", path, operand->cook,
                                      *kind ? " (" : "", kind, *kind ? ")" : "");
    return operand->text ? COOK_OK : cook_error_no_memory(error);
}

/* ---- any ---- */

static enum cook_status open_folder(int *fd, const char *path, struct cook_error *error)
{
    *fd = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (*fd >= 0)
        return COOK_OK;
    if (errno == ENOTDIR)
        return cook_error_set(error, COOK_E_USAGE,
                              "not a folder; a project, a store, PROJECT:COOK, a folder of "
                              "files or a zip is expected");
    if (errno == ENOENT)
        return cook_error_set(error, COOK_E_USAGE, "there is no such folder");
    return cook_error_set_errno(error, "cannot open it");
}

static enum cook_status open_at(struct diff_operand *operand, int fd, const char *path,
                                bool has_cook, const struct cook_project_options *options,
                                struct cook_error *error)
{
    bool is_store = has_file(fd, "cook.db");
    if (!is_store && !has_file(fd, "cook.ini")) {
        if (has_cook)
            return cook_error_set(error, COOK_E_USAGE, "holds neither a project nor a store");
        operand->kind = DIFF_OPERAND_FOLDER;
        if (has_file(fd, COOK_STAGE_LIST)) {
            enum cook_status unzipped = diff_operand_unzip_chunks(operand, fd, error);
            if (unzipped != COOK_OK || operand->temporary)
                return unzipped;
        }
        operand->folder_fd = fcntl(fd, F_DUPFD_CLOEXEC, 0);
        return operand->folder_fd >= 0 ? COOK_OK : cook_error_set_errno(error, "cannot open");
    }
    operand->kind = DIFF_OPERAND_COOK;
    enum cook_status status = is_store ? cook_store_open_folder(&operand->store, fd, error)
                                       : open_project(operand, fd, path, options, error);
    return status == COOK_OK ? name_cook(operand, path, error) : status;
}

static bool is_file(const char *path)
{
    struct stat facts;
    return stat(path, &facts) == 0 && S_ISREG(facts.st_mode);
}

static enum cook_status prefixed(enum cook_status status, const char *text,
                                 struct cook_error *error)
{
    cook_error_prefix(error, "%s", text);
    return status;
}

enum cook_status diff_operand_open(struct diff_operand *operand, const char *text,
                                   const struct cook_project_options *project,
                                   struct cook_error *error)
{
    *operand = (struct diff_operand)DIFF_OPERAND_INIT;
    int fd = -1;
    const char *path;
    bool has_cook;
    operand->text = cook_arena_strdup(&operand->arena, text);
    if (!operand->text)
        return cook_error_no_memory(error);
    enum cook_status status =
        diff_operand_split(&path, &operand->cook, &has_cook, text, &operand->arena, error);
    if (status != COOK_OK)
        return status;
    /* A folder may well be named "build:3". */
    if (has_cook && access(text, F_OK) == 0) {
        path = operand->text;
        operand->cook = DIFF_COOK_LATEST;
        has_cook = false;
    }
    if (!*path)
        path = project->folder;
    bool is_zip = !has_cook && strcmp(cook_path_extension(path), ".zip") == 0;
    if (is_zip && is_file(path)) {
        operand->kind = DIFF_OPERAND_FOLDER;
        status = diff_operand_unzip(operand, path, error);
        return status == COOK_OK ? status : prefixed(status, text, error);
    }
    status = open_folder(&fd, path, error);
    if (status == COOK_OK)
        status = open_at(operand, fd, path, has_cook, project, error);
    if (fd >= 0)
        close(fd);
    return status == COOK_OK ? status : prefixed(status, text, error);
}

enum cook_status diff_operand_open_store(struct diff_operand *operand, int project_fd,
                                         const char *name, struct cook_error *error)
{
    *operand = (struct diff_operand)DIFF_OPERAND_INIT;
    operand->kind = DIFF_OPERAND_COOK;
    const char *path = cook_arena_printf(&operand->arena, "Saved/Cook/%s", name);
    if (!path)
        return cook_error_no_memory(error);
    operand->text = path;
    enum cook_status status =
        cook_store_open(&operand->store, project_fd, name, COOK_STORE_READ, error);
    return status == COOK_OK ? name_cook(operand, path, error) : status;
}

void diff_operand_finish(struct diff_operand *operand)
{
    cook_store_close(operand->store);
    if (operand->folder_fd >= 0)
        close(operand->folder_fd);
    if (operand->temporary)
        diff_operand_remove(operand);
    cook_arena_finish(&operand->arena);
    *operand = (struct diff_operand)DIFF_OPERAND_INIT;
}
