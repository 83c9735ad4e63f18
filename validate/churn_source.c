#include <fcntl.h>
#include <string.h>
#include <unistd.h>

#include "cook/base/child.h"
#include "cook/base/fs.h"
#include "cook/base/path.h"
#include "validate/churn.h"
#include "validate/tree.h"

#define MAX_LIST (UINT64_C(64) << 20)

static const char *path_of(struct churn *churn, const char *name)
{
    return cook_arena_printf(&churn->arena, "%s/%s", churn->work, name);
}

/* ---- git ---- */

static enum cook_status git(struct cook_buf *out, const char *folder, const char *const *words,
                            struct cook_error *error)
{
    const char *argv[16] = { "git", "-C", folder };
    struct cook_child child = COOK_CHILD_INIT;
    struct cook_buf unused = COOK_BUF_INIT;
    int exit_status = 0;
    for (size_t i = 0; words[i] && i < 12; i++)
        argv[3 + i] = words[i];
    child.argv = argv;
    child.out = out ? out : &unused;
    child.max_out_bytes = MAX_LIST;
    child.err_fd = STDERR_FILENO;
    enum cook_status status = cook_child_run(&exit_status, &child, error);
    cook_buf_finish(&unused);
    if (status == COOK_OK && exit_status != 0)
        return cook_error_set(error, COOK_E_USAGE, "git %s failed in %s", words[0], folder);
    return status;
}

static void add_step(cJSON *steps, const char *name, const char *subject)
{
    cJSON *step = cJSON_CreateObject();
    cJSON_AddStringToObject(step, "name", name);
    cJSON_AddStringToObject(step, "subject", subject);
    cJSON_AddItemToArray(steps, step);
}

/* "HASH SUBJECT" lines. */
static void add_lines(cJSON *steps, struct cook_buf *lines, struct cook_arena *arena)
{
    char *text = cook_arena_strdup(arena, cook_buf_text(lines));
    for (char *line = text; line && *line;) {
        char *next = strchr(line, '\n');
        if (next)
            *next++ = '\0';
        char *blank = strchr(line, ' ');
        if (blank)
            *blank = '\0';
        add_step(steps, line, blank ? blank + 1 : "");
        line = next;
    }
}

static enum cook_status list_commits(struct churn *churn, cJSON *steps,
                                     struct cook_error *error)
{
    struct cook_buf out = COOK_BUF_INIT;
    const char *dots = strstr(churn->range, "..");
    if (!dots || dots == churn->range || *churn->range == '-')
        return cook_error_set(error, COOK_E_USAGE,
                              "'%s' is no range of commits, as in v1..main", churn->range);
    const char *from = cook_arena_printf(&churn->arena, "%.*s^{commit}",
                                         (int)(dots - churn->range), churn->range);
    const char *const first[] = { "log", "-1", "--format=%H %s", from, "--", NULL };
    const char *const all[] = {
        "log", "--reverse", "--first-parent", "--format=%H %s", churn->range, "--", NULL
    };
    enum cook_status status =
        from ? git(&out, churn->source, first, error) : cook_error_no_memory(error);
    if (status == COOK_OK)
        status = git(&out, churn->source, all, error);
    add_lines(steps, &out, &churn->arena);
    cook_buf_finish(&out);
    return status;
}

/* A git that was killed here leaves its lock; the work folder is ours, so nobody else holds it.
 */
static enum cook_status drop_lock(struct churn *churn, const char *tree,
                                  struct cook_error *error)
{
    static const char *const where[] = { "rev-parse", "--git-path", "index.lock", NULL };
    struct cook_buf out = COOK_BUF_INIT;
    enum cook_status status = git(&out, tree, where, error);
    char *path = cook_arena_strdup(&churn->arena, cook_buf_text(&out));
    cook_buf_finish(&out);
    if (status != COOK_OK || !path)
        return status == COOK_OK ? cook_error_no_memory(error) : status;
    path[strcspn(path, "\n")] = '\0';
    if (*path == '/') /* of a work tree of its own it is absolute */
        (void)unlink(path);
    return COOK_OK;
}

static enum cook_status check_out_commit(struct churn *churn, const char *name, int from,
                                         const char *commit, struct cook_error *error)
{
    const char *path = path_of(churn, name);
    const char *const add[] = { "worktree", "add", "--quiet", "--force",
                                "--detach", path,  commit,    NULL };
    const char *const move[] = { "checkout", "--quiet", "--force", "--detach", commit, NULL };
    if (!path)
        return cook_error_no_memory(error);
    if (from < 0)
        return git(NULL, churn->source, add, error);
    enum cook_status status = drop_lock(churn, path, error);
    return status == COOK_OK ? git(NULL, path, move, error) : status;
}

/* ---- a folder of steps ---- */

static enum cook_status list_steps(struct churn *churn, cJSON *steps, struct cook_error *error)
{
    const char *folder = cook_arena_printf(&churn->arena, "%s/history", churn->source);
    struct cook_folder_entry *entries;
    size_t count = 0;
    enum cook_status status =
        folder ? cook_fs_list(&entries, &count, &churn->arena, AT_FDCWD, folder, error)
               : cook_error_no_memory(error);
    if (status != COOK_OK)
        return cook_error_set(
            error, COOK_E_USAGE,
            "%s is neither a git repository with a range of commits, nor a folder "
            "with base/ and history/",
            churn->source);
    add_step(steps, "base", "");
    for (size_t i = 0; i < count; i++)
        if (entries[i].kind == COOK_FILE_FOLDER && entries[i].name[0] >= '0' &&
            entries[i].name[0] <= '9')
            add_step(steps, entries[i].name, "");
    return COOK_OK;
}

static enum cook_status copy_into(struct churn *churn, const char *from, const char *to,
                                  bool optional, struct cook_error *error)
{
    struct cook_file_stat stat;
    enum cook_status status = cook_fs_stat(&stat, AT_FDCWD, from, error);
    if (status == COOK_OK && stat.kind != COOK_FILE_FOLDER)
        return optional ? COOK_OK
                        : cook_error_set(error, COOK_E_USAGE, "there is no folder %s", from);
    return status == COOK_OK ? tree_copy_below(churn->work_fd, to, AT_FDCWD, from, error)
                             : status;
}

static enum cook_status delete_listed(struct churn *churn, const char *list, const char *to,
                                      struct cook_error *error)
{
    struct cook_buf text = COOK_BUF_INIT;
    enum cook_status status = cook_fs_read(&text, NULL, AT_FDCWD, list, MAX_LIST, error);
    if (status == COOK_E_NOT_FOUND)
        return COOK_OK;
    char *line = cook_arena_strdup(&churn->arena, cook_buf_text(&text));
    cook_buf_finish(&text);
    while (status == COOK_OK && line && *line) {
        char *next = strchr(line, '\n');
        if (next)
            *next++ = '\0';
        const char *path = cook_path_join(&churn->arena, to, line);
        if (!path)
            status = cook_error_set(error, COOK_E_MALFORMED, "%s: '%s' is no path to delete",
                                    list, line);
        else if (*line)
            status = cook_fs_remove_tree(churn->work_fd, path, error);
        line = next;
    }
    return status;
}

/* A project around content that has none. */
static enum cook_status write_project(struct churn *churn, const char *name,
                                      struct cook_error *error)
{
    struct cook_file_stat stat;
    const char *path = cook_arena_printf(&churn->arena, "%s/cook.ini", name);
    const char *text = cook_arena_printf(&churn->arena,
                                         "[Project]\nName=Churn\n+ContentRoot=/Game=%s\n"
                                         "[Cook]\n+AlwaysCook=/Game/*\n",
                                         churn->content);
    enum cook_status status = path && text ? cook_fs_stat(&stat, churn->work_fd, path, error)
                                           : cook_error_no_memory(error);
    return status == COOK_OK && stat.kind == COOK_FILE_ABSENT
               ? cook_fs_write(churn->work_fd, path, text, strlen(text), false, error)
               : status;
}

static enum cook_status begin_steps(struct churn *churn, const char *name, const char *content,
                                    struct cook_error *error)
{
    const char *base = cook_arena_printf(&churn->arena, "%s/base", churn->source);
    enum cook_status status = base ? COOK_OK : cook_error_no_memory(error);
    if (status == COOK_OK && churn->skeleton)
        status = copy_into(churn, churn->skeleton, name, false, error);
    if (status == COOK_OK)
        status = copy_into(churn, base, content, false, error);
    return status == COOK_OK ? write_project(churn, name, error) : status;
}

static enum cook_status apply_step(struct churn *churn, const char *content, const char *step,
                                   struct cook_error *error)
{
    const char *list =
        cook_arena_printf(&churn->arena, "%s/history/%s/DELETED", churn->source, step);
    const char *files =
        cook_arena_printf(&churn->arena, "%s/history/%s/files", churn->source, step);
    if (!list || !files)
        return cook_error_no_memory(error);
    enum cook_status status = delete_listed(churn, list, content, error);
    return status == COOK_OK ? copy_into(churn, files, content, true, error) : status;
}

/* ---- both ---- */

enum cook_status churn_list(struct churn *churn, cJSON **steps, struct cook_error *error)
{
    *steps = cJSON_CreateArray();
    return churn->range ? list_commits(churn, *steps, error) : list_steps(churn, *steps, error);
}

enum cook_status churn_check_out(struct churn *churn, const char *name, int from, int to,
                                 struct cook_error *error)
{
    const cJSON *steps = cJSON_GetObjectItemCaseSensitive(churn->state, "steps");
    if (churn->range)
        return check_out_commit(churn, name, from,
                                churn_text(cJSON_GetArrayItem(steps, to), "name"), error);
    const char *content = cook_arena_printf(&churn->arena, "%s/%s", name, churn->content);
    if (!content)
        return cook_error_no_memory(error);
    enum cook_status status = from < 0 ? begin_steps(churn, name, content, error) : COOK_OK;
    for (int i = from < 0 ? 1 : from + 1; status == COOK_OK && i <= to; i++)
        status =
            apply_step(churn, content, churn_text(cJSON_GetArrayItem(steps, i), "name"), error);
    return status;
}

void churn_forget(struct churn *churn)
{
    static const char *const prune[] = { "worktree", "prune", NULL };
    if (churn->range)
        (void)!git(NULL, churn->source, prune, NULL);
}

enum cook_status churn_build(struct churn *churn, const char *name, bool *built,
                             struct cook_error *error)
{
    struct cook_child child = COOK_CHILD_INIT;
    int exit_status = 0;
    const char *below = churn->cli.folder ? churn->cli.folder : ".";
    *built = true;
    if (!churn->cli.class_argument_count)
        return COOK_OK;
    int log =
        openat(churn->work_fd, "build.log", O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0666);
    if (log < 0)
        return cook_error_set_errno(error, "cannot write build.log");
    child.argv = churn->cli.class_arguments;
    child.folder = cook_arena_printf(&churn->arena, "%s/%s/%s", churn->work, name, below);
    child.out_fd = log;
    child.err_fd = log;
    enum cook_status status = cook_child_run(&exit_status, &child, error);
    close(log);
    *built = exit_status == 0;
    if (status == COOK_E_CRASHED) {
        *built = false;
        status = COOK_OK;
    }
    return status;
}
