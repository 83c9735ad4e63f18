#include "cook/plan/revision.h"

#include <fcntl.h>
#include <stdio.h>
#include <string.h>

#include "cook/base/child.h"
#include "cook/base/fs.h"
#include "cook/worker/pool.h"

#define MAX_PARENTS     64
#define MAX_FILE_BYTES  (UINT64_C(1) << 16)
#define MAX_PACKED_REFS (UINT64_C(64) << 20)

/* A small text file of a repository without its last newline, in `arena`; NULL when it is not
 * there. */
static char *read_text(const char *folder, const char *name, uint64_t max_bytes,
                       struct cook_arena *arena)
{
    struct cook_buf bytes = COOK_BUF_INIT;
    char *path = cook_arena_printf(arena, "%s/%s", folder, name);
    char *text = NULL;
    if (path && cook_fs_read(&bytes, NULL, AT_FDCWD, path, max_bytes, NULL) == COOK_OK)
        text = cook_arena_strdup(arena, cook_buf_text(&bytes));
    cook_buf_finish(&bytes);
    for (size_t end = text ? strlen(text) : 0; end && text[end - 1] == '\n'; end--)
        text[end - 1] = '\0';
    return text;
}

static char *join(const char *folder, const char *path, struct cook_arena *arena)
{
    return *path == '/' ? cook_arena_strdup(arena, path)
                        : cook_arena_printf(arena, "%s/%s", folder, path);
}

/* The repository's folder, from the project upwards; in a work tree of its own a file names it.
 */
static char *find_repository(const char *project, struct cook_arena *arena)
{
    char *folder = cook_arena_strdup(arena, project);
    for (unsigned i = 0; folder && *folder && i < MAX_PARENTS; i++) {
        struct cook_file_stat stat;
        char *path = cook_arena_printf(arena, "%s/.git", folder);
        if (!path || cook_fs_stat(&stat, AT_FDCWD, path, NULL) != COOK_OK)
            return NULL;
        if (stat.kind == COOK_FILE_FOLDER)
            return path;
        if (stat.kind == COOK_FILE_REGULAR) {
            const char *text = read_text(folder, ".git", MAX_FILE_BYTES, arena);
            return text && strncmp(text, "gitdir: ", 8) == 0 ? join(folder, text + 8, arena)
                                                             : NULL;
        }
        char *slash = strrchr(folder, '/');
        if (!slash)
            return NULL;
        *slash = '\0';
    }
    return NULL;
}

static bool is_commit(const char *text)
{
    size_t length = text ? strspn(text, "0123456789abcdef") : 0;
    return (length == 40 || length == 64) && text[length] == '\0';
}

/* Lines "HASH NAME" of packed-refs. */
static const char *find_packed(const char *folder, const char *name, struct cook_arena *arena)
{
    char *text = read_text(folder, "packed-refs", MAX_PACKED_REFS, arena);
    for (char *line = text; line && *line;) {
        char *next = strchr(line, '\n');
        if (next)
            *next++ = '\0';
        char *blank = strchr(line, ' ');
        if (blank && strcmp(blank + 1, name) == 0) {
            *blank = '\0';
            return line;
        }
        line = next;
    }
    return NULL;
}

static const char *find_head(const char *repository, struct cook_arena *arena)
{
    const char *head = read_text(repository, "HEAD", MAX_FILE_BYTES, arena);
    if (!head || strncmp(head, "ref: ", 5) != 0)
        return head;
    const char *name = head + 5;
    const char *common = read_text(repository, "commondir", MAX_FILE_BYTES, arena);
    const char *shared = common ? join(repository, common, arena) : repository;
    const char *commit = read_text(repository, name, MAX_FILE_BYTES, arena);
    if (!commit && shared)
        commit = read_text(shared, name, MAX_FILE_BYTES, arena);
    return commit || !shared ? commit : find_packed(shared, name, arena);
}

/* "-dirty", "" or "-unchecked". No lock is taken and no program of the repository's choice
 * started. */
static const char *ask_git(const struct cook_project *project, int timeout_ms,
                           struct cook_arena *arena)
{
    static const char *const set[] = { "GIT_OPTIONAL_LOCKS=0", "LC_ALL=C", NULL };
    static const char *const begin[] = { "git",
                                         "--literal-pathspecs",
                                         "-c",
                                         "core.fsmonitor=false",
                                         "status",
                                         "--porcelain",
                                         "--untracked-files=normal",
                                         "--",
                                         "cook.ini",
                                         "Config" };
    enum { BEGIN_COUNT = sizeof(begin) / sizeof(begin[0]) };
    struct cook_buf out = COOK_BUF_INIT;
    struct cook_child child = COOK_CHILD_INIT;
    int exit_status;
    const char **argv =
        cook_arena_alloc(arena, (BEGIN_COUNT + project->root_count + 1) * sizeof(*argv));
    if (!argv || timeout_ms <= 0)
        return "-unchecked";
    memcpy(argv, begin, sizeof(begin));
    for (size_t i = 0; i < project->root_count; i++)
        argv[BEGIN_COUNT + i] = project->roots[i].folder;
    child.argv = argv;
    child.set = set;
    child.folder = project->path;
    child.out = &out;
    child.max_out_bytes = 1;
    child.timeout_ms = timeout_ms;
    bool answered = cook_child_run(&exit_status, &child, NULL) == COOK_OK && exit_status == 0;
    bool dirty = out.size != 0;
    cook_buf_finish(&out);
    return !answered ? "-unchecked" : dirty ? "-dirty" : "";
}

void cook_revision_content(char revision[COOK_REVISION_SIZE],
                           const struct cook_project *project, int timeout_ms)
{
    struct cook_arena arena = COOK_ARENA_INIT;
    revision[0] = '\0';
    const char *repository = find_repository(project->path, &arena);
    const char *head = repository ? find_head(repository, &arena) : NULL;
    if (is_commit(head))
        (void)snprintf(revision, COOK_REVISION_SIZE, "%s%s", head,
                       ask_git(project, timeout_ms, &arena));
    cook_arena_finish(&arena);
}

void cook_revision_code(char revision[COOK_REVISION_SIZE], const struct cook_pool *pool)
{
    const char *const *names;
    const char *const *build_ids;
    struct cook_hasher hasher;
    char text[COOK_HASH_TEXT_SIZE];
    size_t count = pool ? cook_pool_plugins(pool, &names, &build_ids) : 0;
    revision[0] = '\0';
    if (count == 0)
        return;
    cook_hasher_init(&hasher);
    for (size_t i = 0; i < count; i++) {
        cook_hasher_update_string(&hasher, names[i]);
        cook_hasher_update_string(&hasher, build_ids[i]);
    }
    cook_hash_to_text(cook_hasher_digest(&hasher), text);
    memcpy(revision, text, sizeof(text));
}
