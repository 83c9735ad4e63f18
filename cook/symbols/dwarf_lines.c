#include "cook/symbols/dwarf_unit.h"

#include <string.h>

#include "cook/base/buf.h"

#define MAX_FILES 1000000 /* of one unit; more is damage */

static uint32_t intern_or_none(struct cook_dwarf *dwarf, const char *text)
{
    return text && *text ? cook_intern_add(dwarf->texts, text) : COOK_INTERN_NONE;
}

/* Folder 0 is the one compiled in: it stands in version 5 tables and is implied before. */
static uint32_t folder_name(struct cook_dwarf *dwarf, const struct cook_dwarf_unit *unit,
                            Dwarf_Line_Context context, Dwarf_Unsigned index)
{
    Dwarf_Error error = NULL;
    Dwarf_Signed count = 0;
    const char *name = NULL;
    int result = dwarf_srclines_include_dir_count(context, &count, &error);
    if (!cook_dwarf_ok(dwarf, result, error) || index == 0 || count < 0)
        return COOK_INTERN_NONE;
    Dwarf_Unsigned end = (Dwarf_Unsigned)count + (unit->version < 5);
    if (index >= end)
        return COOK_INTERN_NONE;
    error = NULL;
    result = dwarf_srclines_include_dir_data(context, (Dwarf_Signed)index, &name, &error);
    return cook_dwarf_ok(dwarf, result, error) ? intern_or_none(dwarf, name) : COOK_INTERN_NONE;
}

static struct cook_dwarf_file file_data(struct cook_dwarf *dwarf,
                                        const struct cook_dwarf_unit *unit,
                                        Dwarf_Line_Context context, Dwarf_Signed index)
{
    struct cook_dwarf_file file = { COOK_INTERN_NONE, COOK_INTERN_NONE, NULL };
    Dwarf_Error error = NULL;
    const char *name = NULL;
    Dwarf_Unsigned folder = 0, time = 0, length = 0;
    Dwarf_Form_Data16 *digest = NULL;
    int result = dwarf_srclines_files_data_b(context, index, &name, &folder, &time, &length,
                                             &digest, &error);
    if (cook_dwarf_ok(dwarf, result, error)) {
        file.name = intern_or_none(dwarf, name);
        file.folder = folder_name(dwarf, unit, context, folder);
    }
    return file;
}

static void read_files(struct cook_dwarf *dwarf, struct cook_dwarf_unit *unit,
                       Dwarf_Line_Context context)
{
    struct cook_dwarf_lines *lines = &unit->lines;
    Dwarf_Error error = NULL;
    Dwarf_Signed base = 0, count = 0, end = 0;
    int result = dwarf_srclines_files_indexes(context, &base, &count, &end, &error);
    if (!cook_dwarf_ok(dwarf, result, error) || base < 0 || end <= base || end > MAX_FILES)
        return;
    lines->files = cook_calloc((size_t)end, sizeof(*lines->files));
    if (!lines->files)
        return;
    lines->file_count = (size_t)end;
    for (Dwarf_Signed i = 0; i < end; i++) {
        lines->files[i].name = COOK_INTERN_NONE;
        if (i >= base)
            lines->files[i] = file_data(dwarf, unit, context, i);
    }
}

struct raw_row {
    struct cook_dwarf_row row;
    bool ends;
};

static bool read_row(struct cook_dwarf *dwarf, Dwarf_Line line, struct raw_row *raw)
{
    Dwarf_Error error = NULL;
    Dwarf_Addr address = 0;
    Dwarf_Unsigned number = 0, file = 0;
    Dwarf_Bool ends = 0;
    bool ok = cook_dwarf_ok(dwarf, dwarf_lineaddr(line, &address, &error), error) &&
              cook_dwarf_ok(dwarf, dwarf_lineno(line, &number, &error), error) &&
              cook_dwarf_ok(dwarf, dwarf_line_srcfileno(line, &file, &error), error) &&
              cook_dwarf_ok(dwarf, dwarf_lineendsequence(line, &ends, &error), error);
    raw->row.address = address;
    raw->row.line = number <= UINT32_MAX ? (uint32_t)number : 0;
    raw->row.file = file <= UINT32_MAX ? (uint32_t)file : UINT32_MAX;
    raw->ends = ends;
    return ok;
}

/* Of rows at one address the last counts; rows that say nothing new are left out. */
static bool add_row(struct cook_dwarf_lines *lines, size_t first, struct cook_dwarf_row row)
{
    if (lines->count > first && lines->rows[lines->count - 1].address == row.address)
        lines->count--;
    if (lines->count > first && lines->rows[lines->count - 1].line == row.line &&
        lines->rows[lines->count - 1].file == row.file)
        return true;
    if (!cook_grow(&lines->rows, &lines->capacity, lines->count + 1, sizeof(row)))
        return false;
    lines->rows[lines->count++] = row;
    return true;
}

static bool end_sequence(struct cook_dwarf_lines *lines, size_t first, uint64_t end)
{
    if (lines->count == first)
        return true;
    if (!cook_grow(&lines->firsts, &lines->first_capacity, lines->first_count + 1,
                   sizeof(*lines->firsts)))
        return false;
    lines->firsts[lines->first_count] =
        (struct cook_dwarf_sequence){ first, lines->count - first };
    return cook_ranges_add(&lines->sequences, lines->rows[first].address, end,
                           (uint32_t)lines->first_count++);
}

static void read_rows(struct cook_dwarf *dwarf, struct cook_dwarf_unit *unit,
                      Dwarf_Line_Context context)
{
    struct cook_dwarf_lines *lines = &unit->lines;
    Dwarf_Error error = NULL;
    Dwarf_Line *items = NULL;
    Dwarf_Signed count = 0;
    size_t first = 0;
    int result = dwarf_srclines_from_linecontext(context, &items, &count, &error);
    if (!cook_dwarf_ok(dwarf, result, error))
        return;
    for (Dwarf_Signed i = 0; i < count; i++) {
        struct raw_row raw;
        if (!read_row(dwarf, items[i], &raw))
            break;
        if (raw.ends) {
            if (!end_sequence(lines, first, raw.row.address))
                break;
            first = lines->count;
        } else if (!add_row(lines, first, raw.row)) {
            break;
        }
    }
    cook_ranges_sort(&lines->sequences);
}

void cook_dwarf_read_lines(struct cook_dwarf *dwarf, struct cook_dwarf_unit *unit)
{
    Dwarf_Error error = NULL;
    Dwarf_Die die;
    Dwarf_Unsigned version = 0;
    Dwarf_Small tables = 0;
    Dwarf_Line_Context context = NULL;
    if (unit->has_lines)
        return;
    unit->has_lines = true;
    if (!cook_dwarf_die_at(dwarf, unit->die, &die))
        return;
    int result = dwarf_srclines_b(die, &version, &tables, &context, &error);
    if (cook_dwarf_ok(dwarf, result, error)) {
        if (tables == 1) {
            read_files(dwarf, unit, context);
            read_rows(dwarf, unit, context);
        }
        dwarf_srclines_dealloc_b(context);
    }
    dwarf_dealloc_die(die);
}

void cook_dwarf_finish_lines(struct cook_dwarf_unit *unit)
{
    cook_free(unit->lines.rows);
    cook_free(unit->lines.firsts);
    cook_free(unit->lines.files);
    cook_ranges_finish(&unit->lines.sequences);
}

const struct cook_dwarf_row *cook_dwarf_find_row(const struct cook_dwarf_unit *unit,
                                                 uint64_t address)
{
    const struct cook_range *range = cook_ranges_find(&unit->lines.sequences, address);
    if (!range)
        return NULL;
    const struct cook_dwarf_sequence *sequence = &unit->lines.firsts[range->index];
    const struct cook_dwarf_row *rows = unit->lines.rows + sequence->first;
    size_t low = 0, high = sequence->count;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (rows[middle].address <= address)
            low = middle + 1;
        else
            high = middle;
    }
    return low ? &rows[low - 1] : NULL;
}

/* Append `path` to `out` part by part; "." goes, ".." takes the part before it away. */
static void put_normal(struct cook_buf *out, const char *path)
{
    while (*path && !out->failed) {
        size_t length = strcspn(path, "/");
        size_t cut = out->size;
        while (cut > 0 && out->data[cut - 1] != '/')
            cut--;
        bool parent = length == 2 && memcmp(path, "..", 2) == 0 && out->size > cut &&
                      memcmp(out->data + cut, "..", out->size - cut) != 0;
        if (parent) {
            out->size = cut > 1 ? cut - 1 : 0;
        } else if (length && !(length == 1 && *path == '.')) {
            if (out->size)
                cook_buf_put_u8(out, '/');
            cook_buf_put(out, path, length);
        }
        path += length + (path[length] == '/');
    }
}

/*
 * A relative path stays as it was compiled, so that a prefix map shortens it for good and no
 * build folder shows; only one that climbs out with ".." is joined to the folder compiled in.
 */
static uint32_t make_path(struct cook_dwarf *dwarf, const char *folder, const char *name,
                          const char *compiled_in)
{
    struct cook_buf joined = COOK_BUF_INIT, path = COOK_BUF_INIT;
    if (name[0] == '/' || !folder)
        folder = "";
    cook_buf_printf(&joined, "%s%s%s", folder, *folder ? "/" : "", name);
    const char *text = cook_buf_text(&joined);
    if (strncmp(text, "../", 3) == 0 && compiled_in)
        put_normal(&path, compiled_in);
    bool absolute = text[0] == '/' || (path.size && compiled_in && compiled_in[0] == '/');
    put_normal(&path, text);
    cook_buf_clear(&joined);
    cook_buf_printf(&joined, "%s%s", absolute ? "/" : "", cook_buf_text(&path));
    uint32_t id = joined.failed || path.failed
                      ? COOK_INTERN_NONE
                      : cook_intern_add(dwarf->texts, cook_buf_text(&joined));
    cook_buf_finish(&joined);
    cook_buf_finish(&path);
    return id;
}

const char *cook_dwarf_file_path(struct cook_dwarf *dwarf, struct cook_dwarf_unit *unit,
                                 uint64_t number)
{
    if (number >= unit->lines.file_count)
        return NULL;
    struct cook_dwarf_file *file = &unit->lines.files[number];
    if (file->path || file->name == COOK_INTERN_NONE)
        return file->path;
    const char *folder =
        file->folder == COOK_INTERN_NONE ? NULL : cook_intern_text(dwarf->texts, file->folder);
    const char *compiled_in =
        unit->folder == COOK_INTERN_NONE ? NULL : cook_intern_text(dwarf->texts, unit->folder);
    uint32_t id =
        make_path(dwarf, folder, cook_intern_text(dwarf->texts, file->name), compiled_in);
    file->path = id == COOK_INTERN_NONE ? NULL : cook_intern_text(dwarf->texts, id);
    return file->path;
}
