/*
 * From files to packages: which package a file is the main file of, which of two files that
 * claim one name has it, and which packages must be scanned.
 */
#include "cook/registry/refresh.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* A file that could be the main file of a package; texts in scratch. */
struct claim {
    const char *package;
    const char *file_name;
    uint32_t file;
};

static bool is_main_file(const struct cook_refresh *refresh, uint32_t id)
{
    const struct cook_state *state = refresh->state;
    const struct cook_state_file *row = &state->files[id];
    const char *name = cook_state_text(state, row->name);
    uint32_t listed = COOK_FOLDER_PRESENT | COOK_FOLDER_CONTENT;
    return (row->flags & COOK_FILE_PRESENT) &&
           (state->folders[row->folder].flags & listed) == listed &&
           !cook_refresh_is_hidden(name) && cook_refresh_is_valid_name(name) &&
           cook_refresh_reader(refresh->options, name);
}

static int compare_claims(const void *a, const void *b)
{
    const struct claim *left = a;
    const struct claim *right = b;
    int order = strcmp(left->package, right->package);
    return order ? order : strcmp(left->file_name, right->file_name);
}

static enum cook_status collect_claims(struct claim *claims, size_t *count,
                                       struct cook_refresh *refresh,
                                       struct cook_file_range range)
{
    struct cook_state *state = refresh->state;
    *count = 0;
    for (uint32_t i = range.first; i < range.end; i++) {
        uint32_t id = state->file_order[i];
        if (!is_main_file(refresh, id))
            continue;
        char *path = cook_state_file_path(state, id, &refresh->scratch);
        if (!path)
            return cook_refresh_no_memory(refresh);
        const char *slash = strrchr(path, '/');
        struct claim claim = { NULL, slash ? slash + 1 : path, id };
        claim.package = cook_project_package_name(refresh->project, path, &refresh->scratch);
        if (!claim.package)
            return cook_refresh_no_memory(refresh);
        claims[(*count)++] = claim;
    }
    if (*count > 1)
        qsort(claims, *count, sizeof(*claims), compare_claims);
    return COOK_OK;
}

/* The row of FILE.cook among the files of its folder, or COOK_ID_NONE. */
static uint32_t find_side_file(const struct cook_state *state, struct cook_file_range range,
                               const char *file_name)
{
    size_t stem = strlen(file_name);
    uint32_t low = range.first;
    uint32_t high = range.end;
    while (low < high) {
        uint32_t middle = low + (high - low) / 2;
        uint32_t id = state->file_order[middle];
        const char *name = cook_state_text(state, state->files[id].name);
        int order = strncmp(name, file_name, stem);
        if (order == 0)
            order = strcmp(name + stem, COOK_SIDE_EXTENSION);
        if (order == 0)
            return id;
        if (order < 0)
            low = middle + 1;
        else
            high = middle;
    }
    return COOK_ID_NONE;
}

static enum cook_status set_file_package(struct cook_refresh *refresh, uint32_t file,
                                         uint32_t package)
{
    struct cook_state_file row = refresh->state->files[file];
    row.package = package;
    return cook_refresh_put_file(refresh, file, &row);
}

/* The package's main file is no more, or another package's. */
static enum cook_status lose_file(struct cook_refresh *refresh, uint32_t package, bool keep)
{
    struct cook_state_package row = refresh->state->packages[package];
    row.flags &=
        ~(uint32_t)(COOK_PACKAGE_PRESENT | COOK_PACKAGE_DUPLICATE | COOK_PACKAGE_SCAN_PENDING);
    if (!keep)
        row.file = row.side_file = COOK_ID_NONE;
    return cook_refresh_put_package(refresh, package, &row);
}

/* Make `file` the main file of `package`, and of no other. */
static enum cook_status move_file(struct cook_refresh *refresh, uint32_t file, uint32_t package)
{
    const struct cook_state *state = refresh->state;
    uint32_t other = state->packages[package].file;
    enum cook_status status = COOK_OK;
    if (other != COOK_ID_NONE && other != file && state->files[other].package == package)
        status = set_file_package(refresh, other, COOK_ID_NONE);
    uint32_t before = state->files[file].package;
    if (status == COOK_OK && before != COOK_ID_NONE && before != package &&
        state->packages[before].file == file)
        status = lose_file(refresh, before, false);
    return status == COOK_OK ? set_file_package(refresh, file, package) : status;
}

/* Facts that only say what is wrong with the package's files; stored where they are news. */
static enum cook_status set_fault(struct cook_refresh *refresh, uint32_t package,
                                  const char *fault)
{
    struct cook_state *state = refresh->state;
    struct cook_buf facts = COOK_BUF_INIT;
    cook_facts_encode(&(struct cook_facts){ .fault = fault }, &facts);
    const char *path = cook_state_text(state, state->files[state->packages[package].file].name);
    char *reader = cook_registry_reader_text(refresh->options, path, &refresh->scratch);
    if (!fault || !reader || facts.failed) {
        cook_buf_finish(&facts);
        return cook_refresh_no_memory(refresh);
    }
    size_t size;
    const uint8_t *old = cook_state_blob(state, state->results[package].facts, &size);
    struct cook_hash source = cook_registry_source_hash(state, package);
    enum cook_status status = COOK_OK;
    bool same = old && size == facts.size && memcmp(old, facts.data, size) == 0 &&
                cook_hash_equal(state->results[package].facts_source, source) &&
                !(state->packages[package].flags & COOK_PACKAGE_SCAN_PENDING);
    if (!same) {
        refresh->changes->stat_changed = true;
        status = cook_registry_set_facts(state, package, reader, source, facts.data, facts.size,
                                         refresh->error);
    }
    cook_buf_finish(&facts);
    return status;
}

/* "a.asset: also claimed by b, c" */
static enum cook_status set_duplicate_fault(struct cook_refresh *refresh, uint32_t package,
                                            const struct claim *claims, size_t count)
{
    struct cook_buf text = COOK_BUF_INIT;
    for (size_t i = 0; i < count; i++) {
        char *path = cook_state_file_path(refresh->state, claims[i].file, &refresh->scratch);
        if (!path)
            text.failed = true;
        else if (i == 0)
            cook_buf_printf(&text, "%s: also claimed by", path);
        else
            cook_buf_printf(&text, "%s %s", i > 1 ? "," : "", path);
    }
    const char *fault = cook_buf_text(&text);
    enum cook_status status =
        text.failed ? cook_refresh_no_memory(refresh) : set_fault(refresh, package, fault);
    cook_buf_finish(&text);
    return status;
}

/* The fault named files that no longer quarrel: what is in the package is to be seen again. */
static enum cook_status forget_facts(struct cook_refresh *refresh, uint32_t package)
{
    struct cook_state_result row = refresh->state->results[package];
    row.facts = 0;
    return cook_refresh_put_result(refresh, package, &row);
}

/* Give the package to the first of its `count` claims. */
static enum cook_status grant(struct cook_refresh *refresh, struct cook_file_range range,
                              const struct claim *claims, size_t count)
{
    struct cook_state *state = refresh->state;
    uint32_t id = cook_state_find_package(state, claims->package);
    if (id == COOK_ID_NONE)
        id = cook_state_add_package(state, claims->package);
    if (id == COOK_ID_NONE)
        return cook_refresh_no_memory(refresh);
    enum cook_status status = move_file(refresh, claims->file, id);
    for (size_t i = 1; i < count && status == COOK_OK; i++) {
        uint32_t before = state->files[claims[i].file].package;
        if (before != COOK_ID_NONE && before != id &&
            state->packages[before].file == claims[i].file)
            status = lose_file(refresh, before, false);
        if (status == COOK_OK)
            status = set_file_package(refresh, claims[i].file, COOK_ID_NONE);
    }
    if (status != COOK_OK)
        return status;
    struct cook_state_package row = state->packages[id];
    bool was_duplicate = row.flags & COOK_PACKAGE_DUPLICATE;
    row.file = claims->file;
    row.side_file = find_side_file(state, range, claims->file_name);
    row.flags |= COOK_PACKAGE_PRESENT;
    row.flags &= ~(uint32_t)COOK_PACKAGE_DUPLICATE;
    if (count > 1)
        row.flags |= COOK_PACKAGE_DUPLICATE;
    status = cook_refresh_put_package(refresh, id, &row);
    if (status == COOK_OK && count > 1)
        status = set_duplicate_fault(refresh, id, claims, count);
    else if (status == COOK_OK && was_duplicate)
        status = forget_facts(refresh, id);
    return status == COOK_OK ? cook_refresh_queue(refresh, &refresh->packages, id) : status;
}

static enum cook_status grant_all(struct cook_refresh *refresh, struct cook_file_range range,
                                  struct claim *claims)
{
    size_t count;
    enum cook_status status = collect_claims(claims, &count, refresh, range);
    for (size_t i = 0, end; i < count && status == COOK_OK; i = end) {
        for (end = i + 1; end < count; end++) {
            if (strcmp(claims[i].package, claims[end].package) != 0)
                break;
        }
        status = grant(refresh, range, claims + i, end - i);
    }
    return status;
}

/* Packages whose main file went, or has no reader any more, and that no other file took over.
 */
static enum cook_status drop_vanished(struct cook_refresh *refresh,
                                      struct cook_file_range range)
{
    const struct cook_state *state = refresh->state;
    enum cook_status status = COOK_OK;
    for (uint32_t i = range.first; i < range.end && status == COOK_OK; i++) {
        uint32_t id = state->file_order[i];
        uint32_t package = state->files[id].package;
        if (package == COOK_ID_NONE || is_main_file(refresh, id))
            continue;
        if (state->packages[package].file == id)
            status = lose_file(refresh, package, true);
    }
    return status;
}

enum cook_status cook_refresh_map(struct cook_refresh *refresh)
{
    enum cook_status status = COOK_OK;
    for (size_t i = 0; i < refresh->mapped.count && status == COOK_OK; i++) {
        struct cook_file_range range =
            cook_refresh_files(refresh->state, refresh->mapped.ids[i]);
        struct claim *claims = cook_calloc(range.end - range.first, sizeof(*claims));
        status = claims ? grant_all(refresh, range, claims) : cook_refresh_no_memory(refresh);
        if (status == COOK_OK)
            status = drop_vanished(refresh, range);
        cook_free(claims);
        cook_arena_finish(&refresh->scratch);
    }
    return status;
}

/* ---- stale facts ---- */

static bool is_unreadable(const struct cook_state *state, uint32_t file)
{
    return file != COOK_ID_NONE && (state->files[file].flags & COOK_FILE_UNREADABLE);
}

/* "path: cannot read: reason", the reason being asked for once more. */
static enum cook_status set_unreadable_fault(struct cook_refresh *refresh, uint32_t package,
                                             uint32_t file)
{
    struct cook_file_reading reading;
    struct cook_error why = COOK_ERROR_INIT;
    char *path = cook_state_file_path(refresh->state, file, &refresh->scratch);
    uint8_t *buffer = cook_malloc(COOK_READING_BUFFER_BYTES);
    if (!path || !buffer) {
        cook_free(buffer);
        return cook_refresh_no_memory(refresh);
    }
    cook_file_read_content(&reading, refresh->project->fd, path, buffer);
    cook_free(buffer);
    errno = reading.error_number ? reading.error_number : EAGAIN;
    (void)cook_error_set_errno(&why, "%s: cannot read", path);
    return set_fault(refresh, package, cook_arena_strdup(&refresh->scratch, why.message));
}

static bool has_stale_facts(struct cook_refresh *refresh, uint32_t package, const char *reader)
{
    const struct cook_state *state = refresh->state;
    const struct cook_state_result *result = &state->results[package];
    return result->facts == 0 ||
           !cook_hash_equal(result->facts_source, cook_registry_source_hash(state, package)) ||
           strcmp(cook_state_text(state, result->reader), reader) != 0;
}

static enum cook_status check_package(struct cook_refresh *refresh, uint32_t id)
{
    struct cook_state *state = refresh->state;
    struct cook_state_package row = state->packages[id];
    if (!(row.flags & COOK_PACKAGE_PRESENT) || (row.flags & COOK_PACKAGE_DUPLICATE))
        return COOK_OK;
    if (is_unreadable(state, row.file))
        return set_unreadable_fault(refresh, id, row.file);
    if (is_unreadable(state, row.side_file))
        return set_unreadable_fault(refresh, id, row.side_file);
    const char *name = cook_state_text(state, state->files[row.file].name);
    char *reader = cook_registry_reader_text(refresh->options, name, &refresh->scratch);
    if (!reader)
        return cook_refresh_no_memory(refresh);
    row.flags &= ~(uint32_t)COOK_PACKAGE_SCAN_PENDING;
    if (has_stale_facts(refresh, id, reader))
        row.flags |= COOK_PACKAGE_SCAN_PENDING;
    return cook_refresh_put_package(refresh, id, &row);
}

enum cook_status cook_refresh_check(struct cook_refresh *refresh)
{
    enum cook_status status = COOK_OK;
    for (size_t i = 0; i < refresh->packages.count && status == COOK_OK; i++) {
        status = check_package(refresh, refresh->packages.ids[i]);
        if (i % 1024 == 1023)
            cook_arena_finish(&refresh->scratch);
    }
    return status;
}
