#include "cook/symbols/dwarf_unit.h"

#include <string.h>

#include "cook/base/buf.h"

#define MAX_HOPS 8 /* from a concrete function over its abstract one to its declaration */

static struct cook_dwarf_unit *unit_at(struct cook_dwarf *dwarf, uint64_t offset)
{
    size_t low = 0, high = dwarf->unit_count;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (dwarf->units[middle].start <= offset)
            low = middle + 1;
        else
            high = middle;
    }
    return low && offset < dwarf->units[low - 1].end ? &dwarf->units[low - 1] : NULL;
}

/* The innermost scope around `offset`, or UINT32_MAX. Scopes stand in the order of their start.
 */
static uint32_t scope_at(const struct cook_dwarf_unit *unit, uint64_t offset)
{
    size_t low = 0, high = unit->scope_count;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (unit->scopes[middle].start < offset)
            low = middle + 1;
        else
            high = middle;
    }
    uint32_t scope = low ? (uint32_t)(low - 1) : UINT32_MAX;
    while (scope != UINT32_MAX && offset >= unit->scopes[scope].end)
        scope = unit->scopes[scope].parent;
    return scope;
}

static void put_scopes(struct cook_dwarf *dwarf, struct cook_buf *name, uint64_t offset)
{
    uint32_t chain[COOK_DWARF_MAX_DEPTH];
    size_t count = 0;
    struct cook_dwarf_unit *unit = unit_at(dwarf, offset);
    if (!unit || !unit->has_scopes)
        return;
    cook_dwarf_scan_unit(dwarf, unit, COOK_DWARF_SCANNED);
    for (uint32_t scope = scope_at(unit, offset);
         scope != UINT32_MAX && count < COOK_DWARF_MAX_DEPTH;
         scope = unit->scopes[scope].parent)
        chain[count++] = unit->scopes[scope].name;
    while (count-- > 0) {
        const char *text = chain[count] == COOK_INTERN_NONE
                               ? "(anonymous)"
                               : cook_intern_text(dwarf->texts, chain[count]);
        cook_buf_printf(name, "%s::", text);
    }
}

/*
 * Follow the entry at `offset` to its declaration: `*declaration` is where that stands, the
 * first name met on the way comes back.
 */
static const char *find_name(struct cook_dwarf *dwarf, uint64_t offset, uint64_t *declaration)
{
    const char *name = NULL, *linkage_name = NULL;
    bool more = true;
    for (int hop = 0; hop < MAX_HOPS && more; hop++) {
        Dwarf_Die die;
        if (!cook_dwarf_die_at(dwarf, offset, &die))
            break;
        *declaration = offset;
        if (!name)
            name = cook_dwarf_string(dwarf, die, DW_AT_name);
        if (!linkage_name)
            linkage_name = cook_dwarf_string(dwarf, die, DW_AT_linkage_name);
        more = cook_dwarf_reference(dwarf, die, DW_AT_abstract_origin, &offset) ||
               cook_dwarf_reference(dwarf, die, DW_AT_specification, &offset);
        dwarf_dealloc_die(die);
    }
    return name ? name : linkage_name;
}

static uint32_t make_name(struct cook_dwarf *dwarf, uint64_t offset)
{
    uint64_t declaration = offset;
    const char *name = find_name(dwarf, offset, &declaration);
    if (!name)
        return COOK_INTERN_NONE;
    struct cook_buf text = COOK_BUF_INIT;
    put_scopes(dwarf, &text, declaration);
    cook_buf_put(&text, name, strlen(name));
    uint32_t id = text.failed
                      ? COOK_INTERN_NONE
                      : cook_intern_add_n(dwarf->texts, (const char *)text.data, text.size);
    cook_buf_finish(&text);
    return id;
}

const char *cook_dwarf_name(struct cook_dwarf *dwarf, uint64_t offset)
{
    uint32_t id = COOK_INTERN_NONE;
    if (!offset)
        return NULL;
    if (!cook_offset_map_get(&dwarf->names, offset, &id)) {
        id = make_name(dwarf, offset);
        /* Without memory for the entry the name is only made again next time. */
        (void)cook_offset_map_put(&dwarf->names, offset, id);
    }
    return id == COOK_INTERN_NONE ? NULL : cook_intern_text(dwarf->texts, id);
}
