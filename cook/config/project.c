#include "cook/config/project.h"

#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cook/base/alloc.h"
#include "cook/base/fs.h"
#include "cook/base/path.h"

#define DEFAULT_TARGET  "Desktop"
#define ASSET_EXTENSION ".asset"

static enum cook_status out_of_memory(struct cook_error *error)
{
    return cook_error_set(error, COOK_E_NO_MEMORY, "%s", cook_status_text(COOK_E_NO_MEMORY));
}

/* "cook.ini:12: reason", or "--ini: reason" where the value has no line. */
static enum cook_status value_fault(struct cook_error *error,
                                    const struct cook_config_value *value, const char *what,
                                    const char *reason)
{
    if (value->line)
        return cook_error_set(error, COOK_E_CONFIG, "%s:%lu: %s '%s' %s", value->source,
                              (unsigned long)value->line, what, value->text, reason);
    return cook_error_set(error, COOK_E_CONFIG, "%s: %s '%s' %s", value->source, what,
                          value->text, reason);
}

static enum cook_status open_folder(struct cook_project *project, const char *folder,
                                    struct cook_error *error)
{
    project->fd = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (project->fd < 0)
        return cook_error_set_errno(error, "cannot open project folder '%s'", folder);
    char *path = realpath(folder, NULL);
    if (!path)
        return cook_error_set_errno(error, "cannot resolve project folder '%s'", folder);
    project->path = cook_arena_strdup(&project->arena, path);
    free(path); /* realpath's own allocation */
    return project->path ? COOK_OK : out_of_memory(error);
}

/* It names a folder below Config/ and Saved/Cook/. */
static bool is_target_name(const char *name)
{
    if (!*name || *name == '.')
        return false;
    for (; *name; name++) {
        unsigned char c = (unsigned char)*name;
        if (c < 0x20 || c == 0x7f || c == '/' || c == '\\')
            return false;
    }
    return true;
}

static enum cook_status load_config(struct cook_project *project,
                                    const struct cook_project_options *options,
                                    const char *target, struct cook_error *error)
{
    struct cook_config_options layers = { project->fd, target, options->overrides,
                                          options->override_count };
    cook_config_destroy(project->config);
    project->config = NULL;
    enum cook_status status = cook_config_load(&project->config, &layers, error);
    if (status == COOK_E_NOT_FOUND)
        return cook_error_set(error, COOK_E_NOT_FOUND,
                              "no cook.ini in '%s': run 'cook init' there, or name a project "
                              "with -C",
                              project->path);
    return status;
}

/* The target has a config layer of its own, so a default one is looked up in the others first.
 */
static enum cook_status choose_target(struct cook_project *project,
                                      const struct cook_project_options *options,
                                      struct cook_error *error)
{
    const char *target = options->target;
    if (!target) {
        enum cook_status status = load_config(project, options, NULL, error);
        if (status != COOK_OK)
            return status;
        target =
            cook_config_string(project->config, "Project", "DefaultTarget", DEFAULT_TARGET);
    }
    if (!is_target_name(target))
        return cook_error_set(error, COOK_E_CONFIG, "'%s' cannot be the name of a target",
                              target);
    project->target = cook_arena_strdup(&project->arena, target);
    if (!project->target)
        return out_of_memory(error);
    return load_config(project, options, project->target, error);
}

/* "/Game": a slash and one part, of characters that cannot be mistaken for an object's path. */
static bool is_mount(const char *mount)
{
    if (mount[0] != '/' || !mount[1])
        return false;
    for (mount++; *mount; mount++) {
        unsigned char c = (unsigned char)*mount;
        if (c <= 0x20 || c == 0x7f || strchr("/\\.:*?'\"", c))
            return false;
    }
    return true;
}

static enum cook_status check_root_folder(struct cook_project *project,
                                          const struct cook_config_value *value,
                                          const char *folder, struct cook_error *error)
{
    struct cook_file_stat facts;
    enum cook_status status = cook_fs_stat(&facts, project->fd, folder, error);
    if (status != COOK_OK)
        return status;
    if (facts.kind == COOK_FILE_FOLDER)
        return COOK_OK;
    return value_fault(error, value, "content root",
                       facts.kind == COOK_FILE_ABSENT ? "names a folder that is not there"
                                                      : "does not name a folder");
}

/*
 * A path that the project gives, normalised; COOK_E_INVALID when it leaves the project. Joining
 * gives no path also when memory is short, which only another allocation can tell.
 */
static enum cook_status join_path(char **out, struct cook_project *project, const char *text,
                                  struct cook_error *error)
{
    *out = cook_path_join(&project->arena, "", text);
    if (!*out && !cook_arena_alloc(&project->arena, strlen(text) + 2))
        return out_of_memory(error);
    return *out && **out ? COOK_OK : COOK_E_INVALID;
}

/* Parse "/Mount=Folder" into `root`. */
static enum cook_status parse_root(struct cook_content_root *root, struct cook_project *project,
                                   const struct cook_config_value *value,
                                   struct cook_error *error)
{
    const char *equals = strchr(value->text, '=');
    if (!equals)
        return value_fault(error, value, "content root", "is not written /Mount=Folder");
    char *mount =
        cook_arena_strndup(&project->arena, value->text, (size_t)(equals - value->text));
    if (!mount)
        return out_of_memory(error);
    if (!is_mount(mount))
        return value_fault(error, value, "content root", "has no mount of the form /Name");
    if (strcmp(mount, "/Script") == 0)
        return value_fault(error, value, "content root", "takes the mount of class names");
    /* The project folder itself cannot be one: it holds Saved/. */
    char *folder;
    enum cook_status status = join_path(&folder, project, equals + 1, error);
    if (status == COOK_E_INVALID)
        return value_fault(error, value, "content root",
                           "does not name a folder inside the project");
    if (status != COOK_OK)
        return status;
    *root = (struct cook_content_root){ mount, folder };
    return check_root_folder(project, value, folder, error);
}

/* NULL, or why this root cannot stand beside the earlier ones. */
static const char *root_clash(const struct cook_project *project,
                              const struct cook_content_root *root)
{
    for (size_t i = 0; i < project->root_count; i++) {
        const struct cook_content_root *other = &project->roots[i];
        if (strcmp(other->mount, root->mount) == 0)
            return "takes a mount that another one has";
        if (cook_path_has_prefix(root->folder, other->folder) ||
            cook_path_has_prefix(other->folder, root->folder))
            return "lies in another one, or another one in it";
    }
    return NULL;
}

static int compare_roots(const void *a, const void *b)
{
    const struct cook_content_root *left = a;
    const struct cook_content_root *right = b;
    return strcmp(left->mount, right->mount);
}

static enum cook_status find_roots(struct cook_project *project, struct cook_error *error)
{
    const struct cook_config_value *values;
    size_t count = cook_config_values(project->config, "Project", "ContentRoot", &values);
    if (count == 0)
        return cook_error_set(error, COOK_E_CONFIG,
                              "cook.ini: [Project] has no content root: add "
                              "+ContentRoot=/Game=Content");
    project->roots = cook_arena_alloc(&project->arena, count * sizeof(*project->roots));
    if (!project->roots)
        return out_of_memory(error);
    for (size_t i = 0; i < count; i++) {
        struct cook_content_root root = { "", "" };
        enum cook_status status = parse_root(&root, project, &values[i], error);
        if (status != COOK_OK)
            return status;
        const char *clash = root_clash(project, &root);
        if (clash)
            return value_fault(error, &values[i], "content root", clash);
        project->roots[project->root_count++] = root;
    }
    qsort(project->roots, project->root_count, sizeof(*project->roots), compare_roots);
    return COOK_OK;
}

static enum cook_status is_file(bool *out, const struct cook_project *project, const char *path,
                                struct cook_error *error)
{
    struct cook_file_stat facts;
    enum cook_status status = cook_fs_stat(&facts, project->fd, path, error);
    *out = status == COOK_OK && facts.kind == COOK_FILE_REGULAR;
    return status;
}

/* The path of an entry, normalised; absolute ones name plugins of the machine and stay. */
static enum cook_status plugin_path(char **out, struct cook_project *project, const char *text,
                                    struct cook_error *error)
{
    if (text[0] != '/')
        return join_path(out, project, text, error);
    size_t length = strlen(text);
    while (length > 1 && text[length - 1] == '/')
        length--;
    *out = cook_arena_strndup(&project->arena, text, length);
    return *out ? COOK_OK : out_of_memory(error);
}

static enum cook_status find_plugin(struct cook_project *project,
                                    const struct cook_config_value *value,
                                    struct cook_error *error)
{
    char *path;
    enum cook_status status = plugin_path(&path, project, value->text, error);
    if (status == COOK_E_INVALID)
        return value_fault(error, value, "plugin", "does not name a path inside the project");
    if (status != COOK_OK)
        return status;
    const char *name = cook_path_name(path);
    char *candidates[2] = { path, NULL };
    if (strcmp(cook_path_extension(path), ".so") != 0) {
        candidates[0] = cook_arena_printf(&project->arena, "%s/build/%s.so", path, name);
        candidates[1] = cook_arena_printf(&project->arena, "%s/%s.so", path, name);
        if (!candidates[0] || !candidates[1])
            return out_of_memory(error);
    }
    for (size_t i = 0; i < 2 && candidates[i]; i++) {
        bool found;
        status = is_file(&found, project, candidates[i], error);
        if (status != COOK_OK)
            return status;
        if (found) {
            project->plugins[project->plugin_count++] = candidates[i];
            return COOK_OK;
        }
    }
    return value_fault(error, value, "plugin", "is not built: its shared object is not there");
}

static enum cook_status find_plugins(struct cook_project *project, struct cook_error *error)
{
    const struct cook_config_value *values;
    size_t count = cook_config_values(project->config, "Project", "Plugin", &values);
    project->plugins =
        cook_arena_alloc(&project->arena, (count + 1) * sizeof(*project->plugins));
    if (!project->plugins)
        return out_of_memory(error);
    enum cook_status status = COOK_OK;
    for (size_t i = 0; i < count && status == COOK_OK; i++)
        status = find_plugin(project, &values[i], error);
    return status;
}

enum cook_status cook_project_open(struct cook_project *project,
                                   const struct cook_project_options *options,
                                   struct cook_error *error)
{
    memset(project, 0, sizeof(*project));
    project->fd = -1;
    enum cook_status status =
        open_folder(project, options->folder ? options->folder : ".", error);
    if (status == COOK_OK)
        status = choose_target(project, options, error);
    if (status != COOK_OK)
        return status;
    project->name = cook_config_string(project->config, "Project", "Name", "Unnamed");
    status = find_roots(project, error);
    return status == COOK_OK ? find_plugins(project, error) : status;
}

void cook_project_finish(struct cook_project *project)
{
    if (project->fd >= 0)
        close(project->fd);
    cook_config_destroy(project->config);
    cook_arena_finish(&project->arena);
    memset(project, 0, sizeof(*project));
    project->fd = -1;
}

/* Extensions compare without case, by ASCII rules whatever the locale. */
static bool is_asset_extension(const char *extension)
{
    const char *lower = ASSET_EXTENSION;
    for (; *extension && *lower; extension++, lower++) {
        bool is_upper = *extension >= 'A' && *extension <= 'Z';
        if ((is_upper ? *extension - 'A' + 'a' : *extension) != *lower)
            return false;
    }
    return *extension == *lower;
}

char *cook_project_package_name(const struct cook_project *project, const char *path,
                                struct cook_arena *arena)
{
    const char *extension = cook_path_extension(path);
    size_t length = strlen(path);
    if (is_asset_extension(extension))
        length -= strlen(extension);
    for (size_t i = 0; i < project->root_count; i++) {
        const struct cook_content_root *root = &project->roots[i];
        size_t skip = strlen(root->folder);
        if (cook_path_has_prefix(path, root->folder) && length > skip + 1)
            return cook_arena_printf(arena, "%s%.*s", root->mount, (int)(length - skip),
                                     path + skip);
    }
    return NULL;
}

char *cook_project_package_folder(const struct cook_project *project, const char *package,
                                  struct cook_arena *arena)
{
    const char *slash = strrchr(package, '/');
    for (size_t i = 0; slash && i < project->root_count; i++) {
        const struct cook_content_root *root = &project->roots[i];
        size_t skip = strlen(root->mount);
        if (slash != package && cook_path_has_prefix(package, root->mount))
            return cook_arena_printf(arena, "%s%.*s", root->folder,
                                     (int)(slash - package - (ptrdiff_t)skip), package + skip);
    }
    return NULL;
}
