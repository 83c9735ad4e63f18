#include "cook/trace/stack_pool.h"

#include <string.h>

#include "cook/base/buf.h"

void cook_trace_stack_pool_finish(struct cook_trace_stack_pool *pool)
{
    cook_free(pool->set.modules);
    cook_free(pool->set.stacks);
    cook_intern_finish(&pool->keys);
    cook_intern_finish(&pool->modules);
    cook_arena_finish(&pool->arena);
    *pool = (struct cook_trace_stack_pool)COOK_TRACE_STACK_POOL_INIT;
}

static bool is_one_of(const char *module, const char *const *names)
{
    for (; *names; names++)
        if (strncmp(module, *names, strlen(*names)) == 0)
            return true;
    return false;
}

/* Between the kernel and who asked it. */
static const char *const inner_modules[] = { "libc.so",    "ld-linux",       "libpthread.so",
                                             "libdl.so",   "cook-trace.so",  "cook-perturb.so",
                                             "libcook.so", "linux-vdso.so",  "libgcc_s.so",
                                             "libstdc++",  NULL };
/* Between the program's start and class code. */
static const char *const outer_modules[] = { "libc.so", "ld-linux", "libpthread.so", "libcook.so",
                                             "cook-trace.so", "cook-worker", NULL };

/* The frames of class code: [*first, end) of the stack; all when there are none. */
static uint32_t find_class_code(const struct cook_stack_set *set, const struct cook_stack *stack,
                                uint32_t *first)
{
    uint32_t begin = 0;
    uint32_t end = stack->count;
    *first = 0;
    while (begin < end &&
           is_one_of(set->modules[stack->frames[begin].module].name, inner_modules))
        begin++;
    if (begin == end)
        return end;
    while (end > begin + 1 &&
           is_one_of(set->modules[stack->frames[end - 1].module].name, outer_modules))
        end--;
    *first = begin;
    return end;
}

static uint32_t add_module(struct cook_trace_stack_pool *pool,
                           const struct cook_stack_module *module)
{
    struct cook_buf key = COOK_BUF_INIT;
    cook_buf_put_string(&key, module->name);
    cook_buf_put_string(&key, module->path);
    cook_buf_put_string(&key, module->build_id);
    size_t before = pool->modules.count;
    uint32_t id = key.failed ? COOK_INTERN_NONE
                             : cook_intern_add_n(&pool->modules, (const char *)key.data, key.size);
    cook_buf_finish(&key);
    if (id == COOK_INTERN_NONE || id < before)
        return id;
    struct cook_stack_module copy = { cook_arena_strdup(&pool->arena, module->name),
                                      cook_arena_strdup(&pool->arena, module->path),
                                      cook_arena_strdup(&pool->arena, module->build_id) };
    if (!copy.name || !copy.path || !copy.build_id ||
        !cook_grow(&pool->set.modules, &pool->module_capacity, (size_t)id + 1, sizeof(copy)))
        return COOK_INTERN_NONE;
    pool->set.modules[id] = copy;
    pool->set.module_count = id + 1;
    return id;
}

uint32_t cook_trace_stack_pool_add(struct cook_trace_stack_pool *pool,
                                   const struct cook_stack_set *set, uint32_t stack)
{
    const struct cook_stack *from = &set->stacks[stack];
    uint32_t first;
    uint32_t count = find_class_code(set, from, &first);
    count -= first;
    struct cook_stack_frame *frames =
        cook_arena_alloc(&pool->arena, (count + 1) * sizeof(*frames));
    for (uint32_t i = 0; frames && i < count; i++) {
        const struct cook_stack_frame *frame = &from->frames[first + i];
        frames[i].module = add_module(pool, &set->modules[frame->module]);
        frames[i].offset = frame->offset;
        if (frames[i].module == COOK_INTERN_NONE)
            return COOK_STACK_NONE;
    }
    if (!frames)
        return COOK_STACK_NONE;
    size_t before = pool->keys.count;
    struct cook_buf key = COOK_BUF_INIT;
    for (uint32_t i = 0; i < count; i++) {
        cook_buf_put_varint(&key, frames[i].module);
        cook_buf_put_varint(&key, frames[i].offset);
    }
    uint32_t id = key.failed ? COOK_INTERN_NONE
                             : cook_intern_add_n(&pool->keys,
                                                 key.size ? (const char *)key.data : "", key.size);
    cook_buf_finish(&key);
    if (id == COOK_INTERN_NONE || id < before)
        return id; /* the two "none" are the same */
    if (!cook_grow(&pool->set.stacks, &pool->stack_capacity, (size_t)id + 1,
                   sizeof(*pool->set.stacks)))
        return COOK_STACK_NONE;
    pool->set.stacks[id] = (struct cook_stack){ frames, count };
    pool->set.stack_count = id + 1;
    return id;
}
