#include "cook/symbols/stacks.h"

#include <string.h>

#include "cook/base/alloc.h"
#include "cook/symbols/crash_format.h"
#include "cook/symbols/stack_set.h"

struct decoder {
    struct cook_reader_buf in;
    struct cook_arena *arena;
    struct cook_stack_set set;
    struct cook_stack stack;
};

static const char *read_text(struct decoder *decoder)
{
    size_t size = cook_read_u16(&decoder->in);
    const uint8_t *bytes = cook_read_raw(&decoder->in, size);
    char *text = NULL;
    if (bytes && !memchr(bytes, 0, size))
        text = cook_arena_strndup(decoder->arena, (const char *)bytes, size);
    if (!text)
        decoder->in.failed = true;
    return text ? text : "";
}

/* Every frame repeats its module; equal ones become one. */
static uint32_t number_module(struct decoder *decoder, const struct cook_stack_module *module)
{
    struct cook_stack_set *set = &decoder->set;
    for (uint32_t i = 0; i < set->module_count; i++) {
        const struct cook_stack_module *known = &set->modules[i];
        if (strcmp(known->name, module->name) == 0 && strcmp(known->path, module->path) == 0 &&
            strcmp(known->build_id, module->build_id) == 0)
            return i;
    }
    set->modules[set->module_count] = *module;
    return set->module_count++;
}

static void read_frame(struct decoder *decoder)
{
    struct cook_stack_module module;
    module.name = read_text(decoder);
    module.path = read_text(decoder);
    module.build_id = read_text(decoder);
    uint64_t offset = cook_read_u64(&decoder->in);
    if (!cook_build_id_is_valid(module.build_id) ||
        decoder->stack.count == COOK_STACK_MAX_FRAMES)
        decoder->in.failed = true;
    if (decoder->in.failed)
        return;
    struct cook_stack_frame *frame = &decoder->stack.frames[decoder->stack.count++];
    frame->module = number_module(decoder, &module);
    frame->offset = offset;
}

/* Up to the end mark, which must be the last byte, or to the end of the bytes. */
static void read_frames(struct decoder *decoder)
{
    while (!decoder->in.failed && decoder->in.offset < decoder->in.size) {
        switch (cook_read_u8(&decoder->in)) {
        case COOK_CRASH_FRAME:
            read_frame(decoder);
            break;
        case COOK_CRASH_END:
            decoder->in.failed = decoder->in.offset != decoder->in.size;
            break;
        default:
            decoder->in.failed = true;
            break;
        }
    }
}

enum cook_status cook_crash_decode(struct cook_crash *crash, const void *bytes, size_t size,
                                   struct cook_arena *arena, struct cook_error *error)
{
    memset(crash, 0, sizeof(*crash));
    struct decoder decoder = { .in = cook_read_init(bytes, size), .arena = arena };
    uint32_t magic = cook_read_u32(&decoder.in);
    uint8_t version = cook_read_u8(&decoder.in);
    uint32_t signal_number = cook_read_u32(&decoder.in);
    if (decoder.in.failed || magic != COOK_CRASH_MAGIC || version != COOK_CRASH_VERSION ||
        signal_number > 127)
        return cook_error_set(error, COOK_E_MALFORMED, "not a crash report");

    decoder.stack.frames =
        cook_arena_alloc(arena, COOK_STACK_MAX_FRAMES * sizeof(*decoder.stack.frames));
    decoder.set.modules =
        cook_arena_alloc(arena, COOK_STACK_MAX_FRAMES * sizeof(*decoder.set.modules));
    decoder.set.stacks = cook_arena_alloc(arena, sizeof(*decoder.set.stacks));
    if (!decoder.stack.frames || !decoder.set.modules || !decoder.set.stacks)
        return cook_error_set(error, COOK_E_NO_MEMORY, "cannot decode a crash report");
    read_frames(&decoder);
    if (decoder.in.failed)
        return cook_error_set(error, COOK_E_MALFORMED, "malformed crash report");
    decoder.set.stacks[0] = decoder.stack;
    decoder.set.stack_count = 1;
    crash->set = decoder.set;
    crash->signal = (int)signal_number;
    return COOK_OK;
}
