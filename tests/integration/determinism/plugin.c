/*
 * Planted indeterminisms, each beside a clean twin (the same fault with Clean set) that does
 * the same work the right way.
 */
#include <locale.h>
#include <langinfo.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include <cook/cook.h>

struct subject {
    struct cook_object object;
    int32_t fault; /* enum fault */
    bool clean;
    pthread_mutex_t lock; /* of appended */
    uint32_t appended_count;
    uint8_t appended[2];
};

enum fault {
    FAULT_NONE = 0,
    FAULT_CLOCK,
    FAULT_TIMEZONE,
    FAULT_LOCALE,
    FAULT_HOST,
    FAULT_ENVIRONMENT,
    FAULT_UMASK,
    FAULT_POINTER,
    FAULT_MEMORY,
    FAULT_COUNTER,
    FAULT_CACHE,
    FAULT_PROCESSORS,
    FAULT_RACE,
    FAULT_RANDOM,
    FAULT_PROCESS,
    FAULT_TOGETHER,
};

static const struct cook_enum_entry fault_entries[] = {
    { "None", FAULT_NONE },
    { "Clock", FAULT_CLOCK },
    { "Timezone", FAULT_TIMEZONE },
    { "Locale", FAULT_LOCALE },
    { "Host", FAULT_HOST },
    { "Environment", FAULT_ENVIRONMENT },
    { "Umask", FAULT_UMASK },
    { "Pointer", FAULT_POINTER },
    { "Memory", FAULT_MEMORY },
    { "Counter", FAULT_COUNTER },
    { "Cache", FAULT_CACHE },
    { "Processors", FAULT_PROCESSORS },
    { "Race", FAULT_RACE },
    { "Random", FAULT_RANDOM },
    { "Process", FAULT_PROCESS },
    { "Together", FAULT_TOGETHER },
    { NULL, 0 },
};
static const struct cook_enum fault_enum = { "Fault", fault_entries };

static const struct cook_property subject_properties[] = {
    COOK_PROPERTY_TYPED(struct subject, fault, "Fault", COOK_PROPERTY_ENUM, "Fault"),
    COOK_PROPERTY(struct subject, clean, "Clean", COOK_PROPERTY_BOOL),
    COOK_PROPERTY_END,
};

/* ---- the faults: each returns what goes into the bytes ---- */

static uint64_t timezone_of(bool clean)
{
    time_t moment = 1000000000;
    struct tm parts;
    tzset();
    if (clean)
        gmtime_r(&moment, &parts);
    else
        localtime_r(&moment, &parts);
    return (uint64_t)(parts.tm_hour * 60 + parts.tm_min);
}

static uint64_t hash_text(const char *text)
{
    uint64_t hash = 5381;
    for (; *text; text++)
        hash = hash * 33 + (unsigned char)*text;
    return hash;
}

static uint64_t codeset(bool clean)
{
    locale_t locale = newlocale(LC_ALL_MASK, clean ? "C" : "", (locale_t)0);
    uint64_t hash = locale ? hash_text(nl_langinfo_l(CODESET, locale)) : 0;
    if (locale)
        freelocale(locale);
    return hash;
}

static uint64_t host(bool clean)
{
    char name[256] = "";
    (void)gethostname(name, sizeof(name) - 1);
    return clean ? strlen(name) * 0 : hash_text(name);
}

static uint64_t environment(struct cook_context *context, bool clean)
{
    /* The twin declares what it reads: a dependency, so another value is another input. */
    const char *home = clean ? cook_environment(context, "HOME") : getenv("HOME");
    return hash_text(home ? home : "");
}

static uint64_t file_mode(bool clean)
{
    mode_t mask = umask(0);
    umask(mask);
    return clean ? 0666 : 0666 & ~mask;
}

static uint64_t pointer(const struct subject *subject, bool clean)
{
    void *block = malloc(64);
    uint64_t value = clean ? (uint64_t)subject->fault : (uint64_t)(uintptr_t)block >> 4;
    free(block);
    return value;
}

static uint64_t memory(bool clean)
{
    uint64_t value;
    unsigned char *block = clean ? calloc(1, 4000) : malloc(4000);
    if (!block)
        return 0;
    memcpy(&value, block + 2000, sizeof(value));
    free(block);
    return value;
}

static uint64_t counter(bool clean)
{
    static unsigned cooked; /* the fault: state that outlives a package */
    return clean ? 1 : ++cooked;
}

static uint64_t cached(struct cook_context *context, bool clean)
{
    static const char *kept; /* the fault: the second package records no read */
    const char *value = clean || !kept ? cook_config(context, "Subject", "Value", NULL) : kept;
    kept = value ? value : "";
    return hash_text(kept);
}

static uint64_t random_bytes(bool clean)
{
    uint64_t value = 4;
    FILE *file = fopen("/dev/urandom", "rb");
    if (!file || fread(&value, sizeof(value), 1, file) != 1)
        value = 4;
    if (file)
        fclose(file);
    return clean ? 4 : value;
}

/* Only an unusual zone and an unusual mask at once show it. */
static uint64_t together(bool clean)
{
    return timezone_of(clean) % 60 != 46 && (file_mode(clean) & 077) == 0;
}

static uint64_t value_of(struct cook_context *context, const struct subject *self)
{
    struct timespec now;
    switch ((enum fault)self->fault) {
    case FAULT_CLOCK:
        clock_gettime(CLOCK_REALTIME, &now);
        return self->clean ? 0 : (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
    case FAULT_TIMEZONE:
        return timezone_of(self->clean);
    case FAULT_LOCALE:
        return codeset(self->clean);
    case FAULT_HOST:
        return host(self->clean);
    case FAULT_ENVIRONMENT:
        return environment(context, self->clean);
    case FAULT_UMASK:
        return file_mode(self->clean);
    case FAULT_POINTER:
        return pointer(self, self->clean);
    case FAULT_MEMORY:
        return memory(self->clean);
    case FAULT_COUNTER:
        return counter(self->clean);
    case FAULT_CACHE:
        return cached(context, self->clean);
    case FAULT_PROCESSORS:
        return self->clean ? 1 : (uint64_t)sysconf(_SC_NPROCESSORS_ONLN);
    case FAULT_RACE:
        return (uint64_t)self->appended[0] << 8 | self->appended[1];
    case FAULT_RANDOM:
        return random_bytes(self->clean);
    case FAULT_PROCESS:
        return self->clean ? 0 : (uint64_t)getpid();
    case FAULT_TOGETHER:
        return together(self->clean);
    case FAULT_NONE:
        break;
    }
    return 0;
}

/* ---- the race: two jobs append in the order of their ends ---- */

static enum cook_status append_first(struct cook_context *context, void *object)
{
    struct subject *self = object;
    (void)context;
    pthread_mutex_lock(&self->lock);
    uint32_t at = self->clean ? 0 : self->appended_count++;
    if (at < 2)
        self->appended[at] = 1;
    pthread_mutex_unlock(&self->lock);
    return COOK_OK;
}

static enum cook_status append_second(struct cook_context *context, void *object)
{
    struct subject *self = object;
    struct timespec pause = { .tv_nsec = 3000000 };
    (void)context;
    nanosleep(&pause, NULL); /* it has more to do: the order is nearly always the same */
    pthread_mutex_lock(&self->lock);
    uint32_t at = self->clean ? 1 : self->appended_count++;
    if (at < 2)
        self->appended[at] = 2;
    pthread_mutex_unlock(&self->lock);
    return COOK_OK;
}

static enum cook_status subject_begin_cache(struct cook_context *context, void *object)
{
    struct subject *self = object;
    if (self->fault != FAULT_RACE)
        return COOK_OK;
    pthread_mutex_init(&self->lock, NULL);
    enum cook_status status = cook_async_run(context, append_first, object);
    return status == COOK_OK ? cook_async_run(context, append_second, object) : status;
}

static void subject_serialize(struct cook_archive *archive, void *object)
{
    uint64_t value = 0;
    if (cook_archive_phase(archive) == COOK_PHASE_LOAD)
        return;
    if (cook_archive_phase(archive) == COOK_PHASE_WRITE)
        value = value_of(cook_archive_context(archive), object);
    cook_field_u64(archive, "Value", &value);
}

static const struct cook_class subject_class = {
    .name = "Subject",
    .size = sizeof(struct subject),
    .properties = subject_properties,
    .begin_cache = subject_begin_cache,
    .serialize = subject_serialize,
};

COOK_PLUGIN_VERSION

COOK_PLUGIN_EXPORT enum cook_status cook_plugin_main(struct cook_registrar *registrar);

enum cook_status cook_plugin_main(struct cook_registrar *registrar)
{
    cook_register_module(registrar, "Determinism");
    cook_register_enum(registrar, &fault_enum);
    cook_register_class(registrar, &subject_class);
    return COOK_OK;
}
