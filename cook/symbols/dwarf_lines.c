#include "cook/symbols/dwarf_unit.h"

#include <string.h>

#include "cook/base/buf.h"

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

struct line_reader {
    struct cook_dwarf_lines *lines;
    size_t first; /* row of the sequence being read */
};

static bool take_folder(void *data, const char *name)
{
    struct cook_dwarf_lines *lines = ((struct line_reader *)data)->lines;
    if (!cook_grow(&lines->folders, &lines->folder_capacity, lines->folder_count + 1,
                   sizeof(*lines->folders)))
        return false;
    lines->folders[lines->folder_count++] = name;
    return true;
}

static bool take_file(void *data, const char *name, uint64_t folder)
{
    struct cook_dwarf_lines *lines = ((struct line_reader *)data)->lines;
    if (!cook_grow(&lines->files, &lines->file_capacity, lines->file_count + 1,
                   sizeof(*lines->files)))
        return false;
    lines->files[lines->file_count++] = (struct cook_dwarf_file){ name, folder, NULL };
    return true;
}

static bool take_row(void *data, struct cook_dwarf_row row, bool ends)
{
    struct line_reader *reader = data;
    if (!ends)
        return add_row(reader->lines, reader->first, row);
    bool ok = end_sequence(reader->lines, reader->first, row.address);
    reader->first = reader->lines->count;
    return ok;
}

void cook_dwarf_read_lines(const struct cook_dwarf *dwarf, struct cook_dwarf_unit *unit)
{
    struct line_reader reader = { &unit->lines, 0 };
    struct cook_dwarf_line_sink sink = { &reader, take_folder, take_file, take_row };
    if (unit->has_lines || !unit->has_program)
        return;
    unit->has_lines = true;
    cook_dwarf_run_program(&dwarf->sections, unit->program, &sink);
    cook_ranges_sort(&unit->lines.sequences);
}

void cook_dwarf_finish_lines(struct cook_dwarf_unit *unit)
{
    cook_free(unit->lines.rows);
    cook_free(unit->lines.firsts);
    cook_free(unit->lines.folders);
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
        bool climbed = out->size - cut == 2 && memcmp(out->data + cut, "..", 2) == 0;
        bool parent = length == 2 && memcmp(path, "..", 2) == 0 && out->size && !climbed;
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
    if (name[0] == '/')
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
    if (file->path || !*file->name)
        return file->path;
    /* Folder 0 is the one compiled in. */
    bool below = file->folder > 0 && file->folder < unit->lines.folder_count;
    const char *folder = below ? unit->lines.folders[file->folder] : "";
    const char *compiled_in =
        unit->folder == COOK_INTERN_NONE ? NULL : cook_intern_text(dwarf->texts, unit->folder);
    uint32_t id = make_path(dwarf, folder, file->name, compiled_in);
    file->path = id == COOK_INTERN_NONE ? NULL : cook_intern_text(dwarf->texts, id);
    return file->path;
}
