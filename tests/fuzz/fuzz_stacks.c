/*
 * Recorded callstacks, crash reports and line number programs. The first byte chooses. What
 * decodes must stay within its own tables, and survive being trimmed and printed.
 */
#include <stdlib.h>
#include <string.h>

#include "cook/base/alloc.h"
#include "cook/symbols/dwarf_program.h"
#include "cook/symbols/symbolize.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void require(bool holds)
{
    if (!holds)
        abort();
}

static void check_set(struct cook_stack_set *set, struct cook_arena *arena)
{
    for (uint32_t i = 0; i < set->module_count; i++)
        require(set->modules[i].name && set->modules[i].path && set->modules[i].build_id);
    cook_stack_set_trim(set, "libcook.so");
    for (uint32_t i = 0; i < set->stack_count; i++) {
        const struct cook_stack *stack = &set->stacks[i];
        require(stack->count <= COOK_STACK_MAX_FRAMES);
        for (uint32_t j = 0; j < stack->count; j++) {
            require(stack->frames[j].module < set->module_count);
            struct cook_symbol_frame frame = {
                .module = set->modules[stack->frames[j].module].name,
                .offset = stack->frames[j].offset,
            };
            require(cook_symbol_text(&frame, arena) != NULL);
        }
    }
}

/* Nothing is looked up: paths and build ids of the input must not reach the file system. */
static void decode_stacks(const uint8_t *data, size_t size, struct cook_arena *arena)
{
    struct cook_error error = COOK_ERROR_INIT;
    struct cook_stack_set set;
    if (cook_stack_set_decode(&set, data, size, arena, &error) == COOK_OK)
        check_set(&set, arena);
    else
        require(error.status == COOK_E_MALFORMED && set.stack_count == 0);
}

static void decode_crash(const uint8_t *data, size_t size, struct cook_arena *arena)
{
    struct cook_error error = COOK_ERROR_INIT;
    struct cook_crash crash;
    if (cook_crash_decode(&crash, data, size, arena, &error) == COOK_OK) {
        require(crash.set.stack_count == 1);
        check_set(&crash.set, arena);
    } else {
        require(error.status == COOK_E_MALFORMED && crash.set.stack_count == 0);
    }
}

static bool take_folder(void *data, const char *name)
{
    *(size_t *)data += strlen(name);
    return true;
}

static bool take_file(void *data, const char *name, uint64_t folder)
{
    (void)folder;
    *(size_t *)data += strlen(name);
    return true;
}

static bool take_row(void *data, struct cook_dwarf_row row, bool ends)
{
    *(size_t *)data += row.line + ends;
    return true;
}

/* The text sections are the program itself, so that offsets into them can be met. */
static void run_program(const uint8_t *data, size_t size)
{
    size_t total = 0;
    struct cook_dwarf_bytes bytes = { data, size };
    struct cook_dwarf_line_sections sections = { bytes, bytes, bytes };
    struct cook_dwarf_line_sink sink = { &total, take_folder, take_file, take_row };
    cook_dwarf_run_program(&sections, 0, &sink);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct cook_arena arena = COOK_ARENA_INIT;
    if (!size)
        return 0;
    switch (data[0] % 3) {
    case 0:
        decode_stacks(data + 1, size - 1, &arena);
        break;
    case 1:
        decode_crash(data + 1, size - 1, &arena);
        break;
    default:
        run_program(data + 1, size - 1);
        break;
    }
    cook_arena_finish(&arena);
    return 0;
}
