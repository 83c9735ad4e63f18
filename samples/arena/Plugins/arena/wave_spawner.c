/*
 * WaveSpawner: a transform that looks around. It reads a schedule file and a config value,
 * dereferences weapons and a mesh, and saves an array of structs made of all these. Every one
 * of the reads is recorded by the context: nothing has to be declared.
 */
#include "arena.h"

#include <stdio.h>
#include <string.h>

#define WAVE_SPAWNER_VERSION 1u

struct wave {
    float start_s;
    uint32_t count;
    uint32_t weapon; /* index into the spawner's weapons */
    float threat;    /* damage a second of the whole wave */
};

struct wave_spawner {
    struct cook_object object;
    struct cook_string schedule; /* path of a file with lines "start s, count, weapon" */
    struct cook_array weapons;   /* of struct cook_ref */
    struct cook_ref marker;      /* StaticMesh that shows where it stands, or null */
    struct wave *waves;          /* derived */
    uint32_t wave_count;
    float clearance_m; /* derived: height of the marker */
};

static const struct cook_property wave_properties[] = {
    COOK_PROPERTY(struct wave, start_s, "Start", COOK_PROPERTY_F32),
    COOK_PROPERTY(struct wave, count, "Count", COOK_PROPERTY_U32),
    COOK_PROPERTY(struct wave, weapon, "Weapon", COOK_PROPERTY_U32),
    COOK_PROPERTY(struct wave, threat, "Threat", COOK_PROPERTY_F32),
    COOK_PROPERTY_END,
};
static const struct cook_struct wave_struct = {
    .name = "Wave",
    .size = sizeof(struct wave),
    .properties = wave_properties,
};

static const struct cook_property spawner_properties[] = {
    COOK_PROPERTY(struct wave_spawner, schedule, "Schedule", COOK_PROPERTY_STRING),
    COOK_PROPERTY_ARRAY_OF(struct wave_spawner, weapons, "Weapons", COOK_PROPERTY_REF, NULL),
    COOK_PROPERTY(struct wave_spawner, marker, "Marker", COOK_PROPERTY_REF),
    COOK_PROPERTY_END,
};

/* The weapon of that name. Its package's load set becomes a dependency of this package. */
static const struct arena_weapon *find_weapon(struct cook_context *context,
                                              const struct wave_spawner *self, const char *name,
                                              uint32_t *index)
{
    const struct cook_ref *references = self->weapons.items;

    for (uint32_t i = 0; i < self->weapons.count; i++) {
        const struct arena_weapon *weapon =
            cook_dereference_as(context, references[i], "/Script/Arena.Weapon");

        if (weapon && strcmp(cook_object_name(weapon), name) == 0) {
            *index = i;
            return weapon;
        }
    }
    return NULL;
}

static enum cook_status parse_wave(struct cook_context *context, struct wave_spawner *self,
                                   const char *line, double scale)
{
    struct wave *wave = &self->waves[self->wave_count];
    const struct arena_weapon *weapon;
    char name[64];

    if (sscanf(line, "%f,%u,%63[A-Za-z0-9_]", &wave->start_s, &wave->count, name) != 3) {
        cook_log(context, COOK_SEVERITY_ERROR, "%s: wave %u: expected 'start,count,weapon'",
                 self->schedule.data, self->wave_count + 1);
        return COOK_E_MALFORMED;
    }
    weapon = find_weapon(context, self, name, &wave->weapon);
    if (!weapon) {
        cook_log(context, COOK_SEVERITY_WARNING, "%s: no weapon '%s': the wave is left out",
                 self->schedule.data, name);
        return COOK_OK;
    }
    wave->count = (uint32_t)((double)wave->count * scale + 0.5);
    wave->threat =
        (float)wave->count * (weapon->damage.min + weapon->damage.max) / 2 * weapon->rate_hz;
    self->wave_count++;
    return COOK_OK;
}

static enum cook_status read_schedule(struct cook_context *context, struct wave_spawner *self)
{
    double scale = cook_config_float(context, "Arena", "WaveScale", 1.0);
    struct cook_bytes bytes;
    enum cook_status status = cook_read_file(context, self->schedule.data, &bytes);
    size_t lines = 1;

    if (status != COOK_OK) {
        cook_log(context, COOK_SEVERITY_ERROR, "cannot read schedule '%s': %s",
                 self->schedule.data, cook_status_text(status));
        return status;
    }
    for (size_t i = 0; i < bytes.size; i++)
        lines += bytes.data[i] == '\n';
    self->waves = cook_alloc_array(context, lines, sizeof(*self->waves));
    if (!self->waves)
        return COOK_E_NO_MEMORY;
    for (const char *line = (const char *)bytes.data; *line != '\0' && status == COOK_OK;) {
        if (*line != '#' && *line != '\n')
            status = parse_wave(context, self, line, scale);
        line += strcspn(line, "\n");
        line += *line == '\n';
    }
    return status;
}

static enum cook_status spawner_pre_save(struct cook_context *context, void *object)
{
    struct wave_spawner *self = object;
    const struct cook_static_mesh *marker =
        cook_dereference_as(context, self->marker, "/Script/Cook.StaticMesh");

    if (marker)
        self->clearance_m = marker->bounds_max.y - marker->bounds_min.y;
    self->wave_count = 0;
    return self->schedule.size > 0 ? read_schedule(context, self) : COOK_OK;
}

static void spawner_serialize(struct cook_archive *archive, void *object)
{
    struct wave_spawner *self = object;

    if (cook_archive_phase(archive) == COOK_PHASE_LOAD)
        return;
    cook_field_f32(archive, "Clearance", &self->clearance_m);
    cook_field_array(archive, "Waves", &self->wave_count);
    for (uint32_t i = 0; i < self->wave_count; i++) {
        cook_field_element(archive, i);
        cook_field_struct(archive, NULL, "Wave", &self->waves[i]);
    }
    cook_field_array_end(archive);
}

static void spawner_append_to_class_schema(struct cook_schema *schema)
{
    cook_schema_add_version(schema, "arena.wave-spawner", WAVE_SPAWNER_VERSION);
}

static const struct cook_class wave_spawner_class = {
    .name = "WaveSpawner",
    .size = sizeof(struct wave_spawner),
    .properties = spawner_properties,
    .pre_save = spawner_pre_save,
    .serialize = spawner_serialize,
    .append_to_class_schema = spawner_append_to_class_schema,
};

void arena_register_wave_spawner(struct cook_registrar *registrar)
{
    cook_register_struct(registrar, &wave_struct);
    cook_register_class(registrar, &wave_spawner_class);
}
