#include <cjson/cJSON.h>

#include "report.h"
#include "value.h"

/* Texts come from stores and file systems: what is no UTF-8 must not reach a document. */
static void add_text(cJSON *object, const char *key, const char *text)
{
    struct cook_arena arena = COOK_ARENA_INIT;
    const char *clean = text ? diff_clean_text(text, &arena) : NULL;
    if (clean)
        cJSON_AddStringToObject(object, key, clean);
    else
        cJSON_AddNullToObject(object, key);
    cook_arena_finish(&arena);
}

static void add_parts(cJSON *json, uint32_t parts)
{
    static const char *const names[] = { "bytes", "references", "messages", "files" };
    cJSON *array = cJSON_AddArrayToObject(json, "parts");
    for (unsigned i = 0; i < sizeof(names) / sizeof(names[0]); i++)
        if (parts & 1u << i)
            cJSON_AddItemToArray(array, cJSON_CreateString(names[i]));
}

static void add_details(cJSON *json, const char *key, enum diff_part part,
                        const struct diff_package *package)
{
    cJSON *array = cJSON_AddArrayToObject(json, key);
    for (size_t i = 0; package && i < package->detail_count; i++) {
        const struct diff_detail *detail = &package->details[i];
        if (detail->part != part)
            continue;
        cJSON *item = cJSON_CreateObject();
        cJSON_AddStringToObject(item, "change", diff_change_text(detail->change));
        cJSON_AddStringToObject(item, "kind", detail->kind);
        add_text(item, part == DIFF_PART_MESSAGES ? "text" : "path", detail->text);
        if (part == DIFF_PART_REFERENCES) {
            add_text(item, "package", detail->package);
            add_text(item, "property", detail->property);
        }
        cJSON_AddItemToArray(array, item);
    }
}

static void add_size(cJSON *json, const char *key, bool present, uint64_t size)
{
    if (present)
        cJSON_AddNumberToObject(json, key, (double)size);
    else
        cJSON_AddNullToObject(json, key);
}

static void add_entries(cJSON *json, const struct diff_output *output)
{
    cJSON *array = cJSON_AddArrayToObject(json, "entries");
    for (size_t i = 0; i < output->entry_count; i++) {
        const struct diff_output_entry *entry = &output->entries[i];
        cJSON *item = cJSON_CreateObject();
        cJSON_AddStringToObject(item, "change", diff_change_text(entry->change));
        add_text(item, "entry", entry->key);
        add_text(item, "old", entry->old);
        add_text(item, "new", entry->new);
        cJSON_AddItemToArray(array, item);
    }
    cJSON_AddNumberToObject(json, "dropped_entries", (double)output->dropped_entries);
}

cJSON *diff_outputs_to_json(const struct diff_comparison *comparison)
{
    cJSON *array = cJSON_CreateArray();
    for (size_t i = 0; array && i < comparison->output_count; i++) {
        const struct diff_output *output = &comparison->outputs[i];
        cJSON *item = cJSON_CreateObject();
        add_text(item, "artifact", output->artifact);
        add_text(item, "file", output->file);
        cJSON_AddStringToObject(item, "change", diff_change_text(output->change));
        add_size(item, "old_bytes", output->change != DIFF_ADDED, output->old_bytes);
        add_size(item, "new_bytes", output->change != DIFF_DELETED, output->new_bytes);
        add_entries(item, output);
        if (!cJSON_AddItemToArray(array, item)) {
            cJSON_Delete(item);
            cJSON_Delete(array);
            array = NULL;
        }
    }
    return array;
}

cJSON *diff_staged_to_json(const struct diff_comparison *comparison)
{
    cJSON *array = cJSON_CreateArray();
    for (size_t i = 0; array && i < comparison->staged_count; i++) {
        cJSON *item = cJSON_CreateObject();
        add_text(item, "file", comparison->staged[i].path);
        cJSON_AddStringToObject(item, "change", diff_change_text(comparison->staged[i].change));
        if (!cJSON_AddItemToArray(array, item)) {
            cJSON_Delete(item);
            cJSON_Delete(array);
            array = NULL;
        }
    }
    return array;
}

cJSON *diff_entry_to_json(const struct diff_entry *entry, const struct diff_package *package,
                          const char *note, const struct diff_print_options *print)
{
    cJSON *json = cJSON_CreateObject();
    add_text(json, "name", entry->name);
    cJSON_AddStringToObject(json, "change", diff_change_text(entry->change));
    add_parts(json, entry->parts);
    add_size(json, "old_bytes", entry->change != DIFF_ADDED, entry->old_bytes);
    add_size(json, "new_bytes", entry->change != DIFF_DELETED, entry->new_bytes);
    cJSON *differences =
        package ? diff_result_to_json(&package->result, print) : cJSON_CreateArray();
    if (!differences) {
        cJSON_Delete(json);
        return NULL;
    }
    cJSON_AddItemToObject(json, "differences", differences);
    cJSON_AddBoolToObject(json, "compared", package != NULL && !package->problem);
    cJSON_AddBoolToObject(json, "by_offset", package && package->result.by_offset);
    cJSON_AddNumberToObject(json, "dropped_differences",
                            package ? (double)package->result.dropped_differences : 0);
    cJSON_AddNumberToObject(json, "dropped_consequences",
                            package ? (double)package->result.dropped_consequences : 0);
    add_details(json, "references", DIFF_PART_REFERENCES, package);
    add_details(json, "messages", DIFF_PART_MESSAGES, package);
    add_details(json, "files", DIFF_PART_FILES, package);
    cJSON *referrers = cJSON_AddArrayToObject(json, "referrers");
    for (size_t i = 0; i < entry->referrer_count; i++)
        cJSON_AddItemToArray(referrers, cJSON_CreateString(entry->referrers[i]));
    add_text(json, "problem", package ? package->problem : NULL);
    add_text(json, "note", note);
    return json;
}
