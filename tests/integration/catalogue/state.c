/* Values kept in static variables, and what one package leaves behind for the next. */
#include <errno.h>
#include <fenv.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "catalogue.h"

/* Each keeps what its first package read; the twin reads anew. */
VALUE(CachedConfig)
{
    static const char *kept;
    const char *value =
        self->clean || !kept ? cook_config(context, "Catalogue", "Cached", NULL) : kept;
    kept = value ? value : "";
    return catalogue_hash(kept);
}
FAULT(CachedConfig, PLAIN)

VALUE(CachedVariable)
{
    static const char *kept;
    const char *value =
        self->clean || !kept ? cook_console_variable(context, "r.Catalogue") : kept;
    kept = value ? value : "";
    return catalogue_hash(kept);
}
FAULT(CachedVariable, PLAIN)

VALUE(CachedToken)
{
    static const char *kept;
    const char *value = self->clean || !kept ? cook_command_line(context, "Cached") : kept;
    kept = value ? value : "";
    return catalogue_hash(kept);
}
FAULT(CachedToken, PLAIN)

VALUE(CachedEnvironment)
{
    static uint64_t kept;
    if (self->clean || !kept)
        kept = catalogue_hash(cook_environment(context, "CATALOGUE_CACHED"));
    return kept;
}
FAULT(CachedEnvironment, PLAIN)

VALUE(CachedFile)
{
    static uint64_t kept;
    struct cook_bytes bytes;
    if (self->clean || !kept)
        kept = cook_read_file(context, "declared/cached.txt", &bytes) == COOK_OK
                   ? catalogue_hash((const char *)bytes.data)
                   : 1;
    return kept;
}
FAULT(CachedFile, PLAIN)

VALUE(CachedFolder)
{
    static uint64_t kept;
    struct cook_array names;
    if (self->clean || !kept)
        kept = cook_list_folder(context, "declared/folder", &names) == COOK_OK ? names.count + 1
                                                                               : 1;
    return kept;
}
FAULT(CachedFolder, PLAIN)

VALUE(CachedQuery)
{
    static uint64_t kept;
    struct cook_array paths;
    struct cook_query query = { .path_glob = "/Game/Counted*" };
    if (self->clean || !kept)
        kept = cook_query_objects(context, &query, &paths) == COOK_OK ? paths.count + 1 : 1;
    return kept;
}
FAULT(CachedQuery, PLAIN)

/* A number that another package's object holds. */
struct source {
    struct cook_object object;
    uint32_t number;
};
static const struct cook_property source_properties[] = {
    COOK_PROPERTY(struct source, number, "Number", COOK_PROPERTY_U32),
    COOK_PROPERTY_END,
};
static const struct cook_class source_class = {
    .name = "Source",
    .size = sizeof(struct source),
    .properties = source_properties,
};

VALUE(CachedPointer)
{
    static const struct source *kept;
    struct cook_ref reference = self->other;
    if (self->clean || !kept)
        kept = cook_dereference(cook_enter_scope(context, COOK_SCOPE_BUILD_ONLY), reference);
    return kept ? kept->number : 0;
}
FAULT(CachedPointer, PLAIN)

/* ---- left behind ---- */

VALUE(StaticCounter)
{
    static uint64_t cooked;
    (void)context;
    return self->clean ? 1 : ++cooked;
}
FAULT(StaticCounter, PLAIN)

static uint64_t singleton = 1;

/* Not wrong by itself: what it sets is meant for its own package. */
VALUE(SingletonSetter)
{
    (void)context;
    singleton = self->clean ? 1 : 2;
    return 7;
}
FAULT(SingletonSetter, PLAIN)

VALUE(Singleton)
{
    (void)context;
    return self->clean ? 1 : singleton;
}
FAULT(Singleton, PLAIN)

VALUE(LeftoverBuffer)
{
    static char buffer[64];
    const char *name = cook_package_name(context);
    if (self->clean)
        memset(buffer, 0, sizeof(buffer));
    memcpy(buffer, name, strlen(name) < 32 ? strlen(name) : 32); /* no end after the text */
    return self->clean ? catalogue_hash(name) : catalogue_hash(buffer);
}
FAULT(LeftoverBuffer, PLAIN)

VALUE(FloatModeSetter)
{
    (void)context;
    if (!self->clean)
        fesetround(FE_DOWNWARD); /* and not back again */
    return 7;
}
FAULT(FloatModeSetter, PLAIN)

VALUE(FloatMode)
{
    volatile float three = 3.0f;
    volatile float third;
    uint32_t bits;
    (void)context;
    if (self->clean)
        fesetround(FE_TONEAREST);
    third = 1.0f / three;
    float value = third;
    memcpy(&bits, &value, sizeof(bits));
    return bits;
}
FAULT(FloatMode, PLAIN)

VALUE(ErrnoLeakSetter)
{
    (void)context;
    if (!self->clean)
        errno = ENOTTY;
    return 7;
}
FAULT(ErrnoLeakSetter, PLAIN)

VALUE(ErrnoLeak)
{
    (void)context;
    if (self->clean)
        errno = 0;
    double value = strtod("12", NULL); /* sets errno only when it fails */
    return (uint64_t)value + (errno ? 1000 : 0);
}
FAULT(ErrnoLeak, PLAIN)

/* A name that is kept for each thread is kept from one package to the next. */
VALUE(ThreadLocal)
{
    static _Thread_local uint64_t longest;
    uint64_t length = strlen(cook_package_name(context));
    if (self->clean || longest < length)
        longest = length;
    return longest;
}
FAULT(ThreadLocal, PLAIN)

void catalogue_register_state(struct cook_registrar *registrar)
{
    const struct cook_class *const classes[] = {
        &CachedConfig_class,      &CachedVariable_class,  &CachedToken_class,
        &CachedEnvironment_class, &CachedFile_class,      &CachedFolder_class,
        &CachedQuery_class,       &source_class,          &CachedPointer_class,
        &StaticCounter_class,     &SingletonSetter_class, &Singleton_class,
        &LeftoverBuffer_class,    &FloatModeSetter_class, &FloatMode_class,
        &ErrnoLeakSetter_class,   &ErrnoLeak_class,       &ThreadLocal_class,
    };
    for (size_t i = 0; i < sizeof(classes) / sizeof(classes[0]); i++)
        cook_register_class(registrar, classes[i]);
}
