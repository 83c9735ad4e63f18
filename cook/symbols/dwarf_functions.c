#include "cook/symbols/dwarf_unit.h"

struct scan {
    struct cook_dwarf *dwarf;
    struct cook_dwarf_unit *unit;
    bool deep;
};

static void add_function(struct scan *scan, Dwarf_Die die)
{
    struct cook_dwarf_unit *unit = scan->unit;
    size_t before = unit->function_ranges.count;
    cook_dwarf_add_ranges(scan->dwarf, unit, die, &unit->function_ranges,
                          (uint32_t)unit->function_count);
    if (unit->function_ranges.count == before)
        return; /* a declaration, or dropped by the linker */
    if (!cook_grow(&unit->functions, &unit->function_capacity, unit->function_count + 1,
                   sizeof(*unit->functions))) {
        unit->function_ranges.count = before;
        return;
    }
    unit->functions[unit->function_count++] =
        (struct cook_dwarf_function){ .die = cook_dwarf_offset(scan->dwarf, die) };
}

/* The index of the new scope, or that of its parent when memory is short. */
static uint32_t add_scope(struct scan *scan, Dwarf_Die die, uint32_t parent)
{
    struct cook_dwarf_unit *unit = scan->unit;
    if (!cook_grow(&unit->scopes, &unit->scope_capacity, unit->scope_count + 1,
                   sizeof(*unit->scopes)))
        return parent;
    const char *name = cook_dwarf_string(scan->dwarf, die, DW_AT_name);
    uint64_t start = cook_dwarf_offset(scan->dwarf, die);
    if (!name && cook_dwarf_tag(scan->dwarf, die) == DW_TAG_namespace)
        name = "(anonymous namespace)";
    unit->scopes[unit->scope_count] = (struct cook_dwarf_scope){
        .start = start,
        .end = start,
        .name = name ? cook_intern_add(scan->dwarf->texts, name) : COOK_INTERN_NONE,
        .parent = parent,
    };
    return (uint32_t)unit->scope_count++;
}

static bool is_scope(Dwarf_Half tag)
{
    return tag == DW_TAG_namespace || tag == DW_TAG_class_type ||
           tag == DW_TAG_structure_type || tag == DW_TAG_union_type;
}

static bool is_block(Dwarf_Half tag)
{
    return tag == DW_TAG_lexical_block || tag == DW_TAG_try_block || tag == DW_TAG_catch_block;
}

static void scan_children(struct scan *scan, Dwarf_Die parent, uint32_t scope, unsigned depth);

static void scan_entry(struct scan *scan, Dwarf_Die die, uint32_t scope, unsigned depth)
{
    Dwarf_Half tag = cook_dwarf_tag(scan->dwarf, die);
    if (tag == DW_TAG_subprogram)
        add_function(scan, die);
    if (is_scope(tag) && scan->unit->has_scopes)
        scan_children(scan, die, add_scope(scan, die, scope), depth + 1);
    else if (tag == DW_TAG_module ||
             (scan->deep && (is_block(tag) || tag == DW_TAG_subprogram)))
        scan_children(scan, die, scope, depth + 1);
}

/* A scope ends where the entry after it starts, which is known only then. */
static void end_scopes(struct cook_dwarf_unit *unit, size_t first, uint64_t end)
{
    for (size_t i = first; i < unit->scope_count; i++) {
        if (unit->scopes[i].end == unit->scopes[i].start)
            unit->scopes[i].end = end;
    }
}

static void scan_children(struct scan *scan, Dwarf_Die parent, uint32_t scope, unsigned depth)
{
    Dwarf_Die die;
    if (depth >= COOK_DWARF_MAX_DEPTH || !cook_dwarf_child(scan->dwarf, parent, &die))
        return;
    do {
        size_t open = scan->unit->scope_count;
        scan_entry(scan, die, scope, depth);
        if (scan->unit->scope_count > open) {
            Dwarf_Die next = NULL;
            Dwarf_Error error = NULL;
            int result = dwarf_siblingof_b(scan->dwarf->debug, die, 1, &next, &error);
            if (cook_dwarf_ok(scan->dwarf, result, error)) {
                end_scopes(scan->unit, open, cook_dwarf_offset(scan->dwarf, next));
                dwarf_dealloc_die(next);
            }
        }
    } while (cook_dwarf_next(scan->dwarf, &die));
}

void cook_dwarf_finish_functions(struct cook_dwarf_unit *unit)
{
    for (size_t i = 0; i < unit->function_count; i++) {
        cook_free(unit->functions[i].inlines);
        cook_ranges_finish(&unit->functions[i].inline_ranges);
    }
    cook_free(unit->functions);
    cook_free(unit->scopes);
    cook_ranges_finish(&unit->function_ranges);
    unit->functions = NULL;
    unit->function_count = unit->function_capacity = 0;
    unit->scopes = NULL;
    unit->scope_count = unit->scope_capacity = 0;
}

void cook_dwarf_scan_unit(struct cook_dwarf *dwarf, struct cook_dwarf_unit *unit,
                          enum cook_dwarf_scan wanted)
{
    struct scan scan = { dwarf, unit, wanted == COOK_DWARF_SCANNED_DEEP };
    Dwarf_Die die;
    if (unit->scan >= wanted)
        return;
    unit->scan = wanted;
    cook_dwarf_finish_functions(unit);
    if (!cook_dwarf_die_at(dwarf, unit->die, &die))
        return;
    scan_children(&scan, die, UINT32_MAX, 0);
    end_scopes(unit, 0, unit->end);
    cook_ranges_sort(&unit->function_ranges);
    dwarf_dealloc_die(die);
}

struct inline_walk {
    struct cook_dwarf *dwarf;
    const struct cook_dwarf_unit *unit;
    struct cook_dwarf_function *function;
};

static uint32_t small_unsigned(struct cook_dwarf *dwarf, Dwarf_Die die, Dwarf_Half name)
{
    uint64_t value = 0;
    if (!cook_dwarf_unsigned(dwarf, die, name, &value) || value > UINT32_MAX)
        return 0;
    return (uint32_t)value;
}

static bool add_inline(struct inline_walk *walk, Dwarf_Die die, uint32_t depth)
{
    struct cook_dwarf_function *function = walk->function;
    size_t before = function->inline_ranges.count;
    cook_dwarf_add_ranges(walk->dwarf, walk->unit, die, &function->inline_ranges,
                          (uint32_t)function->inline_count);
    if (function->inline_ranges.count == before)
        return false; /* nothing is left of the call, nor of those inside it */
    if (!cook_grow(&function->inlines, &function->inline_capacity, function->inline_count + 1,
                   sizeof(*function->inlines))) {
        function->inline_ranges.count = before;
        return false;
    }
    struct cook_dwarf_inline call = {
        .depth = depth,
        .call_file = small_unsigned(walk->dwarf, die, DW_AT_call_file),
        .call_line = small_unsigned(walk->dwarf, die, DW_AT_call_line),
    };
    cook_dwarf_reference(walk->dwarf, die, DW_AT_abstract_origin, &call.origin);
    function->inlines[function->inline_count++] = call;
    return true;
}

static void walk_inlines(struct inline_walk *walk, Dwarf_Die parent, uint32_t inline_depth,
                         unsigned depth)
{
    Dwarf_Die die;
    if (depth >= COOK_DWARF_MAX_DEPTH || !cook_dwarf_child(walk->dwarf, parent, &die))
        return;
    do {
        Dwarf_Half tag = cook_dwarf_tag(walk->dwarf, die);
        if (is_block(tag))
            walk_inlines(walk, die, inline_depth, depth + 1);
        else if (tag == DW_TAG_inlined_subroutine && add_inline(walk, die, inline_depth))
            walk_inlines(walk, die, inline_depth + 1, depth + 1);
    } while (cook_dwarf_next(walk->dwarf, &die));
}

void cook_dwarf_read_inlines(struct cook_dwarf *dwarf, const struct cook_dwarf_unit *unit,
                             struct cook_dwarf_function *function)
{
    struct inline_walk walk = { dwarf, unit, function };
    Dwarf_Die die;
    if (function->inlines_read)
        return;
    function->inlines_read = true;
    if (!cook_dwarf_die_at(dwarf, function->die, &die))
        return;
    walk_inlines(&walk, die, 0, 0);
    dwarf_dealloc_die(die);
}
