/*
 * The catalogue of planted faults: a class for each, whose name is the fault's. A package with
 * Clean set is the clean twin, which does the same work the right way. Faults of code that
 * changes have a class of their own for the twin, since it is the class's version that differs.
 */
#ifndef CATALOGUE_H
#define CATALOGUE_H

#include <cook/cook.h>

struct subject {
    struct cook_object object;
    bool clean;
    struct cook_ref other; /* a package that some faults look into */
    uint64_t made;         /* by a hook before the save */
    uint8_t *bytes;        /* of begin_cache */
    uint32_t count;
};

static const struct cook_property subject_properties[] = {
    COOK_PROPERTY(struct subject, clean, "Clean", COOK_PROPERTY_BOOL),
    COOK_PROPERTY_FLAGGED(struct subject, other, "Other", COOK_PROPERTY_REF,
                          COOK_PROPERTY_EDITOR_ONLY),
    COOK_PROPERTY_END,
};

/* What goes into the bytes, in a function of its own, so that it stands on callstacks. */
#define VALUE(name)                                                                            \
    __attribute__((noinline)) static uint64_t name##_value(struct cook_context *context,       \
                                                           struct subject *self)
#define FAULT(fault, ...)                                                                      \
    static void fault##_serialize(struct cook_archive *archive, void *object)                  \
    {                                                                                          \
        uint64_t value = 0;                                                                    \
        if (cook_archive_phase(archive) == COOK_PHASE_LOAD)                                    \
            return;                                                                            \
        if (cook_archive_phase(archive) == COOK_PHASE_WRITE)                                   \
            value = fault##_value(cook_archive_context(archive), object);                      \
        cook_field_u64(archive, "Value", &value);                                              \
    }                                                                                          \
    static const struct cook_class fault##_class = { .name = #fault,                           \
                                                     .size = sizeof(struct subject),           \
                                                     .properties = subject_properties,         \
                                                     .serialize = fault##_serialize,           \
                                                     __VA_ARGS__ };
#define PLAIN .parent = NULL

uint64_t catalogue_hash(const char *text); /* NULL allowed */

void catalogue_register_inputs(struct cook_registrar *registrar);
void catalogue_register_machine(struct cook_registrar *registrar);
void catalogue_register_state(struct cook_registrar *registrar);
void catalogue_register_code(struct cook_registrar *registrar);
void catalogue_register_noise(struct cook_registrar *registrar);

#endif
