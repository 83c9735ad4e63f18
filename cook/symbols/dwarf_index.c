#include "cook/symbols/dwarf_index.h"

#include "cook/symbols/dwarf_unit.h"

/* Languages whose functions are named within namespaces and classes. */
static bool language_has_scopes(uint64_t language)
{
    switch (language) {
    case DW_LANG_C_plus_plus:
    case DW_LANG_C_plus_plus_03:
    case DW_LANG_C_plus_plus_11:
    case DW_LANG_C_plus_plus_14:
    case 0x2b: /* C++17, not yet in the old header */
    case 0x2c: /* C++20 */
    case DW_LANG_Rust:
    case DW_LANG_D:
        return true;
    default:
        return false;
    }
}

/* Split units hold nothing but the name of another file, which we do not look for. */
static bool is_split(struct cook_dwarf *dwarf, Dwarf_Die die)
{
    return cook_dwarf_has(dwarf, die, DW_AT_dwo_name) ||
           cook_dwarf_has(dwarf, die, DW_AT_GNU_dwo_name);
}

static bool add_unit(struct cook_dwarf *dwarf, Dwarf_Die die, Dwarf_Half version)
{
    struct cook_dwarf_unit unit = { .version = version, .folder = COOK_INTERN_NONE };
    Dwarf_Error error = NULL;
    Dwarf_Off start = 0, length = 0;
    Dwarf_Addr base = 0;
    uint64_t language = 0;
    if (!cook_grow(&dwarf->units, &dwarf->unit_capacity, dwarf->unit_count + 1, sizeof(unit)))
        return false;
    int result = dwarf_die_CU_offset_range(die, &start, &length, &error);
    if (!cook_dwarf_ok(dwarf, result, error) || is_split(dwarf, die))
        return true;
    error = NULL;
    if (cook_dwarf_ok(dwarf, dwarf_lowpc(die, &base, &error), error))
        unit.base = base;
    unit.start = start;
    unit.end = start + length;
    unit.die = cook_dwarf_offset(dwarf, die);
    unit.has_scopes = cook_dwarf_unsigned(dwarf, die, DW_AT_language, &language) &&
                      language_has_scopes(language);
    unit.has_program = cook_dwarf_section_offset(dwarf, die, DW_AT_stmt_list, &unit.program);
    const char *folder = cook_dwarf_string(dwarf, die, DW_AT_comp_dir);
    if (folder)
        unit.folder = cook_intern_add(dwarf->texts, folder);
    cook_dwarf_add_ranges(dwarf, &unit, die, &dwarf->unit_ranges, (uint32_t)dwarf->unit_count);
    dwarf->units[dwarf->unit_count++] = unit;
    return true;
}

/* The unit's own entry must be asked for right after its head, or libdwarf mixes units up. */
static bool next_unit(struct cook_dwarf *dwarf, Dwarf_Die *die, Dwarf_Half *version)
{
    Dwarf_Error error = NULL;
    Dwarf_Unsigned header_length, type_offset, next;
    Dwarf_Half address_size, length_size, extension_size, kind;
    Dwarf_Off abbreviations;
    Dwarf_Sig8 signature;
    *die = NULL;
    int result = dwarf_next_cu_header_d(
        dwarf->debug, 1, &header_length, version, &abbreviations, &address_size, &length_size,
        &extension_size, &signature, &type_offset, &next, &kind, &error);
    if (!cook_dwarf_ok(dwarf, result, error))
        return false;
    error = NULL;
    result = dwarf_siblingof_b(dwarf->debug, NULL, 1, die, &error);
    return cook_dwarf_ok(dwarf, result, error);
}

static bool read_units(struct cook_dwarf *dwarf)
{
    Dwarf_Die die;
    Dwarf_Half version = 0;
    bool ok = true;
    while (ok && next_unit(dwarf, &die, &version)) {
        ok = add_unit(dwarf, die, version);
        dwarf_dealloc_die(die);
    }
    cook_ranges_sort(&dwarf->unit_ranges);
    return ok;
}

/* Without the line table there are functions only. */
static void find_section(struct cook_elf *elf, const char *name, struct cook_dwarf_bytes *bytes)
{
    if (!cook_elf_debug_section(elf, name, &bytes->data, &bytes->size))
        *bytes = (struct cook_dwarf_bytes){ NULL, 0 };
}

enum cook_status cook_dwarf_open(struct cook_dwarf **out, const char *path,
                                 struct cook_elf *elf, struct cook_intern *texts,
                                 struct cook_error *error)
{
    *out = NULL;
    struct cook_dwarf *dwarf = cook_calloc(1, sizeof(*dwarf));
    if (!dwarf)
        return cook_error_set(error, COOK_E_NO_MEMORY, "cannot read debug information");
    dwarf->texts = texts;
    find_section(elf, ".debug_line", &dwarf->sections.line);
    find_section(elf, ".debug_line_str", &dwarf->sections.line_str);
    find_section(elf, ".debug_str", &dwarf->sections.str);
    /* libdwarf then keeps no tree of its allocations, half the time; we free each ourselves. */
    dwarf_set_de_alloc_flag(0);
    Dwarf_Error detail = NULL;
    int result = cook_dwarf_api_open(&dwarf->debug, path, &detail);
    if (!cook_dwarf_ok(dwarf, result, detail)) {
        cook_free(dwarf);
        return cook_error_set(error, COOK_E_NOT_FOUND, "no debug information in '%s'", path);
    }
    if (!read_units(dwarf)) {
        cook_dwarf_close(dwarf);
        return cook_error_set(error, COOK_E_NO_MEMORY, "cannot read debug information");
    }
    *out = dwarf;
    return COOK_OK;
}

void cook_dwarf_close(struct cook_dwarf *dwarf)
{
    if (!dwarf)
        return;
    for (size_t i = 0; i < dwarf->unit_count; i++) {
        cook_dwarf_finish_functions(&dwarf->units[i]);
        cook_dwarf_finish_lines(&dwarf->units[i]);
    }
    cook_free(dwarf->units);
    cook_ranges_finish(&dwarf->unit_ranges);
    cook_offset_map_finish(&dwarf->names);
    cook_dwarf_api_close(dwarf->debug);
    cook_free(dwarf);
}

/* Functions inside functions are rare: they are looked for only when no other holds it. */
static struct cook_dwarf_function *find_function(struct cook_dwarf *dwarf,
                                                 struct cook_dwarf_unit *unit, uint64_t address)
{
    cook_dwarf_scan_unit(dwarf, unit, COOK_DWARF_SCANNED);
    const struct cook_range *range = cook_ranges_find(&unit->function_ranges, address);
    if (!range) {
        cook_dwarf_scan_unit(dwarf, unit, COOK_DWARF_SCANNED_DEEP);
        range = cook_ranges_find(&unit->function_ranges, address);
    }
    return range ? &unit->functions[range->index] : NULL;
}

/* The inlined calls around `address`, outermost first. */
static size_t find_inlines(const struct cook_dwarf_function *function, uint64_t address,
                           const struct cook_dwarf_inline *calls[COOK_DWARF_MAX_DEPTH])
{
    size_t count = 0;
    for (size_t i = 0; i < function->inline_ranges.count; i++) {
        const struct cook_range *range = &function->inline_ranges.items[i];
        const struct cook_dwarf_inline *call = &function->inlines[range->index];
        if (address >= range->low && address < range->high && call->depth == count &&
            count < COOK_DWARF_MAX_DEPTH)
            calls[count++] = call;
    }
    return count;
}

/* A frame is named by its own function, and placed by the call of the one inlined into it. */
size_t cook_dwarf_frames(struct cook_dwarf *dwarf, uint64_t address,
                         struct cook_dwarf_frame *frames, size_t max)
{
    const struct cook_dwarf_inline *calls[COOK_DWARF_MAX_DEPTH];
    size_t call_count = 0, count = 0;
    const struct cook_range *range = cook_ranges_find(&dwarf->unit_ranges, address);
    if (!range || !max)
        return 0;
    struct cook_dwarf_unit *unit = &dwarf->units[range->index];
    struct cook_dwarf_function *function = find_function(dwarf, unit, address);
    cook_dwarf_read_lines(dwarf, unit);
    const struct cook_dwarf_row *row = cook_dwarf_find_row(unit, address);
    if (!function && !row)
        return 0;
    if (function) {
        cook_dwarf_read_inlines(dwarf, unit, function);
        call_count = find_inlines(function, address, calls);
    }
    const char *file = row ? cook_dwarf_file_path(dwarf, unit, row->file) : NULL;
    uint32_t line = row ? row->line : 0;
    while (call_count-- > 0 && count < max - 1) {
        const struct cook_dwarf_inline *call = calls[call_count];
        const char *name = cook_dwarf_name(dwarf, call->origin);
        frames[count++] = (struct cook_dwarf_frame){ name, file, line };
        file = cook_dwarf_file_path(dwarf, unit, call->call_file);
        line = call->call_line;
    }
    const char *name = function ? cook_dwarf_name(dwarf, function->die) : NULL;
    frames[count++] = (struct cook_dwarf_frame){ name, file, line };
    return count;
}
