/* What an editor that saves a package would record of it: references, build dependencies, tags. */
#include <stdlib.h>
#include <string.h>

#include <cjson/cJSON.h>

#include "cook/archive/archive.h"
#include "cook/worker/session.h"

struct record {
    const struct cook_package *package;
    bool editor_only;        /* the harvest at hand includes what is not saved */
    const struct cook_save_result *result;
    struct cook_intern hard, soft, true_soft, all_hard, all_soft;
    struct cook_intern build;
    struct cook_intern tag_keys;
    const char **tag_values; /* by id of the key; in the arena */
    size_t tag_capacity;
    struct cook_arena arena;
    bool failed;
};

static void add(struct record *record, struct cook_intern *table, const char *text)
{
    record->failed |= cook_intern_add(table, text) == COOK_INTERN_NONE;
}

/* ---- references ---- */

static bool is_own(const struct record *record, const char *path)
{
    size_t length = strlen(record->package->name);
    return strncmp(path, record->package->name, length) == 0 &&
           (path[length] == '\0' || path[length] == '.');
}

static struct cook_intern *soft_table(struct record *record, const struct cook_tables *tables,
                                      uint32_t path)
{
    const char *final = cook_intern_text(&tables->soft, tables->soft_of[path]);
    if (record->editor_only)
        return &record->all_soft;
    return cook_intern_find(&record->result->soft, final) == COOK_INTERN_NONE ? &record->true_soft
                                                                              : &record->soft;
}

/* As written in the source; redirects and targets are the business of cooks. */
static void take_tables(void *user, const struct cook_tables *tables)
{
    struct record *record = user;
    for (uint32_t i = 0; i < tables->import_paths.count; i++) {
        const char *path = cook_intern_text(&tables->import_paths, i);
        if (!is_own(record, path))
            add(record, record->editor_only ? &record->all_hard : &record->hard, path);
    }
    for (uint32_t i = 0; i < tables->soft_paths.count; i++) {
        const char *path = cook_intern_text(&tables->soft_paths, i);
        if (!is_own(record, path))
            add(record, soft_table(record, tables, i), path);
    }
}

/* Whether an object, or one around it, is never saved. */
static bool is_editor_only(const struct cook_object_state *object)
{
    for (; object; object = object->outer)
        if (object->editor_only)
            return true;
    return false;
}

static void mark_objects(struct cook_package *package, bool editor_only)
{
    for (uint32_t i = 0; i < package->object_count; i++)
        package->objects[i]->unsaved = !editor_only && is_editor_only(package->objects[i]);
}

/* Once without what is never saved and once with it: what only the second sees is editor-only. */
static enum cook_status harvest_all(struct record *record, struct cook_session *session,
                                    struct cook_package *package, struct cook_context *context)
{
    bool configured = session->keep_editor_only;
    enum cook_status status = COOK_OK;
    for (int pass = 0; status == COOK_OK && pass < 2; pass++) {
        struct cook_save_result result = { 0 };
        cook_token_map_init(&result.tokens);
        record->editor_only = session->keep_editor_only = pass == 1;
        record->result = &result;
        mark_objects(package, record->editor_only);
        status = cook_session_harvest(context, package, &result, take_tables, record);
        cook_save_result_finish(&result);
    }
    session->keep_editor_only = configured;
    return status;
}

/* ---- declared ---- */

static void take_declared(struct record *record, const struct cook_context *context,
                          size_t records_before, size_t uses_before)
{
    for (uint32_t i = 0; i < context->runtime_hard.count; i++)
        add(record, &record->hard, cook_intern_text(&context->runtime_hard, i));
    for (uint32_t i = 0; i < context->runtime_soft.count; i++)
        add(record, &record->soft, cook_intern_text(&context->runtime_soft, i));
    for (size_t i = records_before; i < cook_record_count(&context->record); i++)
        if (context->record.items[i].kind == COOK_DEP_PACKAGE)
            add(record, &record->build, context->record.items[i].args);
    for (size_t i = uses_before; i < context->use_count; i++)
        if (context->uses[i] != record->package)
            add(record, &record->build, context->uses[i]->name);
}

/* The first object that has a tag gives it to the package. */
static void take_tag(void *user, const struct cook_tag *tag)
{
    struct record *record = user;
    size_t before = record->tag_keys.count;
    uint32_t id = cook_intern_add(&record->tag_keys, tag->key);
    if (id == COOK_INTERN_NONE ||
        !cook_grow(&record->tag_values, &record->tag_capacity, (size_t)id + 1, sizeof(char *))) {
        record->failed = true;
        return;
    }
    if (record->tag_keys.count == before)
        return;
    record->tag_values[id] = cook_arena_strdup(&record->arena, tag->value);
    record->failed |= !record->tag_values[id];
}

/* ---- text ---- */

static int compare_texts(const void *a, const void *b)
{
    return strcmp(*(const char *const *)a, *(const char *const *)b);
}

/* The texts of a table that `but` (may be NULL) does not have, sorted; `*count` of them. */
static const char **sorted(struct record *record, const struct cook_intern *table,
                           const struct cook_intern *but, size_t *count)
{
    const char **texts = cook_arena_alloc(&record->arena, (table->count + 1) * sizeof(*texts));
    *count = 0;
    record->failed |= !texts;
    for (uint32_t i = 0; texts && i < table->count; i++) {
        const char *text = cook_intern_text(table, i);
        if (!but || cook_intern_find(but, text) == COOK_INTERN_NONE)
            texts[(*count)++] = text;
    }
    if (texts && *count)
        qsort(texts, *count, sizeof(*texts), compare_texts);
    return texts;
}

static void put_string(struct record *record, struct cook_buf *out, const char *text)
{
    cJSON *string = cJSON_CreateString(text);
    char *json = cJSON_PrintUnformatted(string);
    record->failed |= !json;
    cook_buf_printf(out, "%s", json ? json : "\"\"");
    cJSON_free(json);
    cJSON_Delete(string);
}

/* One entry a line, as people like to see in a change. */
static void put_list(struct record *record, struct cook_buf *out, const char *separator,
                     const char *indent, const char *name, const char **texts, size_t count)
{
    cook_buf_printf(out, "%s%s\"%s\": [", separator, indent, name);
    for (size_t i = 0; i < count; i++) {
        cook_buf_printf(out, "%s%s  ", i ? ",\n" : "\n", indent);
        put_string(record, out, texts[i]);
    }
    cook_buf_printf(out, "\n%s]", indent);
}

static void put_references(struct record *record, struct cook_buf *out)
{
    struct {
        const char *name;
        const struct cook_intern *table, *but;
    } lists[] = {
        { "hard", &record->hard, NULL },
        { "soft", &record->soft, NULL },
        { "true_soft", &record->true_soft, &record->soft },
        { "editor_only", &record->all_hard, &record->hard },
    };
    const char *separator = "";
    struct cook_buf text = COOK_BUF_INIT;
    for (uint32_t i = 0; i < record->all_soft.count; i++) {
        const char *path = cook_intern_text(&record->all_soft, i);
        if (cook_intern_find(&record->soft, path) == COOK_INTERN_NONE &&
            cook_intern_find(&record->true_soft, path) == COOK_INTERN_NONE)
            add(record, &record->all_hard, path); /* never saved: how it was written does not matter */
    }
    for (size_t i = 0; i < sizeof(lists) / sizeof(lists[0]); i++) {
        size_t count;
        const char **texts = sorted(record, lists[i].table, lists[i].but, &count);
        if (!count)
            continue;
        put_list(record, &text, separator, "      ", lists[i].name, texts, count);
        separator = ",\n";
    }
    if (text.size)
        cook_buf_printf(out, "    \"references\": {\n%s\n    }", cook_buf_text(&text));
    record->failed |= text.failed;
    cook_buf_finish(&text);
}

static void put_tags(struct record *record, struct cook_buf *out, const char *separator)
{
    size_t count;
    const char **keys = sorted(record, &record->tag_keys, NULL, &count);
    if (!count)
        return;
    cook_buf_printf(out, "%s    \"tags\": {", separator);
    for (size_t i = 0; i < count; i++) {
        cook_buf_printf(out, "%s      ", i ? ",\n" : "\n");
        put_string(record, out, keys[i]);
        cook_buf_printf(out, ": ");
        put_string(record, out, record->tag_values[cook_intern_find(&record->tag_keys, keys[i])]);
    }
    cook_buf_printf(out, "\n    }");
}

static void put_record(struct record *record, struct cook_buf *out)
{
    struct cook_buf text = COOK_BUF_INIT;
    size_t count;
    put_references(record, &text);
    const char **build = sorted(record, &record->build, NULL, &count);
    if (count)
        put_list(record, &text, text.size ? ",\n" : "", "    ", "build", build, count);
    put_tags(record, &text, text.size ? ",\n" : "");
    if (text.size)
        cook_buf_printf(out, "{\n%s\n  }", cook_buf_text(&text));
    record->failed |= text.failed;
    cook_buf_finish(&text);
}

enum cook_status cook_session_resave(struct cook_session *session, struct cook_package *package,
                                     struct cook_context *context, struct cook_save_result *result)
{
    struct record record = { .package = package };
    *result = (struct cook_save_result){ 0 };
    cook_token_map_init(&result->tokens);
    context->saving = true;
    context->editor_save = true;
    enum cook_status status = harvest_all(&record, session, package, context);
    size_t records = cook_record_count(&context->record);
    size_t uses = context->use_count;
    if (status == COOK_OK)
        status = cook_session_events(context, package, COOK_EVENT_EDITOR_SAVE);
    if (status == COOK_OK)
        take_declared(&record, context, records, uses);
    mark_objects(package, false);
    if (status == COOK_OK)
        status = cook_session_tags(context, package, result, take_tag, &record);
    if (status == COOK_OK)
        put_record(&record, &result->bytes);
    if (status == COOK_OK && (record.failed || result->bytes.failed))
        status = COOK_E_NO_MEMORY;
    struct cook_intern *tables[] = { &record.hard,     &record.soft,     &record.true_soft,
                                     &record.all_hard, &record.all_soft, &record.build,
                                     &record.tag_keys };
    for (size_t i = 0; i < sizeof(tables) / sizeof(tables[0]); i++)
        cook_intern_finish(tables[i]);
    cook_free(record.tag_values);
    cook_arena_finish(&record.arena);
    result->ok = status == COOK_OK && !cook_context_has_errors(context);
    return status;
}
