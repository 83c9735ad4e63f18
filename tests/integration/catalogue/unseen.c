/* Faults of kinds that the catalogue does not hold: written when the detectors were done, and
 * run once before anything was mended. unseen.txt is the table as it came. */
#include <errno.h>
#include <pthread.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "catalogue.h"

extern char **environ;

#ifdef CHANGED
#define EDIT(before, after) after
#else
#define EDIT(before, after) before
#endif

void catalogue_register_unseen_cpp(struct cook_registrar *registrar);

static uint64_t declared(struct cook_context *context, const char *path)
{
    struct cook_bytes bytes;
    return cook_read_file(context, path, &bytes) == COOK_OK
               ? catalogue_hash((const char *)bytes.data)
               : 1;
}

/* ---- a file that a constructor of the library reads ---- */

static uint64_t constructed;

__attribute__((constructor)) static void ConstructorFile_read(void)
{
    char text[64] = "";
    FILE *file = fopen("hidden/constructor.txt", "r");
    if (file && fgets(text, sizeof(text), file))
        constructed = catalogue_hash(text);
    if (file)
        fclose(file);
}

VALUE(ConstructorFile)
{
    return self->clean ? declared(context, "hidden/constructor.txt") : constructed;
}
FAULT(ConstructorFile, PLAIN)

/* ---- a variable found by walking environ ---- */

VALUE(EnvironScan)
{
    if (self->clean)
        return catalogue_hash(cook_environment(context, "CATALOGUE_SCAN"));
    for (char **at = environ; *at; at++)
        if (strncmp(*at, "CATALOGUE_SCAN=", 15) == 0)
            return catalogue_hash(*at + 15);
    return 0;
}
FAULT(EnvironScan, PLAIN)

/* ---- a table made by whoever comes first ---- */

VALUE(LazyTable)
{
    static uint64_t table;
    const char *name = cook_package_name(context);
    if (self->clean)
        return strlen(name);
    if (!table)
        table = strlen(name); /* right for the first package only */
    return table;
}
FAULT(LazyTable, PLAIN)

/* ---- errno of somebody else's failure ---- */

VALUE(ErrnoSetter)
{
    (void)context;
    if (!self->clean)
        errno = ENOTTY;
    return 7;
}
FAULT(ErrnoSetter, PLAIN)

VALUE(ErrnoLeak)
{
    (void)context;
    if (self->clean)
        errno = 0;
    double value = strtod("12", NULL); /* sets errno only when it fails */
    return (uint64_t)value + (errno == ENOTTY ? 1000 : 0);
}
FAULT(ErrnoLeak, PLAIN)

/* ---- a variable that one package sets for all that follow ---- */

VALUE(VariableSetter)
{
    (void)context;
    if (!self->clean)
        setenv("CATALOGUE_SET", "by another package", 1);
    return 7;
}
FAULT(VariableSetter, PLAIN)

VALUE(SetVariable)
{
    (void)context;
    return self->clean ? 0 : catalogue_hash(getenv("CATALOGUE_SET"));
}
FAULT(SetVariable, PLAIN)

/* ---- one sequence of numbers for all packages ---- */

VALUE(RandSequence)
{
    unsigned seed = 1;
    (void)context;
    return self->clean ? (uint64_t)rand_r(&seed) : (uint64_t)rand();
}
FAULT(RandSequence, PLAIN)

/* ---- a sum in the order in which jobs come to an end ---- */

static void add(struct subject *self, float value)
{
    static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
    pthread_mutex_lock(&lock);
    float *sum = (float *)(void *)self->bytes;
    if (self->clean)
        *sum = 0;
    else
        *sum = (*sum + value) * 1.000001f;
    pthread_mutex_unlock(&lock);
}

static enum cook_status small_job(struct cook_context *context, void *object)
{
    (void)context;
    add(object, 1e-3f);
    return COOK_OK;
}

static enum cook_status large_job(struct cook_context *context, void *object)
{
    struct timespec pause = { .tv_nsec = 4000000 };
    (void)context;
    nanosleep(&pause, NULL);
    add(object, 1e4f);
    return COOK_OK;
}

static enum cook_status FloatSum_begin(struct cook_context *context, void *object)
{
    struct subject *self = object;
    self->bytes = cook_alloc(context, sizeof(float));
    if (!self->bytes)
        return COOK_E_NO_MEMORY;
    enum cook_status status = cook_async_run(context, small_job, object);
    return status == COOK_OK ? cook_async_run(context, large_job, object) : status;
}

VALUE(FloatSum)
{
    uint32_t bits;
    (void)context;
    memcpy(&bits, self->bytes, sizeof(bits));
    return bits;
}
FAULT(FloatSum, .begin_cache = FloatSum_begin)

/* ---- another clock ---- */

VALUE(MonotonicClock)
{
    struct timespec now = { 0, 0 };
    (void)context;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return self->clean ? 0 : (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}
FAULT(MonotonicClock, PLAIN)

/* ---- what a file system knows of a file ---- */

VALUE(InodeNumber)
{
    struct stat facts;
    if (self->clean)
        return declared(context, "hidden/inode.txt");
    return stat("hidden/inode.txt", &facts) == 0 ? facts.st_ino : 0;
}
FAULT(InodeNumber, PLAIN)

VALUE(SourceTime)
{
    struct stat facts;
    const char *path = cook_source_path(context);
    return !self->clean && stat(path, &facts) == 0 ? (uint64_t)facts.st_mtim.tv_sec : 0;
}
FAULT(SourceTime, PLAIN)

/* ---- memory that realloc added ---- */

VALUE(ReallocGarbage)
{
    uint64_t value = 0;
    unsigned char *block = calloc(1, 40);
    unsigned char *grown = block ? realloc(block, 9000) : NULL;
    (void)context;
    if (!grown) {
        free(block);
        return 0;
    }
    if (self->clean)
        memset(grown + 40, 0, 8960);
    memcpy(&value, grown + 5000, sizeof(value));
    free(grown);
    return value;
}
FAULT(ReallocGarbage, PLAIN)

/* ---- when the plugin was built ---- */

VALUE(BuildStamp)
{
    (void)context;
    return self->clean ? 0 : catalogue_hash(EDIT("Nov 30 2026 10:00", "Dec  1 2026 09:00"));
}
FAULT(BuildStamp, PLAIN)

/* ---- a tool that class code starts ---- */

VALUE(SpawnedTool)
{
    char path[] = "hidden/tool.sh";
    char *argv[] = { path, NULL };
    char text[64] = "";
    int pipes[2];
    pid_t child;
    posix_spawn_file_actions_t actions;
    if (self->clean)
        return declared(context, path);
    if (pipe(pipes) != 0)
        return 0;
    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_adddup2(&actions, pipes[1], 1);
    int failed = posix_spawn(&child, path, &actions, NULL, argv, environ);
    posix_spawn_file_actions_destroy(&actions);
    close(pipes[1]);
    ssize_t size = failed ? 0 : read(pipes[0], text, sizeof(text) - 1);
    close(pipes[0]);
    if (!failed)
        (void)waitpid(child, NULL, 0);
    return size > 0 ? catalogue_hash(text) : 1;
}
FAULT(SpawnedTool, PLAIN)

COOK_PLUGIN_VERSION

COOK_PLUGIN_EXPORT enum cook_status cook_plugin_main(struct cook_registrar *registrar);

enum cook_status cook_plugin_main(struct cook_registrar *registrar)
{
    const struct cook_class *const classes[] = {
        &ConstructorFile_class, &EnvironScan_class,    &LazyTable_class,   &ErrnoSetter_class,
        &ErrnoLeak_class,       &VariableSetter_class, &SetVariable_class, &RandSequence_class,
        &FloatSum_class,        &MonotonicClock_class, &InodeNumber_class, &SourceTime_class,
        &ReallocGarbage_class,  &BuildStamp_class,     &SpawnedTool_class,
    };
    cook_register_module(registrar, "Catalogue");
    for (size_t i = 0; i < sizeof(classes) / sizeof(classes[0]); i++)
        cook_register_class(registrar, classes[i]);
    catalogue_register_unseen_cpp(registrar);
    return COOK_OK;
}

uint64_t catalogue_hash(const char *text)
{
    uint64_t hash = 5381;
    for (; text && *text; text++)
        hash = hash * 33 + (unsigned char)*text;
    return hash;
}
