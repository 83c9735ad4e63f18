/*
 * A class that goes wrong in every way that class code can. Its property Fault says how; the line
 * where it happens carries the mark that the test looks for ("here: <fault>").
 */
#include <cook/cook.h>

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum fault {
    FAULT_NONE = 0,
    FAULT_CRASH_POST_LOAD,
    FAULT_CRASH_PRE_SAVE,
    FAULT_CRASH_SERIALIZE,
    FAULT_CRASH_ASYNC,
    FAULT_CRASH_CLEAR,
    FAULT_DIVIDE,
    FAULT_WILD_CALL,
    FAULT_OVERFLOW,
    FAULT_ABORT,
    FAULT_HANG,
    FAULT_HANG_ASYNC,
    FAULT_EXIT,
    FAULT_KILL,
    FAULT_PRINT,
    FAULT_CLOSE,
    FAULT_FAIL,
    FAULT_ERROR,
    FAULT_HUGE,
    FAULT_UNHARVESTED,
};

struct faulty {
    struct cook_object object;
    int32_t fault;
};

static const struct cook_enum_entry fault_entries[] = {
    { "None", FAULT_NONE },
    { "CrashPostLoad", FAULT_CRASH_POST_LOAD },
    { "CrashPreSave", FAULT_CRASH_PRE_SAVE },
    { "CrashSerialize", FAULT_CRASH_SERIALIZE },
    { "CrashAsync", FAULT_CRASH_ASYNC },
    { "CrashClear", FAULT_CRASH_CLEAR },
    { "Divide", FAULT_DIVIDE },
    { "WildCall", FAULT_WILD_CALL },
    { "Overflow", FAULT_OVERFLOW },
    { "Abort", FAULT_ABORT },
    { "Hang", FAULT_HANG },
    { "HangAsync", FAULT_HANG_ASYNC },
    { "Exit", FAULT_EXIT },
    { "Kill", FAULT_KILL },
    { "Print", FAULT_PRINT },
    { "Close", FAULT_CLOSE },
    { "Fail", FAULT_FAIL },
    { "Error", FAULT_ERROR },
    { "Huge", FAULT_HUGE },
    { "Unharvested", FAULT_UNHARVESTED },
    { NULL, 0 },
};
static const struct cook_enum fault_enum = { "FaultKind", fault_entries };

static const struct cook_property properties[] = {
    COOK_PROPERTY_TYPED(struct faulty, fault, "Fault", COOK_PROPERTY_ENUM, "FaultKind"),
    COOK_PROPERTY_END,
};

/* Volatile, so that no compiler sees what is coming. */
static int *volatile nowhere;
static volatile int zero;
static void (*volatile wild_function)(void);

#define NOINLINE __attribute__((noinline))

#ifndef FAULT_AT_START /* what goes wrong while the plugin is loaded */
#define FAULT_AT_START FAULT_NONE
#endif

NOINLINE static void fault_crash_post_load(void)
{
    *nowhere = 1; /* here: CrashPostLoad */
}

NOINLINE static void fault_crash_pre_save(void)
{
    *nowhere = 2; /* here: CrashPreSave */
}

NOINLINE static void fault_crash_serialize(void)
{
    *nowhere = 3; /* here: CrashSerialize */
}

NOINLINE static void fault_crash_async(void)
{
    *nowhere = 4; /* here: CrashAsync */
}

NOINLINE static void fault_crash_clear(void)
{
    *nowhere = 5; /* here: CrashClear */
}

NOINLINE static int fault_divide(int value)
{
    return value / zero; /* here: Divide */
}

NOINLINE static void fault_wild_call(void)
{
    wild_function(); /* here: WildCall */
}

NOINLINE static int fault_overflow(int depth)
{
    volatile char room[4096];
    room[0] = (char)depth;
    return zero ? 0 : fault_overflow(depth + 1) + room[0]; /* here: Overflow */
}

NOINLINE static void fault_abort(void)
{
    abort(); /* here: Abort */
}

NOINLINE static void fault_hang(void)
{
    for (;;)
        zero = 0; /* here: Hang */
}

NOINLINE static void fault_hang_async(void)
{
    for (;;)
        zero = 1 - zero; /* here: HangAsync */
}

static enum cook_status post_load(struct cook_context *context, void *object)
{
    const struct faulty *self = object;

    (void)context;
    if (self->fault == FAULT_CRASH_POST_LOAD)
        fault_crash_post_load();
    return COOK_OK;
}

static enum cook_status pre_save(struct cook_context *context, void *object)
{
    const struct faulty *self = object;

    switch ((enum fault)self->fault) {
    case FAULT_CRASH_PRE_SAVE:
        fault_crash_pre_save();
        break;
    case FAULT_DIVIDE:
        return fault_divide(self->fault) == 7 ? COOK_E_FAILED : COOK_OK;
    case FAULT_WILD_CALL:
        fault_wild_call();
        break;
    case FAULT_OVERFLOW:
        return fault_overflow(0) == 7 ? COOK_E_FAILED : COOK_OK;
    case FAULT_ABORT:
        fault_abort();
        break;
    case FAULT_HANG:
        fault_hang();
        break;
    case FAULT_EXIT:
        exit(3);
    case FAULT_KILL:
        raise(SIGKILL);
        break;
    case FAULT_PRINT:
        puts("a class hook prints to standard output");
        fflush(stdout);
        break;
    case FAULT_CLOSE: /* whatever the worker has open, its socket too */
        for (int fd = 3; fd < 64; fd++)
            close(fd);
        for (;;)
            pause();
    case FAULT_FAIL:
        return COOK_E_FAILED;
    case FAULT_ERROR:
        cook_log(context, COOK_SEVERITY_ERROR, "a class hook says that it cannot");
        break;
    case FAULT_HUGE:
        return cook_alloc(context, (size_t)1 << 60) ? COOK_OK : COOK_E_NO_MEMORY;
    case FAULT_NONE:
    case FAULT_CRASH_POST_LOAD:
    case FAULT_CRASH_SERIALIZE:
    case FAULT_CRASH_ASYNC:
    case FAULT_CRASH_CLEAR:
    case FAULT_HANG_ASYNC:
    case FAULT_UNHARVESTED:
        break;
    }
    return COOK_OK;
}

static enum cook_status transform(struct cook_context *context, void *object)
{
    const struct faulty *self = object;

    (void)context;
    if (self->fault == FAULT_CRASH_ASYNC)
        fault_crash_async();
    if (self->fault == FAULT_HANG_ASYNC)
        fault_hang_async();
    return COOK_OK;
}

static enum cook_status begin_cache(struct cook_context *context, void *object)
{
    return cook_async_run(context, transform, object);
}

static void clear_cached(struct cook_context *context, void *object)
{
    const struct faulty *self = object;

    (void)context;
    if (self->fault == FAULT_CRASH_CLEAR)
        fault_crash_clear();
}

static void serialize(struct cook_archive *archive, void *object)
{
    const struct faulty *self = object;
    struct cook_name name = { "written but not harvested" };

    if (cook_archive_phase(archive) != COOK_PHASE_WRITE)
        return;
    if (self->fault == FAULT_CRASH_SERIALIZE)
        fault_crash_serialize();
    if (self->fault == FAULT_UNHARVESTED)
        cook_field_name(archive, "Name", &name);
}

static const struct cook_class faulty_class = {
    .name = "Faulty",
    .size = sizeof(struct faulty),
    .properties = properties,
    .post_load = post_load,
    .pre_save = pre_save,
    .begin_cache = begin_cache,
    .clear_cached = clear_cached,
    .serialize = serialize,
};

/* A reader whose scan goes wrong as its file says. */
static enum cook_status scan_boom(struct cook_scan *scan, const struct cook_source *source)
{
    if (source->size >= 5 && memcmp(source->data, "crash", 5) == 0)
        *nowhere = 6; /* here: scan */
    while (source->size >= 4 && memcmp(source->data, "hang", 4) == 0)
        zero = 0; /* here: scan hang */
    if (source->size >= 4 && memcmp(source->data, "kill", 4) == 0 && getenv("FAULT_KILL_SCAN"))
        raise(SIGKILL);
    cook_scan_object(scan, "Boom", "/Script/Fault.Faulty", NULL);
    return COOK_OK;
}

static enum cook_status load_boom(struct cook_context *context, struct cook_loader *loader,
                                  const struct cook_source *source)
{
    (void)context;
    (void)source;
    return cook_load_object(loader, "/Script/Fault.Faulty", "Boom", NULL) ? COOK_OK
                                                                          : COOK_E_FAILED;
}

static const char *const boom_extensions[] = { ".boom", NULL };
static const struct cook_reader boom_reader = {
    .name = "boom",
    .version = 1,
    .extensions = boom_extensions,
    .scan = scan_boom,
    .load = load_boom,
};

COOK_PLUGIN_VERSION

COOK_PLUGIN_EXPORT enum cook_status cook_plugin_main(struct cook_registrar *registrar);

enum cook_status cook_plugin_main(struct cook_registrar *registrar)
{
    switch ((int)FAULT_AT_START) {
    case FAULT_CRASH_PRE_SAVE:
        fault_crash_pre_save();
        break;
    case FAULT_HANG:
        fault_hang();
        break;
    case FAULT_EXIT:
        exit(5);
    case FAULT_FAIL:
        return COOK_E_FAILED;
    default:
        break;
    }
    cook_register_module(registrar, "Fault");
    cook_register_enum(registrar, &fault_enum);
    cook_register_class(registrar, &faulty_class);
    cook_register_reader(registrar, &boom_reader);
    return COOK_OK;
}
