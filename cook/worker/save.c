/* Transforming and saving a loaded package: hooks, harvest, tables, write. */
#include <string.h>
#include <time.h>

#include "cook/archive/archive.h"
#include "cook/archive/cooked.h"
#include "cook/worker/perturb.h"
#include "cook/worker/session.h"

void cook_save_result_finish(struct cook_save_result *result)
{
    cook_buf_finish(&result->bytes);
    cook_token_map_finish(&result->tokens);
    cook_free(result->stack_ids);
    cook_stacks_destroy(result->stacks);
    cook_intern_finish(&result->hard);
    cook_intern_finish(&result->soft);
    cook_intern_finish(&result->harvested);
    cook_buf_finish(&result->recorded);
    cook_buf_finish(&result->parts);
}

/* ---- hooks ---- */

typedef enum cook_status (*status_hook)(struct cook_context *context, void *object);
enum hook { HOOK_PRE_SAVE, HOOK_BEGIN_CACHE };

static enum cook_status call_hook(struct cook_context *context,
                                  const struct cook_object_state *object, enum hook which)
{
    for (uint32_t i = 0; i < object->class_info->chain_count; i++) {
        const struct cook_class *c = object->class_info->chain[i]->description;
        status_hook hook = which == HOOK_PRE_SAVE ? c->pre_save : c->begin_cache;
        cook_context_enter_hook(context, which == HOOK_PRE_SAVE ? "pre_save" : "begin_cache",
                              object->class_info->chain[i]->name);
        if (context->session->stack_fill >= 0)
            cook_perturb_fill_stack(context->session->stack_fill);
        enum cook_status status = hook ? hook(context, object->object) : COOK_OK;
        cook_context_leave_hook(context);
        if (status != COOK_OK) {
            if (!cook_context_has_errors(context))
                cook_log(context, COOK_SEVERITY_ERROR, "%s: %s failed: %s", object->inner_path,
                         which == HOOK_PRE_SAVE ? "pre_save" : "begin_cache",
                         cook_status_text(status));
            return status;
        }
    }
    return COOK_OK;
}

static enum cook_status call_all(struct cook_context *context, struct cook_package *package,
                                 enum hook which)
{
    for (uint32_t i = 0; i < package->object_count; i++) {
        if (package->objects[i]->unsaved)
            continue;
        enum cook_status status = call_hook(context, package->objects[i], which);
        if (status != COOK_OK)
            return status;
    }
    return COOK_OK;
}

static bool object_is_cached(struct cook_context *context, const struct cook_object_state *object)
{
    for (uint32_t i = 0; i < object->class_info->chain_count; i++) {
        const struct cook_class *c = object->class_info->chain[i]->description;
        if (!c->is_cached)
            continue;
        cook_context_enter_hook(context, "is_cached", object->class_info->chain[i]->name);
        bool cached = c->is_cached(context, object->object);
        cook_context_leave_hook(context);
        if (!cached)
            return false;
    }
    return true;
}

/* Wait for the async jobs, then poll is_cached; a hook that never says true is the director's
 * time-out to end. */
static enum cook_status wait_cached(struct cook_context *context, struct cook_package *package)
{
    enum cook_status status = cook_async_wait(context->session->async);
    for (uint32_t i = 0; status == COOK_OK && i < package->object_count; i++) {
        struct timespec pause = { 0, 50000 };
        while (!package->objects[i]->unsaved &&
               !object_is_cached(context, package->objects[i])) {
            nanosleep(&pause, NULL);
            if (pause.tv_nsec < 10000000)
                pause.tv_nsec *= 2;
        }
    }
    if (status != COOK_OK && !cook_context_has_errors(context))
        cook_log(context, COOK_SEVERITY_ERROR, "asynchronous work failed: %s",
                 cook_status_text(status));
    return status;
}

static void clear_cached(struct cook_context *context, struct cook_package *package)
{
    for (uint32_t i = 0; i < package->object_count; i++) {
        const struct cook_object_state *object = package->objects[i];
        for (uint32_t c = object->class_info->chain_count; !object->unsaved && c-- > 0;)
            if (object->class_info->chain[c]->description->clear_cached)
                object->class_info->chain[c]->description->clear_cached(context, object->object);
    }
}

enum cook_status cook_session_events(struct cook_context *context, struct cook_package *package,
                                     enum cook_event event)
{
    for (uint32_t i = 0; i < package->object_count; i++) {
        const struct cook_object_state *object = package->objects[i];
        for (uint32_t c = 0; !object->unsaved && c < object->class_info->chain_count; c++) {
            const struct cook_class *description = object->class_info->chain[c]->description;
            if (!description->on_cook_event)
                continue;
            cook_context_enter_hook(context, "on_cook_event",
                                    object->class_info->chain[c]->name);
            enum cook_status status =
                description->on_cook_event(context, object->object, event);
            cook_context_leave_hook(context);
            if (status != COOK_OK) {
                if (!cook_context_has_errors(context))
                    cook_log(context, COOK_SEVERITY_ERROR, "%s: on_cook_event failed: %s",
                             object->inner_path, cook_status_text(status));
                return status;
            }
        }
    }
    return COOK_OK;
}

/* ---- serialization ---- */

/* Not inlined: its frame is the SDK's outer frame, where captured stacks are cut. */
__attribute__((noinline)) static void serialize_object(struct cook_archive *archive,
                                                       const struct cook_object_state *object)
{
    cook_archive_begin(archive, object->inner_path, NULL);
    archive->hook_depth = archive->result->stacks ? cook_stacks_depth() : 0;
    for (uint32_t i = 0; archive->status == COOK_OK && i < object->class_info->chain_count; i++) {
        const struct cook_class *c = object->class_info->chain[i]->description;
        cook_archive_properties(archive, c->properties, object->object);
        if (archive->status != COOK_OK || !c->serialize)
            continue;
        cook_context_enter_hook(archive->context, "serialize",
                                object->class_info->chain[i]->name);
        if (archive->context->session->stack_fill >= 0)
            cook_perturb_fill_stack(archive->context->session->stack_fill);
        c->serialize(archive, object->object);
        cook_context_leave_hook(archive->context);
    }
    if (archive->status == COOK_OK && archive->depth != 0)
        cook_archive_fail(archive, "serialize left an array or group open");
}

static void harvest(struct cook_archive *archive, struct cook_package *package)
{
    archive->phase = COOK_PHASE_HARVEST;
    for (uint32_t i = 0; i < package->object_count && archive->status == COOK_OK; i++) {
        const struct cook_object_state *object = package->objects[i];
        if (archive->export_of[i] < 0)
            continue;
        cook_tables_add_name(archive->tables, object->name);
        cook_tables_add_name(archive->tables, object->class_info->name);
        serialize_object(archive, object);
        if (archive->context->session && object->class_info->description->determinism_helper &&
            archive->result->stacks)
            object->class_info->description->determinism_helper(archive->context, object->object);
    }
    cook_tables_sort(archive->tables);
    if (archive->tables->failed && archive->status == COOK_OK)
        archive->status = COOK_E_NO_MEMORY;
}

/* Positions in the header that are known only at the end. */
struct header_offsets {
    size_t total, names, imports, soft, exports, data, bulk;
    size_t first_export; /* of the export rows */
};

static void put_word(struct cook_archive *archive, const char *path, enum cook_token_type type,
                     uint64_t value, size_t size)
{
    uint8_t bytes[8];
    for (size_t i = 0; i < size; i++)
        bytes[i] = (uint8_t)(value >> (8 * i));
    cook_archive_put_row(archive, path, type, 0, bytes, size);
}

static size_t put_offset(struct cook_archive *archive, const char *path)
{
    size_t at = archive->result->bytes.size;
    put_word(archive, path, COOK_TOKEN_OFFSET, 0, 8);
    return at;
}

static void write_header(struct cook_archive *archive, struct header_offsets *at, uint32_t exports)
{
    const struct cook_tables *tables = archive->tables;
    put_word(archive, "#header.Magic", COOK_TOKEN_U32, COOK_COOKED_MAGIC, 4);
    put_word(archive, "#header.Version", COOK_TOKEN_U32, COOK_COOKED_VERSION, 4);
    put_word(archive, "#header.Flags", COOK_TOKEN_U32, 0, 4);
    at->total = put_offset(archive, "#header.Total");
    at->names = put_offset(archive, "#header.Names");
    at->imports = put_offset(archive, "#header.Imports");
    at->soft = put_offset(archive, "#header.Soft");
    at->exports = put_offset(archive, "#header.Exports");
    at->data = put_offset(archive, "#header.Data");
    at->bulk = put_offset(archive, "#header.Bulk");
    put_word(archive, "#header.NameCount", COOK_TOKEN_COUNT, tables->names.count, 4);
    put_word(archive, "#header.ImportCount", COOK_TOKEN_COUNT, tables->import_count, 4);
    put_word(archive, "#header.SoftCount", COOK_TOKEN_COUNT, tables->soft.count, 4);
    put_word(archive, "#header.ExportCount", COOK_TOKEN_COUNT, exports, 4);
}

static void put_text_row(struct cook_archive *archive, const char *path, uint32_t index,
                         const char *text)
{
    struct cook_buf row = COOK_BUF_INIT;
    cook_buf_put_u32(&row, (uint32_t)strlen(text));
    cook_buf_put(&row, text, strlen(text));
    if (row.failed)
        archive->status = COOK_E_NO_MEMORY;
    else
        cook_archive_put_row(archive, path, COOK_TOKEN_STRING, index, row.data, row.size);
    cook_buf_finish(&row);
}

static void put_u32_row(struct cook_archive *archive, const char *path, enum cook_token_type type,
                        uint32_t index, uint32_t value)
{
    uint8_t bytes[4] = { (uint8_t)value, (uint8_t)(value >> 8), (uint8_t)(value >> 16),
                         (uint8_t)(value >> 24) };
    cook_archive_put_row(archive, path, type, index, bytes, sizeof(bytes));
}

static void write_tables(struct cook_archive *archive, struct header_offsets *at,
                         const struct cook_package *package)
{
    struct cook_tables *tables = archive->tables;
    struct cook_buf *bytes = &archive->result->bytes;
    cook_buf_set_u64(bytes, at->names, bytes->size);
    for (uint32_t i = 0; i < tables->names.count; i++)
        put_text_row(archive, "#names[]", i, cook_intern_text(&tables->names, tables->name_order[i]));
    cook_buf_set_u64(bytes, at->imports, bytes->size);
    for (uint32_t i = 0; i < tables->import_count; i++) {
        const struct cook_import *import = &tables->imports[tables->import_order[i]];
        put_u32_row(archive, "#imports[].Package", COOK_TOKEN_NAME, i,
                    cook_tables_name_index(tables, import->package));
        put_text_row(archive, "#imports[].Inner", i, import->inner);
        put_u32_row(archive, "#imports[].Class", COOK_TOKEN_NAME, i,
                    cook_tables_name_index(tables, import->class_name));
    }
    cook_buf_set_u64(bytes, at->soft, bytes->size);
    for (uint32_t i = 0; i < tables->soft.count; i++)
        put_text_row(archive, "#soft[]", i, cook_intern_text(&tables->soft, tables->soft_order[i]));
    cook_buf_set_u64(bytes, at->exports, bytes->size);
    at->first_export = bytes->size;
    for (uint32_t i = 0; i < package->object_count; i++) {
        int32_t index = archive->export_of[i];
        const struct cook_object_state *object = package->objects[i];
        if (index < 0)
            continue;
        uint32_t row = (uint32_t)index;
        put_u32_row(archive, "#exports[].Name", COOK_TOKEN_NAME, row,
                    cook_tables_name_index(tables, object->name));
        put_u32_row(archive, "#exports[].Class", COOK_TOKEN_NAME, row,
                    cook_tables_name_index(tables, object->class_info->name));
        uint32_t outer =
            object->outer ? (uint32_t)(archive->export_of[object->outer->index] + 1) : 0;
        put_u32_row(archive, "#exports[].Outer", COOK_TOKEN_REF, row, outer);
        put_u32_row(archive, "#exports[].Flags", COOK_TOKEN_U32, row, 0);
        static const uint8_t zeros[8] = { 0 };
        cook_archive_put_row(archive, "#exports[].Offset", COOK_TOKEN_OFFSET, row, zeros, 8);
        cook_archive_put_row(archive, "#exports[].Size", COOK_TOKEN_OFFSET, row, zeros, 8);
    }
}

#define EXPORT_ROW_BYTES 32

static void write_exports(struct cook_archive *archive, const struct header_offsets *at,
                          struct cook_package *package)
{
    struct cook_buf *bytes = &archive->result->bytes;
    cook_buf_set_u64(bytes, at->data, bytes->size);
    for (uint32_t i = 0; archive->status == COOK_OK && i < package->object_count; i++) {
        if (archive->export_of[i] < 0)
            continue;
        size_t start = bytes->size;
        serialize_object(archive, package->objects[i]);
        if (archive->status != COOK_OK)
            return;
        size_t row = at->first_export + (size_t)archive->export_of[i] * EXPORT_ROW_BYTES;
        cook_buf_set_u64(bytes, row + 16, start);
        cook_buf_set_u64(bytes, row + 24, bytes->size - start);
    }
}

static void write_package(struct cook_archive *archive, struct cook_package *package,
                          uint32_t exports)
{
    struct header_offsets at;
    archive->phase = COOK_PHASE_WRITE;
    write_header(archive, &at, exports);
    if (archive->status != COOK_OK)
        return;
    write_tables(archive, &at, package);
    if (archive->status != COOK_OK)
        return;
    write_exports(archive, &at, package);
    if (archive->status != COOK_OK)
        return;
    struct cook_buf *bytes = &archive->result->bytes;
    cook_buf_set_u64(bytes, at.bulk, bytes->size);
    cook_archive_flush_bulk(archive);
    if (archive->status == COOK_OK)
        cook_buf_set_u64(bytes, at.total, bytes->size);
}

/* Which objects are saved: editor-only ones, and those inside them, are not. */
static int32_t *number_exports(const struct cook_package *package, uint32_t *count)
{
    int32_t *export_of = cook_malloc((package->object_count + 1) * sizeof(*export_of));
    *count = 0;
    for (uint32_t i = 0; export_of && i < package->object_count; i++)
        export_of[i] = package->objects[i]->unsaved ? -1 : (int32_t)(*count)++;
    return export_of;
}

/* An archive with what it writes into. */
struct saving {
    struct cook_archive *archive; /* NULL: no memory */
    struct cook_tables tables;
    struct cook_bulk bulk;
    int32_t *export_of;
    uint32_t exports;
};

static void saving_begin(struct saving *saving, struct cook_context *context,
                         const struct cook_package *package, struct cook_save_result *result)
{
    *saving = (struct saving){ 0 };
    saving->export_of = number_exports(package, &saving->exports);
    struct cook_archive *archive = saving->export_of ? cook_calloc(1, sizeof(*archive)) : NULL;
    if (!archive)
        return;
    archive->context = context;
    archive->file = package->path;
    archive->tables = &saving->tables;
    archive->export_of = saving->export_of;
    archive->result = result;
    saving->archive = archive;
}

static enum cook_status saving_end(struct saving *saving)
{
    enum cook_status status = saving->archive ? saving->archive->status : COOK_E_NO_MEMORY;
    cook_arena_finish(&saving->bulk.arena);
    cook_free(saving->bulk.items);
    cook_tables_finish(&saving->tables);
    cook_free(saving->archive);
    cook_free(saving->export_of);
    return status;
}

enum cook_status cook_session_harvest(struct cook_context *context, struct cook_package *package,
                                      struct cook_save_result *result,
                                      void (*take)(void *user, const struct cook_tables *tables),
                                      void *user)
{
    struct saving saving;
    saving_begin(&saving, context, package, result);
    if (saving.archive) {
        harvest(saving.archive, package);
        if (saving.archive->status == COOK_OK)
            take(user, &saving.tables);
    }
    return saving_end(&saving);
}

static enum cook_status serialize(struct cook_context *context, struct cook_package *package,
                                  struct cook_save_result *result)
{
    struct saving saving;
    saving_begin(&saving, context, package, result);
    struct cook_archive *archive = saving.archive;
    if (archive) {
        archive->bulk = &saving.bulk;
        harvest(archive, package);
        context->writing = archive->path;
        if (archive->status == COOK_OK)
            write_package(archive, package, saving.exports);
        context->writing = NULL;
    }
    return saving_end(&saving);
}

static void add_declared_edges(struct cook_context *context, struct cook_save_result *result)
{
    for (uint32_t i = 0; i < context->runtime_hard.count; i++)
        (void)cook_intern_add(&result->hard, cook_intern_text(&context->runtime_hard, i));
    for (uint32_t i = 0; i < context->runtime_soft.count; i++)
        (void)cook_intern_add(&result->soft, cook_intern_text(&context->runtime_soft, i));
    const struct cook_intern *loads = &context->package->load.runtime_soft; /* while loading */
    for (uint32_t i = 0; i < loads->count; i++)
        (void)cook_intern_add(&result->soft, cook_intern_text(loads, i));
}

enum cook_status cook_session_save(struct cook_session *session, struct cook_package *package,
                                   struct cook_context *context, struct cook_save_result *result)
{
    *result = (struct cook_save_result){ 0 };
    cook_token_map_init(&result->tokens);
    context->saving = true;
    enum cook_status status = COOK_OK;
    result->omitted = !cook_session_mark_saved(context, package, &result->dropped);
    if (result->omitted) {
        result->ok = !cook_context_has_errors(context);
        return COOK_OK;
    }
    if (session->capture)
        status = cook_stacks_create(&result->stacks, NULL);
    if (status == COOK_OK)
        status = call_all(context, package, HOOK_PRE_SAVE);
    if (status == COOK_OK) {
        status = call_all(context, package, HOOK_BEGIN_CACHE);
        enum cook_status waited = wait_cached(context, package);
        if (status == COOK_OK)
            status = waited;
        if (status == COOK_OK)
            status = serialize(context, package, result);
        if (status == COOK_OK)
            status = cook_session_events(context, package, COOK_EVENT_SAVE);
        add_declared_edges(context, result);
        cook_session_add_registry_edges(session, context, result); /* parts tell of them too */
        if (status == COOK_OK)
            status = cook_session_make_parts(session, package, context, result);
        clear_cached(context, package);
    }
    result->ok = status == COOK_OK && !cook_context_has_errors(context);
    return status;
}
