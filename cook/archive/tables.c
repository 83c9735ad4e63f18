/* The name, import and soft tables of a cooked package: collected in harvest, sorted for write. */
#include <stdlib.h>
#include <string.h>

#include "cook/archive/archive.h"
#include "cook/registry/registry.h"

void cook_tables_finish(struct cook_tables *tables)
{
    cook_intern_finish(&tables->names);
    cook_intern_finish(&tables->import_paths);
    cook_intern_finish(&tables->soft_paths);
    cook_free(tables->soft_of);
    cook_intern_finish(&tables->soft);
    cook_free(tables->imports);
    cook_arena_finish(&tables->arena);
    *tables = (struct cook_tables){ 0 };
}

void cook_tables_add_name(struct cook_tables *tables, const char *text)
{
    if (text && cook_intern_add(&tables->names, text) == COOK_INTERN_NONE)
        tables->failed = true;
}

uint32_t cook_tables_name_index(const struct cook_tables *tables, const char *text)
{
    uint32_t id = text ? cook_intern_find(&tables->names, text) : COOK_INTERN_NONE;
    return id == COOK_INTERN_NONE ? UINT32_MAX : tables->name_rank[id];
}

void cook_tables_add_soft(struct cook_archive *archive, const char *path)
{
    struct cook_tables *tables = archive->tables;
    size_t before = tables->soft_paths.count;
    uint32_t id = cook_intern_add(&tables->soft_paths, path);
    if (id == COOK_INTERN_NONE || !cook_grow(&tables->soft_of, &tables->soft_capacity,
                                             (size_t)id + 1, sizeof(*tables->soft_of))) {
        tables->failed = true;
        return;
    }
    if (tables->soft_paths.count == before) {
        /* Another property may mean it as an edge. */
        if (!archive->true_soft &&
            cook_intern_add(&archive->result->soft,
                            cook_intern_text(&tables->soft, tables->soft_of[id])) ==
                COOK_INTERN_NONE)
            tables->failed = true;
        return;
    }
    const char *final = cook_context_redirected(archive->context, path, NULL);
    tables->soft_of[id] = cook_intern_add(&tables->soft, final);
    if (tables->soft_of[id] == COOK_INTERN_NONE ||
        cook_intern_add(&archive->result->harvested, path) == COOK_INTERN_NONE ||
        (!archive->true_soft &&
         cook_intern_add(&archive->result->soft, final) == COOK_INTERN_NONE))
        tables->failed = true;
}

uint32_t cook_tables_soft_index(const struct cook_tables *tables, const char *path)
{
    uint32_t id = path ? cook_intern_find(&tables->soft_paths, path) : COOK_INTERN_NONE;
    return id == COOK_INTERN_NONE ? UINT32_MAX : tables->soft_rank[tables->soft_of[id]];
}

/* Decide what a reference becomes, and record the outcome that decided it. */
static void resolve_import(struct cook_archive *archive, const char *name, const char *path,
                           struct cook_import *import)
{
    struct cook_context *context = archive->context;
    struct cook_session *session = context->session;
    struct cook_tables *tables = archive->tables;
    const char *package;
    struct cook_resolved resolved = cook_context_resolve(context, path, &package, &tables->arena, NULL);
    import->kind = COOK_IMPORT_NULL;
    if (!resolved.inner) {
        char place[COOK_ARCHIVE_PLACE_BYTES];
        cook_log(context, COOK_SEVERITY_WARNING,
                 "%s refers to %s, which does not exist: saved as null",
                 cook_archive_place(archive, name, place), path);
        return;
    }
    if (strcmp(package, context->package->name) == 0) {
        const struct cook_object_state *target =
            cook_package_find(context->package, resolved.inner);
        if (target && archive->export_of[target->index] >= 0) {
            import->kind = COOK_IMPORT_EXPORT;
            import->export_index = (uint32_t)archive->export_of[target->index];
        }
        return;
    }
    bool asked, kept;
    struct cook_hash value = cook_session_kept_value(session, path, false, &asked, &kept);
    if (asked)
        cook_context_record(context, COOK_DEP_KEPT, path, value, kept ? "kept" : "left out", NULL);
    if (!kept)
        return;
    *import = (struct cook_import){ .kind = COOK_IMPORT_EXTERNAL,
                                    .package = cook_arena_strdup(&tables->arena, package),
                                    .inner = resolved.inner,
                                    .class_name = resolved.class_name };
    tables->failed |= !import->package;
    cook_tables_add_name(tables, import->package);
    cook_tables_add_name(tables, import->class_name);
    if (cook_intern_add(&archive->result->hard, resolved.path) == COOK_INTERN_NONE)
        tables->failed = true;
}

void cook_tables_add_reference(struct cook_archive *archive, const char *name, const char *path)
{
    struct cook_tables *tables = archive->tables;
    size_t before = tables->import_paths.count;
    uint32_t id = cook_intern_add(&tables->import_paths, path);
    if (id == COOK_INTERN_NONE ||
        !cook_grow(&tables->imports, &tables->import_capacity, id + 1, sizeof(*tables->imports))) {
        tables->failed = true;
        return;
    }
    if (cook_intern_add(&archive->result->harvested, path) == COOK_INTERN_NONE)
        tables->failed = true;
    if (tables->import_paths.count != before)
        resolve_import(archive, name, path, &tables->imports[id]);
}

bool cook_tables_reference(const struct cook_tables *tables, const char *path, int32_t *out)
{
    uint32_t id = cook_intern_find(&tables->import_paths, path);
    if (id == COOK_INTERN_NONE)
        return false;
    const struct cook_import *import = &tables->imports[id];
    *out = 0;
    if (import->kind == COOK_IMPORT_EXPORT)
        *out = (int32_t)import->export_index + 1;
    else if (import->kind == COOK_IMPORT_EXTERNAL)
        *out = -(int32_t)tables->import_rank[id] - 1;
    return true;
}

/* ---- sorting ---- */

static int compare_texts(const void *a, const void *b, void *table)
{
    const struct cook_intern *intern = table;
    return strcmp(cook_intern_text(intern, *(const uint32_t *)a),
                  cook_intern_text(intern, *(const uint32_t *)b));
}

static int compare_imports(const void *a, const void *b, void *table)
{
    const struct cook_tables *tables = table;
    const struct cook_import *x = &tables->imports[*(const uint32_t *)a];
    const struct cook_import *y = &tables->imports[*(const uint32_t *)b];
    if (x->kind != COOK_IMPORT_EXTERNAL || y->kind != COOK_IMPORT_EXTERNAL)
        return (x->kind != COOK_IMPORT_EXTERNAL) - (y->kind != COOK_IMPORT_EXTERNAL);
    int order = strcmp(x->package, y->package);
    return order ? order : strcmp(x->inner, y->inner);
}

static bool make_order(struct cook_tables *tables, size_t count, uint32_t **rank, uint32_t **order)
{
    *rank = cook_arena_alloc(&tables->arena, (count + 1) * sizeof(**rank));
    *order = cook_arena_alloc(&tables->arena, (count + 1) * sizeof(**order));
    if (!*rank || !*order) {
        tables->failed = true;
        return false;
    }
    for (uint32_t i = 0; i < count; i++)
        (*order)[i] = i;
    return true;
}

static void sort_texts(struct cook_tables *tables, struct cook_intern *intern, uint32_t **rank,
                       uint32_t **order)
{
    if (!make_order(tables, intern->count, rank, order))
        return;
    qsort_r(*order, intern->count, sizeof(**order), compare_texts, intern);
    for (uint32_t i = 0; i < intern->count; i++)
        (*rank)[(*order)[i]] = i;
}

void cook_tables_sort(struct cook_tables *tables)
{
    sort_texts(tables, &tables->names, &tables->name_rank, &tables->name_order);
    sort_texts(tables, &tables->soft, &tables->soft_rank, &tables->soft_order);
    size_t count = tables->import_paths.count;
    if (!make_order(tables, count, &tables->import_rank, &tables->import_order))
        return;
    qsort_r(tables->import_order, count, sizeof(uint32_t), compare_imports, tables);
    /* "/Game/X" and "/Game/X.First" are one import: equal neighbours share a row. */
    tables->import_count = 0;
    for (size_t i = 0; i < count; i++) {
        uint32_t id = tables->import_order[i];
        if (tables->imports[id].kind != COOK_IMPORT_EXTERNAL)
            break;
        uint32_t previous = tables->import_count ? tables->import_order[tables->import_count - 1]
                                                 : id;
        if (tables->import_count == 0 || compare_imports(&id, &previous, tables) != 0)
            tables->import_order[tables->import_count++] = id;
        tables->import_rank[id] = tables->import_count - 1;
    }
    tables->sorted = true;
}

void cook_archive_harvest_value(struct cook_archive *archive, const char *name,
                                enum cook_property_type type, const void *value)
{
    const struct cook_name *text = value; /* name and references are one pointer each */
    if (type == COOK_PROPERTY_NAME)
        cook_tables_add_name(archive->tables, text->text);
    else if (type == COOK_PROPERTY_REF && text->text)
        cook_tables_add_reference(archive, name, text->text);
    else if (type == COOK_PROPERTY_SOFT_REF && text->text)
        cook_tables_add_soft(archive, text->text);
    if (archive->tables->failed)
        archive->status = COOK_E_NO_MEMORY;
}
