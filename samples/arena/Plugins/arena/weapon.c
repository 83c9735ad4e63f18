/*
 * Weapon: an enum, an embedded struct, default values, editor-only text, and native fields,
 * which the class writes by itself.
 */
#include "arena.h"

#include <math.h>

/* Bump when weapon_serialize() writes something else for the same weapon. */
#define WEAPON_VERSION 1u

static const struct cook_enum_entry kind_entries[] = {
    { "None", ARENA_WEAPON_NONE },
    { "Blade", ARENA_WEAPON_BLADE },
    { "Bow", ARENA_WEAPON_BOW },
    { "Staff", ARENA_WEAPON_STAFF },
    { NULL, 0 },
};
static const struct cook_enum weapon_kind = { "WeaponKind", kind_entries };

static const struct cook_property damage_properties[] = {
    COOK_PROPERTY(struct arena_damage_range, min, "Min", COOK_PROPERTY_F32),
    COOK_PROPERTY(struct arena_damage_range, max, "Max", COOK_PROPERTY_F32),
    COOK_PROPERTY_END,
};
static const struct cook_struct damage_range = {
    .name = "DamageRange",
    .size = sizeof(struct arena_damage_range),
    .properties = damage_properties,
};

static const struct cook_property weapon_properties[] = {
    COOK_PROPERTY_TYPED(struct arena_weapon, kind, "Kind", COOK_PROPERTY_ENUM, "WeaponKind"),
    COOK_PROPERTY_TYPED(struct arena_weapon, damage, "Damage", COOK_PROPERTY_STRUCT,
                        "DamageRange"),
    COOK_PROPERTY(struct arena_weapon, rate_hz, "Rate", COOK_PROPERTY_F32),
    /* NATIVE: the table loads it, weapon_serialize() saves it in a form of its own. */
    COOK_PROPERTY_FLAGGED(struct arena_weapon, crit_chance, "CritChance", COOK_PROPERTY_F32,
                          COOK_PROPERTY_NATIVE),
    COOK_PROPERTY(struct arena_weapon, crit_multiplier, "CritMultiplier", COOK_PROPERTY_F32),
    COOK_PROPERTY_ARRAY_OF(struct arena_weapon, tags, "Tags", COOK_PROPERTY_NAME, NULL),
    COOK_PROPERTY(struct arena_weapon, mesh, "Mesh", COOK_PROPERTY_REF),
    COOK_PROPERTY(struct arena_weapon, icon, "Icon", COOK_PROPERTY_SOFT_REF),
    COOK_PROPERTY_ARRAY_OF(struct arena_weapon, upgrades, "Upgrades", COOK_PROPERTY_SOFT_REF,
                           NULL),
    /* EDITOR_ONLY: loaded, never saved. Changing it gives the same bytes: a false recook. */
    COOK_PROPERTY_FLAGGED(struct arena_weapon, designer_notes, "DesignerNotes",
                          COOK_PROPERTY_STRING, COOK_PROPERTY_EDITOR_ONLY),
    COOK_PROPERTY_END,
};

/* Default values; they enter the class schema. The struct is zeroed before. */
static void weapon_construct(void *object)
{
    struct arena_weapon *self = object;

    self->rate_hz = 1.0f;
    self->crit_multiplier = 2.0f;
}

static float damage_per_second(const struct arena_weapon *self)
{
    float mean = (self->damage.min + self->damage.max) / 2;

    return mean * self->rate_hz;
}

/* The array protocol: one loop for load, harvest and write (archive.h). */
static void serialize_combo(struct cook_archive *archive, struct arena_weapon *self)
{
    cook_field_array(archive, "Combo", &self->combo_count);
    if (cook_archive_phase(archive) == COOK_PHASE_LOAD && self->combo_count > 0) {
        self->combo_ms = cook_alloc_array(cook_archive_context(archive), self->combo_count,
                                          sizeof(*self->combo_ms));
        if (!self->combo_ms) {
            self->combo_count = 0;
            cook_archive_fail(archive, "out of memory");
        }
    }
    for (uint32_t i = 0; i < self->combo_count; i++) {
        cook_field_element(archive, i);
        cook_field_u16(archive, NULL, &self->combo_ms[i]);
    }
    cook_field_array_end(archive);
}

static void weapon_serialize(struct cook_archive *archive, void *object)
{
    struct arena_weapon *self = object;
    uint8_t chance;
    float per_second;

    serialize_combo(archive, self);
    if (cook_archive_phase(archive) == COOK_PHASE_LOAD)
        return; /* what follows is made from the properties, for the cooked package only */

    chance = (uint8_t)lroundf(fminf(fmaxf(self->crit_chance, 0.0f), 1.0f) * 255.0f);
    cook_field_u8(archive, "CritChance", &chance);
    per_second = damage_per_second(self);
    cook_field_f32(archive, "DamagePerSecond", &per_second);
}

static void weapon_append_to_class_schema(struct cook_schema *schema)
{
    cook_schema_add_version(schema, "arena.weapon", WEAPON_VERSION);
}

static const struct cook_class weapon_class = {
    .name = "Weapon",
    .size = sizeof(struct arena_weapon),
    .properties = weapon_properties,
    .construct = weapon_construct,
    .serialize = weapon_serialize,
    .append_to_class_schema = weapon_append_to_class_schema,
};

void arena_register_weapon(struct cook_registrar *registrar)
{
    cook_register_enum(registrar, &weapon_kind);
    cook_register_struct(registrar, &damage_range);
    cook_register_class(registrar, &weapon_class);
}
