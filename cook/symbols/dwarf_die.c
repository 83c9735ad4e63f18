#include "cook/symbols/dwarf_unit.h"

bool cook_dwarf_ok(struct cook_dwarf *dwarf, int result, Dwarf_Error error)
{
    if (result == DW_DLV_ERROR)
        dwarf_dealloc_error(dwarf->debug, error);
    return result == DW_DLV_OK;
}

bool cook_dwarf_die_at(struct cook_dwarf *dwarf, uint64_t offset, Dwarf_Die *die)
{
    Dwarf_Error error = NULL;
    *die = NULL;
    return cook_dwarf_ok(dwarf, dwarf_offdie_b(dwarf->debug, offset, 1, die, &error), error);
}

bool cook_dwarf_child(struct cook_dwarf *dwarf, Dwarf_Die die, Dwarf_Die *child)
{
    Dwarf_Error error = NULL;
    *child = NULL;
    return cook_dwarf_ok(dwarf, dwarf_child(die, child, &error), error);
}

bool cook_dwarf_next(struct cook_dwarf *dwarf, Dwarf_Die *die)
{
    Dwarf_Error error = NULL;
    Dwarf_Die next = NULL;
    int result = dwarf_siblingof_b(dwarf->debug, *die, 1, &next, &error);
    dwarf_dealloc_die(*die);
    *die = cook_dwarf_ok(dwarf, result, error) ? next : NULL;
    return *die != NULL;
}

Dwarf_Half cook_dwarf_tag(struct cook_dwarf *dwarf, Dwarf_Die die)
{
    Dwarf_Error error = NULL;
    Dwarf_Half tag = 0;
    return cook_dwarf_ok(dwarf, dwarf_tag(die, &tag, &error), error) ? tag : 0;
}

uint64_t cook_dwarf_offset(struct cook_dwarf *dwarf, Dwarf_Die die)
{
    Dwarf_Error error = NULL;
    Dwarf_Off offset = 0;
    return cook_dwarf_ok(dwarf, dwarf_dieoffset(die, &offset, &error), error) ? offset : 0;
}

bool cook_dwarf_has(struct cook_dwarf *dwarf, Dwarf_Die die, Dwarf_Half name)
{
    Dwarf_Error error = NULL;
    Dwarf_Bool has = 0;
    return cook_dwarf_ok(dwarf, dwarf_hasattr(die, name, &has, &error), error) && has;
}

static bool get_attribute(struct cook_dwarf *dwarf, Dwarf_Die die, Dwarf_Half name,
                          Dwarf_Attribute *attribute)
{
    Dwarf_Error error = NULL;
    return cook_dwarf_ok(dwarf, dwarf_attr(die, name, attribute, &error), error);
}

/* Asking by the wrong kind of form would fail, and libdwarf loses memory doing so. */
static bool read_unsigned(struct cook_dwarf *dwarf, Dwarf_Attribute attribute, uint64_t *value)
{
    Dwarf_Error error = NULL;
    Dwarf_Half form = 0;
    Dwarf_Unsigned plain = 0;
    Dwarf_Signed with_sign = -1;
    bool ok = cook_dwarf_ok(dwarf, dwarf_whatform(attribute, &form, &error), error);
    error = NULL;
    if (ok && (form == DW_FORM_sdata || form == DW_FORM_implicit_const)) {
        int result = dwarf_formsdata(attribute, &with_sign, &error);
        ok = cook_dwarf_ok(dwarf, result, error) && with_sign >= 0;
        plain = (Dwarf_Unsigned)with_sign;
    } else if (ok) {
        ok = cook_dwarf_ok(dwarf, dwarf_formudata(attribute, &plain, &error), error);
    }
    if (ok)
        *value = plain;
    return ok;
}

bool cook_dwarf_unsigned(struct cook_dwarf *dwarf, Dwarf_Die die, Dwarf_Half name,
                         uint64_t *value)
{
    Dwarf_Attribute attribute;
    if (!get_attribute(dwarf, die, name, &attribute))
        return false;
    bool ok = read_unsigned(dwarf, attribute, value);
    dwarf_dealloc_attribute(attribute);
    return ok;
}

/* References into a supplementary file or a type unit are offsets into something else. */
static bool is_local_reference(Dwarf_Half form)
{
    return form == DW_FORM_ref1 || form == DW_FORM_ref2 || form == DW_FORM_ref4 ||
           form == DW_FORM_ref8 || form == DW_FORM_ref_udata || form == DW_FORM_ref_addr;
}

bool cook_dwarf_reference(struct cook_dwarf *dwarf, Dwarf_Die die, Dwarf_Half name,
                          uint64_t *offset)
{
    Dwarf_Attribute attribute;
    Dwarf_Error error = NULL;
    Dwarf_Half form = 0;
    Dwarf_Off found = 0;
    if (!get_attribute(dwarf, die, name, &attribute))
        return false;
    bool ok = cook_dwarf_ok(dwarf, dwarf_whatform(attribute, &form, &error), error) &&
              is_local_reference(form);
    error = NULL;
    ok = ok && cook_dwarf_ok(dwarf, dwarf_global_formref(attribute, &found, &error), error);
    dwarf_dealloc_attribute(attribute);
    if (ok)
        *offset = found;
    return ok;
}

static bool read_section_offset(struct cook_dwarf *dwarf, Dwarf_Attribute attribute,
                                uint64_t *value)
{
    Dwarf_Error error = NULL;
    Dwarf_Off offset = 0;
    bool ok = cook_dwarf_ok(dwarf, dwarf_global_formref(attribute, &offset, &error), error);
    if (ok)
        *value = offset;
    return ok;
}

bool cook_dwarf_section_offset(struct cook_dwarf *dwarf, Dwarf_Die die, Dwarf_Half name,
                               uint64_t *offset)
{
    Dwarf_Attribute attribute;
    if (!get_attribute(dwarf, die, name, &attribute))
        return false;
    bool ok = read_section_offset(dwarf, attribute, offset);
    dwarf_dealloc_attribute(attribute);
    return ok;
}

const char *cook_dwarf_string(struct cook_dwarf *dwarf, Dwarf_Die die, Dwarf_Half name)
{
    Dwarf_Attribute attribute;
    Dwarf_Error error = NULL;
    char *text = NULL; /* lies in a section, and is not to be freed */
    if (!get_attribute(dwarf, die, name, &attribute))
        return NULL;
    if (!cook_dwarf_ok(dwarf, dwarf_formstring(attribute, &text, &error), error))
        text = NULL;
    dwarf_dealloc_attribute(attribute);
    return text;
}

static void add_old_ranges(struct cook_dwarf *dwarf, const struct cook_dwarf_unit *unit,
                           Dwarf_Die die, uint64_t offset, struct cook_ranges *ranges,
                           uint32_t index)
{
    Dwarf_Error error = NULL;
    Dwarf_Ranges *entries = NULL;
    Dwarf_Signed count = 0;
    Dwarf_Unsigned bytes = 0;
    Dwarf_Off real = 0;
    int result =
        dwarf_get_ranges_b(dwarf->debug, offset, die, &real, &entries, &count, &bytes, &error);
    if (!cook_dwarf_ok(dwarf, result, error))
        return;
    uint64_t base = unit->base;
    for (Dwarf_Signed i = 0; i < count; i++) {
        if (entries[i].dwr_type == DW_RANGES_ADDRESS_SELECTION)
            base = entries[i].dwr_addr2;
        else if (entries[i].dwr_type == DW_RANGES_ENTRY &&
                 !cook_ranges_add(ranges, base + entries[i].dwr_addr1,
                                  base + entries[i].dwr_addr2, index))
            break;
    }
    cook_dwarf_api_free_ranges(dwarf->debug, entries, count);
}

static bool is_range_entry(unsigned kind)
{
    return kind == DW_RLE_startx_endx || kind == DW_RLE_startx_length ||
           kind == DW_RLE_offset_pair || kind == DW_RLE_start_end ||
           kind == DW_RLE_start_length;
}

static void add_list_ranges(struct cook_dwarf *dwarf, Dwarf_Attribute attribute,
                            struct cook_ranges *ranges, uint32_t index)
{
    Dwarf_Error error = NULL;
    Dwarf_Half form = 0;
    uint64_t value = 0;
    Dwarf_Rnglists_Head head = NULL;
    Dwarf_Unsigned count = 0, offset = 0;
    if (!cook_dwarf_ok(dwarf, dwarf_whatform(attribute, &form, &error), error))
        return;
    error = NULL;
    bool known = form == DW_FORM_sec_offset ? read_section_offset(dwarf, attribute, &value)
                                            : read_unsigned(dwarf, attribute, &value);
    if (!known)
        return;
    int result =
        dwarf_rnglists_get_rle_head(attribute, form, value, &head, &count, &offset, &error);
    if (!cook_dwarf_ok(dwarf, result, error))
        return;
    for (Dwarf_Unsigned i = 0; i < count; i++) {
        unsigned length = 0, kind = 0;
        Dwarf_Unsigned raw1, raw2, low = 0, high = 0;
        Dwarf_Bool missing = 0;
        error = NULL;
        result = dwarf_get_rnglists_entry_fields_a(head, i, &length, &kind, &raw1, &raw2,
                                                   &missing, &low, &high, &error);
        if (!cook_dwarf_ok(dwarf, result, error))
            break;
        if (is_range_entry(kind) && !missing && !cook_ranges_add(ranges, low, high, index))
            break;
    }
    dwarf_dealloc_rnglists_head(head);
}

static void add_plain_range(struct cook_dwarf *dwarf, Dwarf_Die die, struct cook_ranges *ranges,
                            uint32_t index)
{
    Dwarf_Error error = NULL;
    Dwarf_Addr low = 0, high = 0;
    Dwarf_Half form = 0;
    enum Dwarf_Form_Class class = DW_FORM_CLASS_UNKNOWN;
    if (!cook_dwarf_ok(dwarf, dwarf_lowpc(die, &low, &error), error))
        return;
    error = NULL;
    if (!cook_dwarf_ok(dwarf, dwarf_highpc_b(die, &high, &form, &class, &error), error))
        return;
    if (class == DW_FORM_CLASS_CONSTANT && __builtin_add_overflow(low, high, &high))
        return;
    cook_ranges_add(ranges, low, high, index);
}

void cook_dwarf_add_ranges(struct cook_dwarf *dwarf, const struct cook_dwarf_unit *unit,
                           Dwarf_Die die, struct cook_ranges *ranges, uint32_t index)
{
    Dwarf_Attribute attribute;
    if (!get_attribute(dwarf, die, DW_AT_ranges, &attribute)) {
        add_plain_range(dwarf, die, ranges, index);
        return;
    }
    uint64_t offset = 0;
    if (unit->version >= 5)
        add_list_ranges(dwarf, attribute, ranges, index);
    else if (read_section_offset(dwarf, attribute, &offset))
        add_old_ranges(dwarf, unit, die, offset, ranges, index);
    dwarf_dealloc_attribute(attribute);
}
