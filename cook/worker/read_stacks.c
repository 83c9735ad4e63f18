#include "cook/worker/reads.h"

#include <pthread.h>
#include <string.h>

#include "cook/base/intern.h"

#define MAX_READS 20000 /* of one package; further ones have no stack */

struct cook_reads {
    pthread_mutex_t lock;
    struct cook_stacks *stacks;
    struct cook_intern names; /* kind byte + args */
    uint32_t *ids;            /* by id of names: stack */
    size_t capacity;
};

enum cook_status cook_reads_create(struct cook_reads **out, struct cook_error *error)
{
    *out = NULL;
    struct cook_reads *reads = cook_calloc(1, sizeof(*reads));
    if (!reads || pthread_mutex_init(&reads->lock, NULL) != 0) {
        cook_free(reads);
        return cook_error_set(error, COOK_E_NO_MEMORY, "out of memory");
    }
    enum cook_status status = cook_stacks_create(&reads->stacks, error);
    if (status != COOK_OK) {
        cook_reads_destroy(reads);
        return status;
    }
    *out = reads;
    return COOK_OK;
}

void cook_reads_destroy(struct cook_reads *reads)
{
    if (!reads)
        return;
    cook_stacks_destroy(reads->stacks);
    cook_intern_finish(&reads->names);
    cook_free(reads->ids);
    pthread_mutex_destroy(&reads->lock);
    cook_free(reads);
}

static uint32_t name_id(struct cook_reads *reads, uint32_t kind, const char *args)
{
    struct cook_buf name = COOK_BUF_INIT;
    cook_buf_put_u8(&name, (uint8_t)kind);
    cook_buf_put(&name, args, strlen(args));
    uint32_t id = name.failed
                      ? COOK_INTERN_NONE
                      : cook_intern_add_n(&reads->names, (const char *)name.data, name.size);
    cook_buf_finish(&name);
    return id;
}

void cook_reads_note(struct cook_reads *reads, uint32_t kind, const char *args)
{
    pthread_mutex_lock(&reads->lock);
    size_t before = reads->names.count;
    uint32_t id = before < MAX_READS ? name_id(reads, kind, args) : COOK_INTERN_NONE;
    if (id == before &&
        cook_grow(&reads->ids, &reads->capacity, before + 1, sizeof(*reads->ids)))
        reads->ids[id] = cook_stacks_capture(reads->stacks, 0, 0);
    pthread_mutex_unlock(&reads->lock);
}

void cook_reads_encode(struct cook_reads *reads, struct cook_buf *out)
{
    struct cook_buf stacks = COOK_BUF_INIT;
    pthread_mutex_lock(&reads->lock);
    size_t count = reads->names.count < reads->capacity ? reads->names.count : reads->capacity;
    cook_buf_put_varint(out, count);
    for (uint32_t i = 0; i < count; i++) {
        const char *name = cook_intern_text(&reads->names, i);
        cook_buf_put_u8(out, (uint8_t)name[0]);
        cook_buf_put_string(out, name + 1);
        cook_buf_put_varint(out, reads->ids[i]);
    }
    cook_stacks_encode(reads->stacks, &stacks);
    pthread_mutex_unlock(&reads->lock);
    cook_buf_put_bytes(out, stacks.data, stacks.size);
    out->failed |= stacks.failed;
    cook_buf_finish(&stacks);
}

enum cook_status cook_reads_decode(struct cook_read_set *set, const void *bytes, size_t size,
                                   struct cook_arena *arena, struct cook_error *error)
{
    struct cook_reader_buf in = cook_read_init(bytes, size);
    *set = (struct cook_read_set){ 0 };
    if (size == 0)
        return COOK_OK;
    size_t count = cook_read_count(&in, 3);
    set->items = cook_arena_alloc(arena, (count + 1) * sizeof(*set->items));
    if (!set->items)
        return cook_error_set(error, COOK_E_NO_MEMORY, "out of memory");
    for (size_t i = 0; i < count && !in.failed; i++) {
        set->items[i].kind = cook_read_u8(&in);
        set->items[i].args = cook_read_string(&in, arena);
        uint64_t stack = cook_read_varint(&in);
        set->items[i].stack = stack < COOK_STACK_NONE ? (uint32_t)stack : COOK_STACK_NONE;
    }
    size_t stacks_size;
    const uint8_t *stacks = cook_read_bytes(&in, &stacks_size);
    if (!cook_read_at_end(&in))
        return cook_error_set(error, COOK_E_MALFORMED, "malformed callstacks of reads");
    set->count = count;
    return cook_stack_set_decode(&set->stacks, stacks, stacks_size, arena, error);
}

const struct cook_read *cook_reads_find(const struct cook_read_set *set, uint32_t kind,
                                        const char *args)
{
    for (size_t i = 0; i < set->count; i++)
        if (set->items[i].kind == kind && strcmp(set->items[i].args, args) == 0)
            return &set->items[i];
    return NULL;
}
