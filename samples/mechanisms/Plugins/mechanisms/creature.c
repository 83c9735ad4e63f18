/*
 * Creature: what others refer to, dereference, query and index here. It shows
 *
 * - an embedded struct with a native field: CreatureStats is loaded and saved by its table and
 *   its serialize hook wherever a class holds it. Its version enters the schema of all of them;
 *   without it a changed layout would leave old bytes in every package that holds one.
 * - post_load and pre_save: what is read in post_load is in the creature's *load set*, which
 *   all who dereference it inherit; what is read in pre_save concerns the creature's package
 *   alone.
 * - registry tags: facts for who looks for objects without loading them. Config says which the
 *   runtime gets.
 */
#include "mechanisms.h"

#include <stdio.h>

#define STATS_VERSION 1u

static const struct cook_property stats_properties[] = {
    COOK_PROPERTY(struct creature_stats, health, "Health", COOK_PROPERTY_I32),
    COOK_PROPERTY(struct creature_stats, strength, "Strength", COOK_PROPERTY_I32),
    COOK_PROPERTY_END,
};

/* All three phases in one: at load the JSON members "Day" and "Night" are read. */
static void stats_serialize(struct cook_archive *archive, void *value)
{
    struct creature_stats *stats = value;

    cook_field_group(archive, "Moods");
    cook_field_u8(archive, "Day", &stats->moods[0]);
    cook_field_u8(archive, "Night", &stats->moods[1]);
    cook_field_group_end(archive);
}

static void stats_versions(struct cook_schema *schema)
{
    cook_schema_add_version(schema, "mechanisms.creature-stats", STATS_VERSION);
}

static const struct cook_struct stats_struct = {
    .name = "CreatureStats",
    .size = sizeof(struct creature_stats),
    .properties = stats_properties,
    .serialize = stats_serialize,
    .declare_custom_versions = stats_versions,
};

static const struct cook_property properties[] = {
    COOK_PROPERTY_TYPED(struct creature, stats, "Stats", COOK_PROPERTY_STRUCT, "CreatureStats"),
    COOK_PROPERTY_END,
};

static enum cook_status post_load(struct cook_context *context, void *object)
{
    struct creature *self = object;

    self->power =
        self->stats.strength * cook_config_int(context, "Mechanisms", "PowerScale", 1);
    return COOK_OK;
}

static enum cook_status pre_save(struct cook_context *context, void *object)
{
    struct creature *self = object;
    int64_t step = cook_config_int(context, "Mechanisms", "Rounding", 1);

    if (step < 1) {
        cook_log(context, COOK_SEVERITY_ERROR, "[Mechanisms] Rounding must be 1 or more");
        return COOK_E_CONFIG;
    }
    return exhibit_show(context, &self->exhibit, "power %lld",
                        (long long)(self->power / step * step));
}

static enum cook_status get_registry_tags(struct cook_context *context, const void *object,
                                          struct cook_tags *tags)
{
    const struct creature *self = object;
    char strength[32];

    (void)context;
    (void)snprintf(strength, sizeof(strength), "%d", self->stats.strength);
    cook_add_tag(tags, "CreatureStrength", strength);
    cook_add_tag(tags, "Author", "kept from the runtime");
    return COOK_OK;
}

static const struct cook_class creature_class = {
    .name = "Creature",
    .parent = EXHIBIT_CLASS,
    .size = sizeof(struct creature),
    .properties = properties,
    .post_load = post_load,
    .pre_save = pre_save,
    .get_registry_tags = get_registry_tags,
};

void mechanisms_register_creature(struct cook_registrar *registrar)
{
    cook_register_struct(registrar, &stats_struct);
    cook_register_class(registrar, &creature_class);
}
