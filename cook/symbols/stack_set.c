#include "cook/symbols/stacks.h"

#include <string.h>

#include "cook/base/alloc.h"
#include "cook/symbols/modules.h"
#include "cook/symbols/stack_set.h"

/* The least bytes of a module (three lengths), a stack (a length) and a frame (two varints). */
#define MODULE_MIN_BYTES 3
#define STACK_MIN_BYTES  1
#define FRAME_MIN_BYTES  2

bool cook_build_id_is_valid(const char *text)
{
    size_t length = strlen(text);
    return length < COOK_BUILD_ID_TEXT_SIZE && length % 2 == 0 &&
           strspn(text, "0123456789abcdef") == length;
}

static void read_module(struct cook_stack_module *module, struct cook_reader_buf *in,
                        struct cook_arena *arena)
{
    module->name = cook_read_string(in, arena);
    module->path = cook_read_string(in, arena);
    module->build_id = cook_read_string(in, arena);
    if (!cook_build_id_is_valid(module->build_id))
        in->failed = true;
}

static void read_stack(struct cook_stack *stack, uint32_t module_count,
                       struct cook_reader_buf *in, struct cook_arena *arena)
{
    size_t count = cook_read_count(in, FRAME_MIN_BYTES);
    stack->frames = count <= COOK_STACK_MAX_FRAMES
                        ? cook_arena_alloc(arena, count * sizeof(*stack->frames))
                        : NULL;
    if (!stack->frames) {
        in->failed = true;
        return;
    }
    stack->count = (uint32_t)count;
    for (size_t i = 0; i < count && !in->failed; i++) {
        uint64_t module = cook_read_varint(in);
        stack->frames[i].offset = cook_read_varint(in);
        stack->frames[i].module = (uint32_t)module;
        if (module >= module_count)
            in->failed = true;
    }
}

enum cook_status cook_stack_set_decode(struct cook_stack_set *set, const void *bytes,
                                       size_t size, struct cook_arena *arena,
                                       struct cook_error *error)
{
    struct cook_reader_buf in = cook_read_init(bytes, size);
    struct cook_stack_set read = { NULL, 0, NULL, 0 };
    *set = read;
    if (cook_read_u8(&in) != COOK_STACK_SET_VERSION)
        in.failed = true;

    size_t count = cook_read_count(&in, MODULE_MIN_BYTES);
    read.modules = cook_arena_alloc(arena, count * sizeof(*read.modules));
    read.module_count = (uint32_t)count;
    if (!read.modules || count >= UINT32_MAX)
        in.failed = true;
    for (size_t i = 0; i < count && !in.failed; i++)
        read_module(&read.modules[i], &in, arena);

    count = cook_read_count(&in, STACK_MIN_BYTES);
    read.stacks = cook_arena_alloc(arena, count * sizeof(*read.stacks));
    read.stack_count = (uint32_t)count;
    if (!read.stacks || count >= UINT32_MAX)
        in.failed = true;
    for (size_t i = 0; i < count && !in.failed; i++)
        read_stack(&read.stacks[i], read.module_count, &in, arena);

    if (!cook_read_at_end(&in))
        return cook_error_set(error, COOK_E_MALFORMED, "malformed callstacks");
    *set = read;
    return COOK_OK;
}

/* "libcook.so" names "libcook.so" and, as a versioned soname, "libcook.so.0". */
static bool module_is(const struct cook_stack_module *module, const char *name)
{
    size_t length = strlen(name);
    return strncmp(module->name, name, length) == 0 &&
           (module->name[length] == '\0' || module->name[length] == '.');
}

void cook_stack_set_trim(struct cook_stack_set *set, const char *name)
{
    for (uint32_t i = 0; i < set->stack_count; i++) {
        struct cook_stack *stack = &set->stacks[i];
        uint32_t inside = 0;
        while (inside < stack->count &&
               module_is(&set->modules[stack->frames[inside].module], name))
            inside++;
        if (inside < stack->count) {
            stack->frames += inside;
            stack->count -= inside;
        }
    }
}
