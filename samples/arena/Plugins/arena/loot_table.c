/*
 * LootTable: a map of structs, and a file that shapes the result. The file is read through the
 * context; so it is a build dependency, and the tables are recooked on the day that it changes.
 */
#include "arena.h"

#include <stdlib.h>

#define LOOT_TABLE_VERSION 1u
#define DIFFICULTY_FILE    "Content/Data/difficulty.txt" /* one number */

struct loot_entry {
    struct cook_soft_ref item;
    float weight;
    int32_t min_level;
};

struct loot_table {
    struct cook_object object;
    struct cook_map entries; /* name to struct loot_entry */
    float *chances;          /* derived: one an entry, their sum is 1 */
};

static const struct cook_property entry_properties[] = {
    COOK_PROPERTY(struct loot_entry, item, "Item", COOK_PROPERTY_SOFT_REF),
    COOK_PROPERTY(struct loot_entry, weight, "Weight", COOK_PROPERTY_F32),
    COOK_PROPERTY(struct loot_entry, min_level, "MinLevel", COOK_PROPERTY_I32),
    COOK_PROPERTY_END,
};

static void entry_construct(void *value)
{
    struct loot_entry *self = value;

    self->weight = 1.0f;
}

static const struct cook_struct loot_entry_struct = {
    .name = "LootEntry",
    .size = sizeof(struct loot_entry),
    .properties = entry_properties,
    .construct = entry_construct,
};

static const struct cook_property table_properties[] = {
    COOK_PROPERTY_MAP_OF(struct loot_table, entries, "Entries", COOK_PROPERTY_STRUCT,
                         "LootEntry"),
    COOK_PROPERTY_END,
};

/* 1 when there is no such file; that it was not there is recorded too. */
static float read_difficulty(struct cook_context *context)
{
    struct cook_bytes bytes;

    if (cook_read_file(context, DIFFICULTY_FILE, &bytes) != COOK_OK)
        return 1.0f;
    return strtof((const char *)bytes.data, NULL);
}

/* A harder game gives better loot: what asks for a higher level is found more often. */
static enum cook_status table_pre_save(struct cook_context *context, void *object)
{
    struct loot_table *self = object;
    const struct loot_entry *entries = self->entries.values;
    float difficulty = read_difficulty(context);
    float sum = 0;

    self->chances = cook_alloc_array(context, self->entries.count, sizeof(*self->chances));
    if (!self->chances && self->entries.count > 0)
        return COOK_E_NO_MEMORY;
    for (uint32_t i = 0; i < self->entries.count; i++) {
        float bonus = 1.0f + difficulty * (float)(entries[i].min_level - 1) / 10.0f;

        self->chances[i] = entries[i].weight * bonus;
        sum += self->chances[i];
    }
    for (uint32_t i = 0; i < self->entries.count && sum > 0; i++)
        self->chances[i] /= sum;
    return COOK_OK;
}

static void table_serialize(struct cook_archive *archive, void *object)
{
    struct loot_table *self = object;
    uint32_t count = self->entries.count;

    if (cook_archive_phase(archive) == COOK_PHASE_LOAD)
        return;
    cook_field_array(archive, "Chances", &count);
    for (uint32_t i = 0; i < count; i++) {
        cook_field_element(archive, i);
        cook_field_f32(archive, NULL, &self->chances[i]);
    }
    cook_field_array_end(archive);
}

static void table_append_to_class_schema(struct cook_schema *schema)
{
    cook_schema_add_version(schema, "arena.loot-table", LOOT_TABLE_VERSION);
}

static const struct cook_class loot_table_class = {
    .name = "LootTable",
    .size = sizeof(struct loot_table),
    .properties = table_properties,
    .pre_save = table_pre_save,
    .serialize = table_serialize,
    .append_to_class_schema = table_append_to_class_schema,
};

void arena_register_loot_table(struct cook_registrar *registrar)
{
    cook_register_struct(registrar, &loot_entry_struct);
    cook_register_class(registrar, &loot_table_class);
}
