/* The director's collection of traced inputs. */
#include <stdlib.h>
#include <string.h>

#include "cook/symbols/stack_set.h"
#include "cook/trace/inputs.h"
#include "cook/trace/stack_pool.h"
#include "cook/trace/tracer.h"

#define MAX_PARTIAL_BYTES 512

struct package {
    struct cook_traced_input *inputs;
    size_t count, capacity;
    const char **uses;
    size_t use_count;
    bool traced; /* cooked by a traced worker */
    bool sorted;
};

struct worker_stacks {
    uint32_t *ids; /* of the collection, by the worker's */
    size_t count, capacity;
};

struct cook_traced {
    struct cook_arena arena;
    struct cook_intern texts;
    struct cook_intern names; /* of packages */
    struct package *packages; /* by id of names */
    size_t capacity;
    struct cook_trace_stack_pool stacks;
    struct worker_stacks *workers;
    size_t worker_capacity;
    const char **listed; /* by the last cook_traced_packages() */
    size_t listed_capacity;
    uint64_t dropped;
    char *partial;
};

enum cook_status cook_traced_create(struct cook_traced **out, struct cook_error *error)
{
    *out = cook_calloc(1, sizeof(**out));
    return *out ? COOK_OK : cook_error_set(error, COOK_E_NO_MEMORY, "out of memory");
}

void cook_traced_clear(struct cook_traced *traced)
{
    for (size_t i = 0; i < traced->names.count; i++) {
        cook_free(traced->packages[i].inputs);
        cook_free(traced->packages[i].uses);
    }
    cook_free(traced->packages);
    cook_intern_finish(&traced->names);
    traced->packages = NULL;
    traced->capacity = 0;
    traced->dropped = 0;
}

void cook_traced_destroy(struct cook_traced *traced)
{
    if (!traced)
        return;
    cook_traced_clear(traced);
    for (size_t i = 0; i < traced->worker_capacity; i++)
        cook_free(traced->workers[i].ids);
    cook_free(traced->workers);
    cook_free(traced->listed);
    cook_free(traced->partial);
    cook_trace_stack_pool_finish(&traced->stacks);
    cook_intern_finish(&traced->texts);
    cook_arena_finish(&traced->arena);
    cook_free(traced);
}

void cook_traced_set_partial(struct cook_traced *traced, const char *reason)
{
    if (!traced->partial && reason && *reason)
        traced->partial = cook_strndup(reason, strnlen(reason, MAX_PARTIAL_BYTES));
}

const char *cook_traced_partial(const struct cook_traced *traced)
{
    return traced->partial;
}

uint64_t cook_traced_dropped(const struct cook_traced *traced)
{
    return traced->dropped;
}

const struct cook_stack_set *cook_traced_stacks(const struct cook_traced *traced)
{
    return &traced->stacks.set;
}

/* ---- taking in ---- */

static struct worker_stacks *stacks_of(struct cook_traced *traced, unsigned worker)
{
    size_t before = traced->worker_capacity;
    if (!cook_grow(&traced->workers, &traced->worker_capacity, (size_t)worker + 1,
                   sizeof(*traced->workers)))
        return NULL;
    for (size_t i = before; i < traced->worker_capacity; i++)
        traced->workers[i] = (struct worker_stacks){ 0 };
    return &traced->workers[worker];
}

void cook_traced_forget_worker(struct cook_traced *traced, unsigned worker)
{
    if (worker < traced->worker_capacity)
        traced->workers[worker].count = 0;
}

static enum cook_status take_stacks(struct cook_traced *traced, struct worker_stacks *known,
                                    struct cook_reader_buf *in, struct cook_error *error)
{
    struct cook_arena arena = COOK_ARENA_INIT;
    struct cook_stack_set set = { 0 };
    size_t size;
    const uint8_t *bytes = cook_read_bytes(in, &size);
    uint64_t first = cook_read_varint(in);
    enum cook_status status = COOK_OK;
    if (!in->failed && size)
        status = cook_stack_set_decode(&set, bytes, size, &arena, error);
    in->failed |= first != known->count && set.stack_count; /* they come in turn */
    for (uint32_t i = 0; status == COOK_OK && !in->failed && i < set.stack_count; i++) {
        uint32_t id = cook_trace_stack_pool_add(&traced->stacks, &set, i);
        if (id == COOK_STACK_NONE ||
            !cook_grow(&known->ids, &known->capacity, known->count + 1, sizeof(*known->ids)))
            status = cook_error_set(error, COOK_E_NO_MEMORY, "out of memory");
        else
            known->ids[known->count++] = id;
    }
    cook_arena_finish(&arena);
    return status;
}

static const char *read_text(struct cook_traced *traced, struct cook_reader_buf *in)
{
    size_t size;
    const uint8_t *bytes = cook_read_bytes(in, &size);
    if (in->failed || memchr(size ? (const void *)bytes : "", '\0', size)) {
        in->failed = true;
        return "";
    }
    uint32_t id = cook_intern_add_n(&traced->texts, size ? (const char *)bytes : "", size);
    in->failed |= id == COOK_INTERN_NONE;
    return id == COOK_INTERN_NONE ? "" : cook_intern_text(&traced->texts, id);
}

static struct package *find_package(struct cook_traced *traced, const char *name)
{
    size_t before = traced->names.count;
    uint32_t id = cook_intern_add(&traced->names, name);
    if (id == COOK_INTERN_NONE)
        return NULL;
    if (id < before)
        return &traced->packages[id];
    if (!cook_grow(&traced->packages, &traced->capacity, before + 1, sizeof(*traced->packages)))
        return NULL;
    traced->packages[id] = (struct package){ 0 };
    return &traced->packages[id];
}

/* Texts are interned: equal ones are the same. */
static bool same_input(const struct cook_traced_input *a, const struct cook_traced_input *b)
{
    return a->kind == b->kind && a->key == b->key && a->stack == b->stack &&
           a->program == b->program && a->loading == b->loading;
}

static bool put_input(struct package *package, const struct cook_traced_input *input)
{
    for (size_t i = 0; i < package->count; i++)
        if (same_input(&package->inputs[i], input)) {
            package->inputs[i] = *input;
            return true;
        }
    if (!cook_grow(&package->inputs, &package->capacity, package->count + 1,
                   sizeof(*package->inputs)))
        return false;
    package->inputs[package->count++] = *input;
    package->sorted = false;
    return true;
}

static void read_input(struct cook_traced *traced, const struct worker_stacks *known,
                       struct cook_traced_input *input, struct cook_reader_buf *in)
{
    *input = (struct cook_traced_input){ .kind = (enum cook_input_kind)cook_read_u8(in) };
    input->key = read_text(traced, in);
    input->value = cook_read_hash(in);
    input->text = read_text(traced, in);
    uint8_t flags = cook_read_u8(in);
    input->absent = flags & COOK_TRACED_ABSENT;
    input->declared = flags & COOK_TRACED_DECLARED;
    input->hidden = flags & COOK_TRACED_HIDDEN;
    input->program = read_text(traced, in);
    uint64_t stack = cook_read_varint(in);
    input->stack = COOK_STACK_NONE;
    if (stack > known->count || input->kind == COOK_INPUT_UNKNOWN ||
        input->kind >= COOK_INPUT_KIND_END)
        in->failed = true;
    else if (stack)
        input->stack = known->ids[stack - 1];
}

static void take_uses(struct cook_traced *traced, struct package *package,
                      struct cook_reader_buf *in)
{
    size_t count = cook_read_count(in, 1);
    if (in->failed || !count)
        return;
    const char **uses = cook_malloc(count * sizeof(*uses));
    for (size_t i = 0; uses && i < count; i++)
        uses[i] = read_text(traced, in);
    if (!uses || in->failed) {
        cook_free(uses);
        in->failed = true;
        return;
    }
    cook_free(package->uses);
    package->uses = uses;
    package->use_count = count;
}

static void take_section(struct cook_traced *traced, const struct worker_stacks *known,
                         struct cook_reader_buf *in)
{
    const char *name = read_text(traced, in);
    bool cooked = cook_read_u8(in) == 1;
    bool loading = cook_read_u8(in) == 1;
    size_t count = cook_read_count(in, 22);
    struct package *package = in->failed ? NULL : find_package(traced, name);
    in->failed |= !package;
    for (size_t i = 0; i < count && !in->failed; i++) {
        struct cook_traced_input input;
        read_input(traced, known, &input, in);
        input.loading = loading;
        in->failed |= !in->failed && !put_input(package, &input);
    }
    if (in->failed)
        return;
    package->traced |= cooked;
    take_uses(traced, package, in);
}

enum cook_status cook_traced_take(struct cook_traced *traced, unsigned worker,
                                  const struct cook_buf *payload, struct cook_error *error)
{
    struct cook_reader_buf in = cook_read_init(payload->data, payload->size);
    struct cook_arena arena = COOK_ARENA_INIT;
    struct worker_stacks *known = stacks_of(traced, worker);
    if (!known)
        return cook_error_set(error, COOK_E_NO_MEMORY, "out of memory");
    in.failed |= cook_read_u32(&in) != COOK_TRACED_FORMAT;
    cook_traced_set_partial(traced, cook_read_string(&in, &arena));
    cook_arena_finish(&arena);
    traced->dropped += cook_read_varint(&in);
    enum cook_status status = take_stacks(traced, known, &in, error);
    size_t count = status == COOK_OK ? cook_read_count(&in, 5) : 0;
    for (size_t i = 0; i < count && !in.failed; i++)
        take_section(traced, known, &in);
    if (status == COOK_OK && !cook_read_at_end(&in))
        status = cook_error_set(error, COOK_E_PROTOCOL, "a worker sent malformed traced inputs");
    return status;
}

/* ---- looking up ---- */

static const struct package *known_package(const struct cook_traced *traced, const char *name)
{
    uint32_t id = cook_intern_find(&traced->names, name);
    return id == COOK_INTERN_NONE ? NULL : &traced->packages[id];
}

/* Stacks have ids in order of arrival, which is no order to print in: they come last. */
static int compare_inputs(const void *a, const void *b)
{
    const struct cook_traced_input *x = a;
    const struct cook_traced_input *y = b;
    if (x->kind != y->kind)
        return x->kind < y->kind ? -1 : 1;
    int order = strcmp(x->key, y->key);
    if (order == 0)
        order = strcmp(x->program, y->program);
    if (order == 0)
        order = (int)x->loading - (int)y->loading;
    if (order == 0)
        order = (x->stack > y->stack) - (x->stack < y->stack);
    return order;
}

const struct cook_traced_input *cook_traced_inputs(struct cook_traced *traced, const char *package,
                                                   size_t *count)
{
    uint32_t id = cook_intern_find(&traced->names, package);
    *count = 0;
    if (id == COOK_INTERN_NONE)
        return NULL;
    struct package *found = &traced->packages[id];
    if (!found->sorted && found->count)
        qsort(found->inputs, found->count, sizeof(*found->inputs), compare_inputs);
    found->sorted = true;
    *count = found->count;
    return found->inputs;
}

const char *const *cook_traced_uses(struct cook_traced *traced, const char *package, size_t *count)
{
    const struct package *found = known_package(traced, package);
    *count = found ? found->use_count : 0;
    return found ? found->uses : NULL;
}

static int compare_texts(const void *a, const void *b)
{
    return strcmp(*(const char *const *)a, *(const char *const *)b);
}

const char *const *cook_traced_packages(struct cook_traced *traced, size_t *count)
{
    *count = 0;
    if (!cook_grow(&traced->listed, &traced->listed_capacity, traced->names.count + 1,
                   sizeof(*traced->listed)))
        return NULL;
    for (uint32_t i = 0; i < traced->names.count; i++)
        if (traced->packages[i].traced || traced->packages[i].count)
            traced->listed[(*count)++] = cook_intern_text(&traced->names, i);
    if (*count)
        qsort(traced->listed, *count, sizeof(*traced->listed), compare_texts);
    return traced->listed;
}

bool cook_traced_has(const struct cook_traced *traced, const char *package)
{
    const struct package *found = known_package(traced, package);
    return found && found->traced;
}
