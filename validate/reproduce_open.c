#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cook/base/child.h"
#include "cook/base/fs.h"
#include "cook/base/path.h"
#include "validate/reproduce.h"

#define MAX_PACKED_BYTES COOK_BUNDLE_MAX_BYTES

static const char *text_of(const cJSON *object, const char *key)
{
    const cJSON *item = cJSON_GetObjectItemCaseSensitive(object, key);
    return cJSON_IsString(item) ? item->valuestring : "";
}

/* ---- the folder ---- */

static enum cook_status make_work_folder(struct reproduce *reproduce, struct cook_error *error)
{
    const char *base = getenv("TMPDIR");
    char *path = reproduce->folder
                     ? cook_arena_strdup(&reproduce->arena, reproduce->folder)
                     : cook_arena_printf(&reproduce->arena, "%s/cook-reproduce-XXXXXX",
                                         base && *base == '/' ? base : "/tmp");
    struct cook_folder_entry *entries;
    size_t count = 0;
    if (!path)
        return cook_error_no_memory(error);
    if (reproduce->folder) {
        if (mkdir(path, 0777) != 0 && (cook_fs_list(&entries, &count, &reproduce->arena,
                                                    AT_FDCWD, path, NULL) != COOK_OK ||
                                       count))
            return cook_error_set(error, COOK_E_USAGE,
                                  "--folder takes an empty folder, or one to make");
    } else if (!mkdtemp(path)) {
        return cook_error_set_errno(error, "cannot make a folder to work in");
    } else {
        reproduce->own_work = true;
    }
    char *whole = realpath(path, NULL);
    reproduce->work = whole ? cook_arena_strdup(&reproduce->arena, whole) : NULL;
    free(whole);
    reproduce->work_fd = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    return reproduce->work && reproduce->work_fd >= 0
               ? COOK_OK
               : cook_error_set_errno(error, "cannot open '%s'", path);
}

/* ---- the bundle ---- */

/* A finding of the project at hand: another verb bundles it. */
static enum cook_status bundle_finding(struct reproduce *reproduce, const char *id,
                                       const char *output, struct cook_error *error)
{
    const char *folder = reproduce->cli.folder ? reproduce->cli.folder : ".";
    const char *argv[] = { "cook-report", "bundle", id,   "--output", output, "-q",
                           "-C",          folder,   NULL, NULL,       NULL };
    struct cook_child child = COOK_CHILD_INIT;
    int exit_status;
    if (reproduce->cli.target) {
        argv[8] = "--target";
        argv[9] = reproduce->cli.target;
    }
    child.program = cook_child_verb_path("report", &reproduce->arena);
    child.argv = argv;
    child.err_fd = STDERR_FILENO;
    enum cook_status status = child.program ? cook_child_run(&exit_status, &child, error)
                                            : cook_error_no_memory(error);
    if (status == COOK_OK && exit_status != 0)
        return cook_error_set(error,
                              exit_status == COOK_EXIT_ENVIRONMENT ? COOK_E_IO : COOK_E_USAGE,
                              "finding %s could not be bundled", id);
    return status;
}

static enum cook_status read_bundle(struct reproduce *reproduce, const char *operand,
                                    struct cook_error *error)
{
    struct cook_buf packed = COOK_BUF_INIT;
    struct cook_file_stat stat;
    const char *path = operand;
    enum cook_status status = cook_fs_stat(&stat, AT_FDCWD, operand, error);
    if (status == COOK_OK && stat.kind == COOK_FILE_ABSENT && !strchr(operand, '/')) {
        path = cook_arena_printf(&reproduce->arena, "%s/bundle.tar.zst", reproduce->work);
        status = path ? bundle_finding(reproduce, operand, path, error)
                      : cook_error_no_memory(error);
    }
    if (status == COOK_OK)
        status = cook_fs_read(&packed, NULL, AT_FDCWD, path, MAX_PACKED_BYTES, error);
    if (status == COOK_OK) {
        status = cook_bundle_unpack(&reproduce->bundle, &reproduce->head, packed.data,
                                    packed.size, error);
        if (status != COOK_OK)
            cook_error_prefix(error, "%s", path);
    }
    cook_buf_finish(&packed);
    bool mistaken =
        status == COOK_E_NOT_FOUND || status == COOK_E_MALFORMED || status == COOK_E_LIMIT;
    return mistaken ? COOK_E_USAGE : status;
}

/* ---- what it says ---- */

static enum cook_status decode_facts(struct cook_run_facts *facts, const cJSON *json,
                                     struct cook_arena *arena, struct cook_error *error)
{
    char *text = cJSON_IsObject(json) ? cJSON_PrintUnformatted(json) : NULL;
    enum cook_status status = cook_run_facts_decode(facts, text ? text : "{}", arena, error);
    cJSON_free(text);
    return status;
}

static cJSON *parse_entry(const struct reproduce *reproduce, const char *path)
{
    const struct cook_buf *bytes = cook_bundle_find(&reproduce->bundle, path);
    return bytes ? cJSON_ParseWithLength((const char *)bytes->data, bytes->size) : NULL;
}

static enum cook_status read_contents(struct reproduce *reproduce, struct cook_error *error)
{
    struct cook_arena *arena = &reproduce->arena;
    reproduce->finding = parse_entry(reproduce, "finding.json");
    reproduce->id = cook_arena_strdup(arena, text_of(reproduce->head, "finding"));
    reproduce->package = cook_arena_strdup(arena, text_of(reproduce->head, "package"));
    reproduce->target = cook_arena_strdup(arena, text_of(reproduce->head, "target"));
    if (!reproduce->id || !reproduce->package || !reproduce->target)
        return cook_error_no_memory(error);
    if (!cJSON_IsObject(reproduce->finding) || !*reproduce->package)
        return cook_error_set(error, COOK_E_MALFORMED, "the bundle holds no finding");
    cJSON *facts = parse_entry(reproduce, "facts.json");
    enum cook_status status = decode_facts(
        &reproduce->then, cJSON_GetObjectItemCaseSensitive(facts, "kept"), arena, error);
    if (status == COOK_OK)
        status = decode_facts(&reproduce->now, cJSON_GetObjectItemCaseSensitive(facts, "now"),
                              arena, error);
    cJSON_Delete(facts);
    return status;
}

/* ---- its project ---- */

/* Folders of content that no file of the bundle lies in are there too. */
static enum cook_status make_roots(struct reproduce *reproduce, struct cook_error *error)
{
    const cJSON *root;
    enum cook_status status = COOK_OK;
    cJSON_ArrayForEach(root, cJSON_GetObjectItemCaseSensitive(reproduce->head, "roots"))
    {
        const char *folder = cJSON_IsString(root) ? root->valuestring : "";
        const char *path = cook_path_is_plain(folder)
                               ? cook_arena_printf(&reproduce->arena, "project/%s", folder)
                               : NULL;
        if (path && status == COOK_OK)
            status = cook_fs_make_folders(reproduce->work_fd, path, error);
    }
    return status;
}

/* Config that names the bundle's plugins instead of those that the project would look for, and
 * makes the package the only root. */
static enum cook_status make_overrides(struct reproduce *reproduce, struct cook_error *error)
{
    const struct cook_fact_list *plugins = &reproduce->now.plugins;
    size_t given = reproduce->cli.run.project.override_count;
    const char **list = cook_arena_alloc(
        &reproduce->arena,
        (given + reproduce->now.override_count + plugins->count + 1) * sizeof(*list));
    size_t count = 0;
    if (!list)
        return cook_error_no_memory(error);
    for (size_t i = 0; i < plugins->count; i++) {
        const char *entry =
            cook_arena_printf(&reproduce->arena, "plugins/%s.so", plugins->items[i].value);
        if (entry && !cook_bundle_find(&reproduce->bundle, entry))
            reproduce->lacking = cook_arena_printf(
                &reproduce->arena, "the bundle lacks build %s of the plugin %s",
                plugins->items[i].value, plugins->items[i].name);
        list[count++] = cook_arena_printf(&reproduce->arena, "Project.%sPlugin=%s/%s",
                                          i ? "+" : "", reproduce->work, entry);
    }
    for (size_t i = 0; i < reproduce->now.override_count; i++)
        list[count++] = reproduce->now.overrides[i];
    for (size_t i = 0; i < given; i++)
        list[count++] = reproduce->cli.run.project.overrides[i];
    for (size_t i = 0; i < count; i++)
        if (!list[i])
            return cook_error_no_memory(error);
    reproduce->overrides = list;
    reproduce->override_count = count;
    return COOK_OK;
}

/* Variables that the bundle names have the value that they had when it was found. */
static void set_environment(const struct reproduce *reproduce)
{
    const struct cook_fact_list *then = &reproduce->then.environment;
    const struct cook_fact_list *now = &reproduce->now.environment;
    for (size_t i = 0; i < then->count; i++)
        (void)unsetenv(then->items[i].name);
    for (size_t i = 0; i < now->count; i++)
        (void)setenv(now->items[i].name, now->items[i].value, 1);
}

enum cook_status reproduce_open(struct reproduce *reproduce, const char *operand,
                                struct cook_error *error)
{
    enum cook_status status = make_work_folder(reproduce, error);
    if (status == COOK_OK)
        status = read_bundle(reproduce, operand, error);
    if (status == COOK_OK)
        status = read_contents(reproduce, error);
    if (status == COOK_OK)
        status = cook_fs_make_folders(reproduce->work_fd, "project", error);
    if (status == COOK_OK)
        status = cook_bundle_extract(&reproduce->bundle, "", reproduce->work_fd, error);
    if (status == COOK_OK)
        status = make_roots(reproduce, error);
    if (status == COOK_OK)
        status = make_overrides(reproduce, error);
    if (status == COOK_OK)
        set_environment(reproduce);
    return status;
}

void reproduce_close(struct reproduce *reproduce)
{
    cook_run_close(&reproduce->run);
    cook_bundle_finish(&reproduce->bundle);
    cJSON_Delete(reproduce->head);
    cJSON_Delete(reproduce->finding);
    if (reproduce->work_fd >= 0)
        close(reproduce->work_fd);
    if (reproduce->own_work) /* what is left of it is no reason to fail */
        (void)!cook_fs_remove_tree(AT_FDCWD, reproduce->work, NULL);
    cook_arena_finish(&reproduce->arena);
}
