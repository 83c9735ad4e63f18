/*
 * Mechanisms: what each part of the class SDK is for, in a few lines each. Every file says why
 * the mechanism is there, what it gives, and what goes wrong without it; README.md has the
 * table.
 *
 * All classes here derive from Exhibit, which saves one text, "Value". So each of them only has
 * to make that text from the input that it is about.
 */
#ifndef MECHANISMS_H
#define MECHANISMS_H

#include <cook/cook.h>

#define EXHIBIT_CLASS  "/Script/Mechanisms.Exhibit"
#define CREATURE_CLASS "/Script/Mechanisms.Creature"

struct exhibit {
    struct cook_object object; /* always first */
    struct cook_string about;  /* for whoever edits the asset: never saved */
    struct cook_string value;  /* derived */
};
/* Set the text that is saved; printf-like. */
enum cook_status exhibit_show(struct cook_context *context, struct exhibit *self,
                              const char *format, ...) __attribute__((format(printf, 3, 4)));
/* The same with the sorted texts of a listing, as "a b c". */
enum cook_status exhibit_show_list(struct cook_context *context, struct exhibit *self,
                                   const struct cook_array *texts);

struct creature_stats {
    int32_t health;
    int32_t strength;
    uint8_t moods[2]; /* native: by serialize */
};
struct creature {
    struct exhibit exhibit; /* a child's struct starts with its parent's */
    struct creature_stats stats;
    int64_t power; /* known after post_load */
};

void mechanisms_register_exhibit(struct cook_registrar *registrar);
void mechanisms_register_creature(struct cook_registrar *registrar);
void mechanisms_register_read_settings(struct cook_registrar *registrar);
void mechanisms_register_read_files(struct cook_registrar *registrar);
void mechanisms_register_read_registry(struct cook_registrar *registrar);
void mechanisms_register_read_packages(struct cook_registrar *registrar);
void mechanisms_register_scopes(struct cook_registrar *registrar);
void mechanisms_register_declare(struct cook_registrar *registrar);
void mechanisms_register_editor_save(struct cook_registrar *registrar);
void mechanisms_register_schema(struct cook_registrar *registrar);
void mechanisms_register_runtime_references(struct cook_registrar *registrar);
void mechanisms_register_configurations(struct cook_registrar *registrar);
void mechanisms_register_editor_only(struct cook_registrar *registrar);
void mechanisms_register_additional_files(struct cook_registrar *registrar);
void mechanisms_register_transform(struct cook_registrar *registrar);
void mechanisms_register_helper(struct cook_registrar *registrar);
void mechanisms_register_note_reader(struct cook_registrar *registrar);
void mechanisms_register_bestiary(struct cook_registrar *registrar);

#endif
