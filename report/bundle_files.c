/* The files of a project that a package is cooked from, as far as they are known: what its
 * dependencies name, and, for reads that nothing declares, the small files beside the content.
 */
#include <string.h>

#include "cook/base/fs.h"
#include "cook/base/path.h"
#include "cook/bundle/bundle.h"
#include "cook/deps/dep.h"
#include "cook/deps/value.h"
#include "report/report.h"

#define MAX_SMALL_BYTES (UINT64_C(64) << 10) /* of a file that is taken along on suspicion */
#define MAX_SMALL_FILES 2000
#define MAX_DEPTH       16

/* ---- files ---- */

static enum cook_status add_file(struct report_bundling *bundling, const char *path,
                                 struct cook_error *error)
{
    char name[512];
    struct cook_buf bytes = COOK_BUF_INIT;
    uint64_t left = bundling->max_bytes > bundling->bundle->total_bytes
                        ? bundling->max_bytes - bundling->bundle->total_bytes
                        : 0;
    int length = snprintf(name, sizeof(name), "project/%s", path);
    if (length < 0 || (size_t)length >= sizeof(name) || !cook_path_is_plain(path) ||
        !cook_path_is_plain(name)) {
        report_leave_out(bundling, "%s: its path cannot stand in a bundle", path);
        return COOK_OK;
    }
    if (cook_bundle_find(bundling->bundle, name))
        return COOK_OK;
    struct cook_file_stat stat;
    enum cook_status status = cook_fs_stat(&stat, bundling->report->project.fd, path, error);
    if (status != COOK_OK || stat.kind != COOK_FILE_REGULAR)
        return status; /* absence can be reproduced too */
    if (stat.size_bytes > left) {
        report_leave_out(bundling, "%s: %llu bytes, too large", path,
                         (unsigned long long)stat.size_bytes);
        return COOK_OK;
    }
    status = cook_fs_read(&bytes, NULL, bundling->report->project.fd, path, left, error);
    if (status == COOK_OK)
        status = cook_bundle_add(bundling->bundle, name, bytes.data, bytes.size, error);
    else if (status == COOK_E_NOT_FOUND || status == COOK_E_LIMIT)
        status = COOK_OK; /* changed while we looked */
    cook_buf_finish(&bytes);
    return status;
}

static enum cook_status add_folder(struct report_bundling *bundling, const char *path,
                                   struct cook_error *error)
{
    struct cook_arena arena = COOK_ARENA_INIT;
    struct cook_folder_entry *entries;
    size_t count = 0;
    enum cook_status status =
        cook_fs_list(&entries, &count, &arena, bundling->report->project.fd, path, NULL);
    if (status != COOK_OK)
        count = 0; /* absence can be reproduced too */
    status = COOK_OK;
    for (size_t i = 0; status == COOK_OK && i < count; i++) {
        const char *name = cook_arena_printf(&arena, "%s/%s", path, entries[i].name);
        if (!name)
            status = cook_error_no_memory(error);
        else if (entries[i].kind == COOK_FILE_REGULAR)
            status = add_file(bundling, name, error);
    }
    cook_arena_finish(&arena);
    return status;
}

/* ---- what dependencies name ---- */

static enum cook_status add_package(struct report_bundling *bundling, const char *name,
                                    struct cook_error *error)
{
    struct cook_arena arena = COOK_ARENA_INIT;
    struct cook_state *state = bundling->state;
    char *plain = cook_arena_strdup(&arena, name);
    enum cook_status status = COOK_OK;
    uint32_t package = plain ? cook_state_find_package(state, plain) : COOK_ID_NONE;
    if (plain &&
        package == COOK_ID_NONE) { /* an object path: "/Game/A.Object", "/Game/B.png.B" */
        char *dot = strrchr(plain, '.');
        if (dot && dot > strrchr(plain, '/'))
            *dot = '\0';
        package = cook_state_find_package(state, plain);
    }
    if (package != COOK_ID_NONE) {
        const uint32_t files[] = { state->packages[package].file,
                                   state->packages[package].side_file };
        for (size_t i = 0; status == COOK_OK && i < 2; i++) {
            char *path =
                files[i] == COOK_ID_NONE ? NULL : cook_state_file_path(state, files[i], &arena);
            if (path)
                status = add_file(bundling, path, error);
        }
    }
    cook_arena_finish(&arena);
    return status;
}

static enum cook_status add_input(struct report_bundling *bundling, const char *kind,
                                  const char *key, struct cook_error *error)
{
    static const char *const packages[] = { "source", "ref", "package", "redirect", "kept" };
    for (size_t i = 0; i < sizeof(packages) / sizeof(packages[0]); i++)
        if (strcmp(kind, packages[i]) == 0)
            return add_package(bundling, key, error);
    if (strcmp(kind, "file") == 0)
        return add_file(bundling, key, error);
    if (strcmp(kind, "directory") == 0 && cook_path_is_plain(key))
        return add_folder(bundling, key, error);
    if (strcmp(kind, "query") == 0)
        report_leave_out(bundling, "packages that only the query %s reaches", key);
    return COOK_OK;
}

static void add_value_text(cJSON *item, const char *key, const char *text, struct cook_arena *arena)
{
    const char *alone = cook_value_alone(text, arena);
    cJSON_AddStringToObject(item, key, alone ? alone : "");
}

static void describe(cJSON *list, const struct report_bundling *bundling, uint32_t dep)
{
    const struct cook_state *state = bundling->state;
    struct cook_arena arena = COOK_ARENA_INIT;
    char hash[COOK_HASH_TEXT_SIZE];
    struct cook_hash then;
    char *text;
    cJSON *item = cJSON_CreateObject();
    cJSON_AddStringToObject(item, "kind", cook_dep_kind_text(state->deps[dep].kind));
    cJSON_AddStringToObject(item, "key", cook_state_text(state, state->deps[dep].args));
    cook_hash_to_text(state->deps[dep].value, hash);
    cJSON_AddStringToObject(item, "now", hash);
    add_value_text(item, "now_text", cook_state_text(state, state->deps[dep].text), &arena);
    if (bundling->kept_cook &&
        cook_store_dep_value_at(bundling->store, &then, &text, dep, bundling->kept_cook, &arena,
                                NULL) == COOK_OK) {
        cook_hash_to_text(then, hash);
        cJSON_AddStringToObject(item, "then", hash);
        add_value_text(item, "then_text", text, &arena);
    }
    cJSON_AddItemToArray(list, item);
    cook_arena_finish(&arena);
}

static enum cook_status add_dependencies(struct report_bundling *bundling, cJSON *list,
                                         struct cook_error *error)
{
    const struct cook_state *state = bundling->state;
    uint32_t bundle = bundling->package == COOK_ID_NONE
                          ? COOK_ID_NONE
                          : state->packages[bundling->package].bundle;
    enum cook_status status = COOK_OK;
    if (bundle == COOK_ID_NONE || bundle >= state->bundles_count)
        return COOK_OK;
    const struct cook_state_bundle *sets = &state->bundles[bundle];
    for (uint32_t i = 0; i < sets->count; i++) {
        const struct cook_state_set *set = &state->sets[state->ids[sets->first + i]];
        for (uint32_t k = 0; status == COOK_OK && k < set->count; k++) {
            uint32_t dep = state->ids[set->first + k];
            describe(list, bundling, dep);
            status = add_input(bundling, cook_dep_kind_text(state->deps[dep].kind),
                               cook_state_text(state, state->deps[dep].args), error);
        }
    }
    return status;
}

static enum cook_status add_causes(struct report_bundling *bundling, struct cook_error *error)
{
    const cJSON *cause, *input;
    enum cook_status status = COOK_OK;
    cJSON_ArrayForEach(cause, cJSON_GetObjectItemCaseSensitive(bundling->finding, "causes"))
        cJSON_ArrayForEach(input, cJSON_GetObjectItemCaseSensitive(
                                      cause, "inputs")) if (status == COOK_OK) status =
            add_input(bundling, report_text(input, "kind"), report_text(input, "key"), error);
    return status;
}

/* ---- small files beside the content ---- */

static bool is_left_alone(const struct report_bundling *bundling, const char *path)
{
    const struct cook_project *project = &bundling->report->project;
    const char *name = cook_path_name(path);
    if (*name == '.' || strcmp(path, "Saved") == 0 || strcmp(name, "build") == 0)
        return true;
    for (size_t i = 0; i < project->root_count; i++)
        if (strcmp(project->roots[i].folder, path) == 0)
            return true;
    return false;
}

static enum cook_status add_small(struct report_bundling *bundling, const char *folder,
                                  unsigned depth, size_t *count, struct cook_error *error)
{
    struct cook_arena arena = COOK_ARENA_INIT;
    struct cook_folder_entry *entries;
    size_t entry_count = 0;
    enum cook_status status =
        cook_fs_list(&entries, &entry_count, &arena, bundling->report->project.fd,
                     *folder ? folder : ".", error);
    for (size_t i = 0; status == COOK_OK && i < entry_count; i++) {
        struct cook_file_stat stat;
        const char *path =
            cook_arena_printf(&arena, "%s%s%s", folder, *folder ? "/" : "", entries[i].name);
        if (!path) {
            status = cook_error_no_memory(error);
        } else if (entries[i].kind == COOK_FILE_FOLDER) {
            if (!is_left_alone(bundling, path) && depth < MAX_DEPTH)
                status = add_small(bundling, path, depth + 1, count, error);
        } else if (entries[i].kind == COOK_FILE_REGULAR && *entries[i].name != '.' &&
                   strcmp(cook_path_extension(path), ".so") != 0 && /* builds are there by id */
                   cook_fs_stat(&stat, bundling->report->project.fd, path, NULL) == COOK_OK &&
                   stat.size_bytes <= MAX_SMALL_BYTES) {
            if ((*count)++ < MAX_SMALL_FILES)
                status = add_file(bundling, path, error);
        }
    }
    cook_arena_finish(&arena);
    return status;
}

enum cook_status report_bundle_files(struct report_bundling *bundling, struct cook_error *error)
{
    cJSON *inputs = cJSON_CreateArray();
    size_t small = 0;
    enum cook_status status = add_file(bundling, "cook.ini", error);
    if (status == COOK_OK)
        status = add_package(bundling, report_text(bundling->finding, "package"), error);
    if (status == COOK_OK)
        status = add_dependencies(bundling, inputs, error);
    if (status == COOK_OK)
        status = add_causes(bundling, error);
    if (status == COOK_OK)
        status = add_small(bundling, "", 0, &small, error);
    if (small > MAX_SMALL_FILES)
        report_leave_out(bundling, "%zu small files beside the content",
                         small - MAX_SMALL_FILES);
    char *text = cJSON_Print(inputs);
    if (status == COOK_OK)
        status =
            text ? cook_bundle_add(bundling->bundle, "inputs.json", text, strlen(text), error)
                 : cook_error_no_memory(error);
    cJSON_free(text);
    cJSON_Delete(inputs);
    return status;
}
