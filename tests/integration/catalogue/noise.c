/* What differs between two cooks of the same inputs. */
#include <dirent.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <time.h>
#include <unistd.h>

#include "catalogue.h"

VALUE(Clock)
{
    struct timespec now = { 0, 0 };
    (void)context;
    clock_gettime(CLOCK_REALTIME, &now);
    return self->clean ? 0 : (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}
FAULT(Clock, PLAIN)

/* No call that could be seen: an instruction. */
VALUE(Ticks)
{
    (void)context;
#ifdef __x86_64__
    return self->clean ? 0 : __builtin_ia32_rdtsc();
#else
    return 0;
#endif
}
FAULT(Ticks, PLAIN)

/* Only once a day: two recooks agree, and differ from what was kept. */
VALUE(Today)
{
    (void)context;
    return self->clean ? 0 : (uint64_t)time(NULL) / 86400;
}
FAULT(Today, PLAIN)

VALUE(RandomDevice)
{
    uint64_t value = 4;
    FILE *file = self->clean ? NULL : fopen("/dev/urandom", "rb");
    (void)context;
    if (file && fread(&value, sizeof(value), 1, file) != 1)
        value = 4;
    if (file)
        fclose(file);
    return value;
}
FAULT(RandomDevice, PLAIN)

VALUE(RandomCall)
{
    uint64_t value = 4;
    (void)context;
    if (!self->clean && getrandom(&value, sizeof(value), 0) != (ssize_t)sizeof(value))
        value = 4;
    return value;
}
FAULT(RandomCall, PLAIN)

VALUE(TimeSeed)
{
    unsigned seed = self->clean ? 1 : (unsigned)time(NULL);
    (void)context;
    return (uint64_t)rand_r(&seed);
}
FAULT(TimeSeed, PLAIN)

VALUE(ProcessId)
{
    (void)context;
    return self->clean ? 0 : (uint64_t)getpid();
}
FAULT(ProcessId, PLAIN)

VALUE(Pointer)
{
    void *block = malloc(64);
    uint64_t value = self->clean ? 0 : (uint64_t)(uintptr_t)block;
    (void)context;
    free(block);
    return value;
}
FAULT(Pointer, PLAIN)

VALUE(FunctionAddress)
{
    (void)context;
    return self->clean ? 0 : (uint64_t)(uintptr_t)&catalogue_hash;
}
FAULT(FunctionAddress, PLAIN)

VALUE(HeapGarbage)
{
    uint64_t value = 0;
    unsigned char *block = self->clean ? calloc(1, 4000) : malloc(4000);
    (void)context;
    if (block)
        memcpy(&value, block + 2000, sizeof(value));
    free(block);
    return value;
}
FAULT(HeapGarbage, PLAIN)

struct padded {
    uint8_t small;
    uint32_t large; /* three bytes before it are nobody's */
};

VALUE(Padding)
{
    uint64_t value = 0;
    struct padded *pair = malloc(sizeof(*pair));
    (void)context;
    if (!pair)
        return 0;
    if (self->clean)
        memset(pair, 0, sizeof(*pair));
    pair->small = 1;
    pair->large = 2;
    memcpy(&value, pair, sizeof(*pair));
    free(pair);
    return value;
}
FAULT(Padding, PLAIN)

__attribute__((noinline)) static uint64_t unset_stack(bool clean)
{
    unsigned char block[4096];
    uint64_t value;
    if (clean)
        memset(block, 0, sizeof(block));
    __asm__ volatile(""
                     :
                     : "r"(block)
                     : "memory"); /* for all that the compiler knows it is set */
    memcpy(&value, block + 1000, sizeof(value));
    return value;
}

VALUE(StackGarbage)
{
    (void)context;
    return unset_stack(self->clean);
}
FAULT(StackGarbage, PLAIN)

/* ---- an order that goes by addresses ---- */

#define ITEMS 64

static int by_address(const void *a, const void *b)
{
    const uint32_t *const *x = a;
    const uint32_t *const *y = b;
    uint64_t p = (uint64_t)(uintptr_t)*x * UINT64_C(0x9e3779b97f4a7c15);
    uint64_t q = (uint64_t)(uintptr_t)*y * UINT64_C(0x9e3779b97f4a7c15);
    return (p > q) - (p < q);
}

static int by_number(const void *a, const void *b)
{
    const uint32_t *const *x = a;
    const uint32_t *const *y = b;
    return (**x > **y) - (**x < **y);
}

/* A hash table of pointers, walked and written. */
static void HashOrder_serialize(struct cook_archive *archive, void *object)
{
    const struct subject *self = object;
    uint32_t *items[ITEMS];
    uint32_t count = ITEMS;
    if (cook_archive_phase(archive) == COOK_PHASE_LOAD)
        return;
    for (uint32_t i = 0; i < ITEMS; i++) {
        items[i] = malloc(48);
        if (items[i])
            *items[i] = i;
    }
    qsort(items, ITEMS, sizeof(items[0]), self->clean ? by_number : by_address);
    cook_field_array(archive, "Items", &count);
    for (uint32_t i = 0; i < ITEMS; i++) {
        cook_field_element(archive, i);
        cook_field_u32(archive, NULL, items[i]);
    }
    cook_field_array_end(archive);
    for (uint32_t i = 0; i < ITEMS; i++)
        free(items[i]);
}
static const struct cook_class HashOrder_class = {
    .name = "HashOrder",
    .size = sizeof(struct subject),
    .properties = subject_properties,
    .serialize = HashOrder_serialize,
};

/* ---- the order of a folder ---- */

VALUE(FolderOrder)
{
    uint64_t hash = 0;
    struct cook_array names;
    if (self->clean)
        return cook_list_folder(context, "declared/listed", &names) == COOK_OK ? names.count
                                                                               : 0;
    DIR *folder = opendir("declared/listed");
    for (struct dirent *entry; folder && (entry = readdir(folder));)
        hash = hash * 31 + catalogue_hash(entry->d_name);
    if (folder)
        closedir(folder);
    return hash;
}
FAULT(FolderOrder, PLAIN)

/* ---- threads ---- */

static void append(struct subject *self, uint8_t value)
{
    uint32_t at =
        self->clean ? value - 1u : __atomic_fetch_add(&self->count, 1, __ATOMIC_SEQ_CST);
    self->bytes[at] = value;
}

static enum cook_status first_job(struct cook_context *context, void *object)
{
    (void)context;
    append(object, 1);
    return COOK_OK;
}

static enum cook_status second_job(struct cook_context *context, void *object)
{
    struct timespec pause = { .tv_nsec = 3000000 };
    (void)context;
    nanosleep(&pause, NULL); /* it has more to do: the order is nearly always the same */
    append(object, 2);
    return COOK_OK;
}

static enum cook_status ThreadRace_begin(struct cook_context *context, void *object)
{
    struct subject *self = object;
    self->bytes = cook_alloc(context, 2);
    if (!self->bytes)
        return COOK_E_NO_MEMORY;
    enum cook_status status = cook_async_run(context, first_job, object);
    return status == COOK_OK ? cook_async_run(context, second_job, object) : status;
}

VALUE(ThreadRace)
{
    (void)context;
    return (uint64_t)self->bytes[0] << 8 | self->bytes[1];
}
FAULT(ThreadRace, .begin_cache = ThreadRace_begin)

/* ---- a reference that the harvest does not see ---- */

static void MissingHarvest_serialize(struct cook_archive *archive, void *object)
{
    struct subject *self = object;
    struct cook_ref none = { NULL };
    enum cook_phase phase = cook_archive_phase(archive);
    if (phase == COOK_PHASE_LOAD)
        return;
    cook_field_ref(archive, "Late",
                   self->clean || phase == COOK_PHASE_WRITE ? &self->other : &none);
}
static const struct cook_class MissingHarvest_class = {
    .name = "MissingHarvest",
    .size = sizeof(struct subject),
    .properties = subject_properties,
    .serialize = MissingHarvest_serialize,
};

void catalogue_register_noise(struct cook_registrar *registrar)
{
    const struct cook_class *const classes[] = {
        &Clock_class,       &Today_class,      &RandomDevice_class,   &RandomCall_class,
        &TimeSeed_class,    &ProcessId_class,  &Pointer_class,        &FunctionAddress_class,
        &HeapGarbage_class, &Padding_class,    &StackGarbage_class,   &HashOrder_class,
        &FolderOrder_class, &ThreadRace_class, &MissingHarvest_class, &Ticks_class,
    };
    for (size_t i = 0; i < sizeof(classes) / sizeof(classes[0]); i++)
        cook_register_class(registrar, classes[i]);
}
