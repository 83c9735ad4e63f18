#include "cook/registry/registry.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "cook/base/path.h"
#include "cook/deps/dep.h"
#include "cook/registry/facts_internal.h"
#include "cook/registry/refresh.h"

#define SIGNATURE_MASK ((UINT32_C(1) << (32 - COOK_FOLDER_LISTED_SHIFT)) - 1)

void cook_registry_changes_finish(struct cook_registry_changes *changes)
{
    for (size_t i = 0; i < changes->warning_count; i++)
        cook_free(changes->warnings[i]);
    cook_free(changes->warnings);
    cook_free(changes->to_scan);
    memset(changes, 0, sizeof(*changes));
}

/* ---- refresh ---- */

static void put_readers(struct cook_buf *out, const struct cook_registry_options *options)
{
    for (size_t i = 0; i < options->reader_count; i++) {
        const struct cook_reader_info *reader = &options->readers[i];
        cook_buf_put_string(out, reader->name);
        cook_buf_put_u32(out, reader->version);
        cook_buf_put_u64(out, reader->types_hash);
        for (const char *const *extension = reader->extensions; *extension; extension++)
            cook_buf_put_string(out, *extension);
        cook_buf_put_u8(out, 0);
    }
}

/*
 * What makes a listing mean something else although the folder is the same: other readers, or
 * another mount. 24 bits of a hash, never 0, stand in each folder's row.
 */
static enum cook_status make_signatures(struct cook_refresh *refresh)
{
    const struct cook_project *project = refresh->project;
    enum cook_status status = COOK_OK;
    refresh->signatures = cook_calloc(project->root_count, sizeof(*refresh->signatures));
    if (!refresh->signatures)
        return cook_refresh_no_memory(refresh);
    for (size_t i = 0; i < project->root_count && status == COOK_OK; i++) {
        struct cook_buf text = COOK_BUF_INIT;
        cook_buf_put_string(&text, project->roots[i].mount);
        cook_buf_put_string(&text, project->roots[i].folder);
        put_readers(&text, refresh->options);
        uint32_t hash = text.failed ? 0 : (uint32_t)cook_hash64(text.data, text.size);
        refresh->signatures[i] = hash & SIGNATURE_MASK ? hash & SIGNATURE_MASK : 1;
        if (text.failed)
            status = cook_refresh_no_memory(refresh);
        cook_buf_finish(&text);
    }
    return status;
}

static enum cook_status sort_state(struct cook_refresh *refresh)
{
    struct cook_state *state = refresh->state;
    if (state->order_files == state->files_count &&
        state->order_packages == state->packages_count)
        return COOK_OK;
    return cook_state_sort(state, refresh->error);
}

/*
 * Without the file system's time nothing can be told to be old enough: all that is read or
 * listed now counts as racy and is looked at again next time, which is slow but right.
 */
static enum cook_status take_time(struct cook_refresh *refresh)
{
    struct cook_error why = COOK_ERROR_INIT;
    if (cook_fs_read_clock(&refresh->clock, refresh->project->fd, &why) == COOK_OK)
        return COOK_OK;
    return cook_refresh_warn(refresh, "project folder", why.message);
}

static bool lacks_root(const struct cook_refresh *refresh)
{
    const struct cook_state *state = refresh->state;
    size_t found = 0;
    for (uint32_t i = 0; i < state->folders_count; i++) {
        const char *path = cook_state_text(state, state->folders[i].path);
        uint32_t wanted = COOK_FOLDER_CONTENT | COOK_FOLDER_PRESENT;
        if ((state->folders[i].flags & wanted) != wanted)
            continue;
        for (size_t root = 0; root < refresh->project->root_count; root++)
            found += strcmp(refresh->project->roots[root].folder, path) == 0;
    }
    return found < refresh->project->root_count;
}

static enum cook_status apply_changes(struct cook_refresh *refresh)
{
    enum cook_status status = take_time(refresh);
    if (status == COOK_OK)
        status = cook_refresh_walk(refresh);
    if (status == COOK_OK)
        status = cook_refresh_read(refresh);
    if (status == COOK_OK)
        status = sort_state(refresh); /* new files, for the ranges of their folders */
    if (status == COOK_OK)
        status = cook_refresh_map(refresh);
    if (status == COOK_OK)
        status = cook_refresh_check(refresh);
    return status == COOK_OK ? sort_state(refresh) : status;
}

static enum cook_status list_pending(struct cook_refresh *refresh)
{
    const struct cook_state *state = refresh->state;
    struct cook_registry_changes *changes = refresh->changes;
    uint32_t wanted = COOK_PACKAGE_PRESENT | COOK_PACKAGE_SCAN_PENDING;
    size_t capacity = 0;
    for (uint32_t i = 0; i < state->packages_count; i++) {
        if ((state->packages[i].flags & wanted) != wanted)
            continue;
        if (!cook_grow(&changes->to_scan, &capacity, changes->to_scan_count + 1,
                       sizeof(*changes->to_scan)))
            return cook_refresh_no_memory(refresh);
        changes->to_scan[changes->to_scan_count++] = i;
    }
    return COOK_OK;
}

static int compare_texts(const void *a, const void *b)
{
    return strcmp(*(char *const *)a, *(char *const *)b);
}

static enum cook_status run_refresh(struct cook_refresh *refresh)
{
    enum cook_status status = make_signatures(refresh);
    if (status == COOK_OK)
        status = sort_state(refresh);
    if (status == COOK_OK)
        status = cook_refresh_stat(refresh);
    if (status == COOK_OK &&
        (refresh->folders.count || refresh->reads.count || lacks_root(refresh)))
        status = apply_changes(refresh);
    if (status == COOK_OK)
        status = list_pending(refresh);
    struct cook_registry_changes *changes = refresh->changes;
    if (changes->warning_count > 1)
        qsort(changes->warnings, changes->warning_count, sizeof(*changes->warnings),
              compare_texts);
    return status;
}

enum cook_status cook_registry_refresh(struct cook_registry_changes *changes,
                                       struct cook_state *state,
                                       const struct cook_project *project,
                                       const struct cook_registry_options *options,
                                       struct cook_error *error)
{
    struct cook_refresh refresh = { .state = state,
                                    .project = project,
                                    .options = options,
                                    .changes = changes,
                                    .error = error };
    memset(changes, 0, sizeof(*changes));
    enum cook_status status = run_refresh(&refresh);
    cook_free(refresh.signatures);
    cook_id_queue_finish(&refresh.folders);
    cook_id_queue_finish(&refresh.reads);
    cook_id_queue_finish(&refresh.mapped);
    cook_id_queue_finish(&refresh.packages);
    cook_arena_finish(&refresh.scratch);
    if (status != COOK_OK)
        cook_registry_changes_finish(changes);
    return status;
}

/* ---- facts of a package ---- */

static bool has_label(const void *bytes, size_t size)
{
    struct cook_arena arena = COOK_ARENA_INIT;
    struct cook_facts facts;
    bool found = cook_facts_decode(&facts, bytes, size, &arena, NULL) == COOK_OK &&
                 cook_facts_have_tag(&facts, COOK_LABEL_TAG);
    cook_arena_finish(&arena);
    return found;
}

enum cook_status cook_registry_set_facts(struct cook_state *state, uint32_t package,
                                         const char *reader_text, struct cook_hash facts_source,
                                         const void *facts, size_t size,
                                         struct cook_error *error)
{
    enum cook_status status = cook_state_thaw(state, error);
    if (status != COOK_OK)
        return status;
    uint32_t reader = cook_state_add_text(state, reader_text);
    uint32_t blob = cook_state_add_blob(state, facts, size);
    if (reader == COOK_ID_NONE || blob == COOK_ID_NONE)
        return cook_error_set(error, COOK_E_NO_MEMORY, "out of memory for registry facts");
    cook_state_touch(state, COOK_TABLE_packages, package);
    state->results[package].reader = reader;
    state->results[package].facts = blob;
    state->results[package].facts_source = facts_source;
    uint32_t *flags = &state->packages[package].flags;
    *flags &= ~(uint32_t)(COOK_PACKAGE_SCAN_FAILED | COOK_PACKAGE_HAS_LABEL);
    if (cook_facts_has_fault(facts, size))
        *flags |= COOK_PACKAGE_SCAN_FAILED;
    else if (has_label(facts, size))
        *flags |= COOK_PACKAGE_HAS_LABEL;
    if (cook_hash_equal(facts_source, cook_registry_source_hash(state, package)))
        *flags &= ~(uint32_t)COOK_PACKAGE_SCAN_PENDING;
    return COOK_OK;
}

char *cook_registry_reader_text(const struct cook_registry_options *options, const char *path,
                                struct cook_arena *arena)
{
    const struct cook_reader_info *reader = cook_refresh_reader(options, path);
    if (!reader)
        return NULL;
    if (reader->types_hash)
        return cook_arena_printf(arena, "%s/%" PRIu32 ".%" PRIx64, reader->name, reader->version,
                                 reader->types_hash);
    return cook_arena_printf(arena, "%s/%" PRIu32, reader->name, reader->version);
}

/* A file's content as a source hash takes it; unreadable is like no content there is. */
static struct cook_hash content_of(const struct cook_state_file *file)
{
    struct cook_hash unreadable = { UINT64_MAX, UINT64_MAX };
    return file->flags & COOK_FILE_UNREADABLE ? unreadable : file->content;
}

struct cook_hash cook_registry_source_hash(const struct cook_state *state, uint32_t package)
{
    struct cook_hash none = { 0, 0 };
    const struct cook_state_package *row = &state->packages[package];
    if (row->file == COOK_ID_NONE || !(state->files[row->file].flags & COOK_FILE_PRESENT))
        return none;
    bool side = row->side_file != COOK_ID_NONE &&
                (state->files[row->side_file].flags & COOK_FILE_PRESENT);
    return cook_source_hash(content_of(&state->files[row->file]), side,
                            side ? content_of(&state->files[row->side_file]) : none);
}
