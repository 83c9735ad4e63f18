/*
 * Planted faults for the judge, beside clean twins of the same class: a file read behind the SDK's
 * back, a clock in the bytes, both in one object, and a warning that only the hidden file silences.
 */
#include <stdio.h>
#include <time.h>

#include <cook/cook.h>

struct subject {
    struct cook_object object;
    int32_t fault; /* enum Fault */
};

enum fault { FAULT_NONE = 0, FAULT_HIDDEN_FILE = 1, FAULT_CLOCK = 2, FAULT_BOTH = 3, FAULT_MESSAGE = 4 };

static const struct cook_enum_entry fault_entries[] = {
    { "None", FAULT_NONE }, { "HiddenFile", FAULT_HIDDEN_FILE }, { "Clock", FAULT_CLOCK },
    { "Both", FAULT_BOTH }, { "Message", FAULT_MESSAGE },        { NULL, 0 },
};
static const struct cook_enum fault_enum = { "Fault", fault_entries };

static const struct cook_property subject_properties[] = {
    COOK_PROPERTY_TYPED(struct subject, fault, "Fault", COOK_PROPERTY_ENUM, "Fault"),
    COOK_PROPERTY_END,
};

static uint32_t read_hidden(void)
{
    uint32_t value = 0;
    FILE *file = fopen("hidden.txt", "r"); /* the fault: no dependency knows of it */
    if (file) {
        if (fscanf(file, "%u", &value) != 1)
            value = 0;
        fclose(file);
    }
    return value;
}

static uint64_t read_clock(void)
{
    struct timespec now;
    clock_gettime(CLOCK_REALTIME, &now); /* the fault: another value each time */
    return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}

static void subject_serialize(struct cook_archive *archive, void *object)
{
    struct subject *self = object;
    uint32_t hidden = 0;
    uint64_t clock = 0;
    if (cook_archive_phase(archive) == COOK_PHASE_LOAD)
        return;
    if (self->fault == FAULT_HIDDEN_FILE || self->fault == FAULT_BOTH)
        hidden = read_hidden();
    if (self->fault == FAULT_CLOCK || self->fault == FAULT_BOTH)
        clock = read_clock();
    if (self->fault == FAULT_MESSAGE && cook_archive_phase(archive) == COOK_PHASE_WRITE &&
        read_hidden() == 0)
        cook_log(cook_archive_context(archive), COOK_SEVERITY_WARNING, "nothing is hidden here");
    cook_field_u32(archive, "Hidden", &hidden);
    cook_field_u64(archive, "Clock", &clock);
}

static const struct cook_class subject_class = {
    .name = "Subject",
    .size = sizeof(struct subject),
    .properties = subject_properties,
    .serialize = subject_serialize,
};

COOK_PLUGIN_VERSION

COOK_PLUGIN_EXPORT enum cook_status cook_plugin_main(struct cook_registrar *registrar);

enum cook_status cook_plugin_main(struct cook_registrar *registrar)
{
    cook_register_module(registrar, "Judge");
    cook_register_enum(registrar, &fault_enum);
    cook_register_class(registrar, &subject_class);
    return COOK_OK;
}
