#include "cook/symbols/dwarf_program.h"

#include "cook/symbols/dwarf_api.h"

#define MAX_FORMATS 16 /* fields of an entry; the standard defines five */

struct reader {
    struct cook_dwarf_program *program;
    struct cook_dwarf_input in; /* the header */
    const struct cook_dwarf_line_sections *sections;
    const struct cook_dwarf_line_sink *sink;
};

struct format {
    uint64_t content; /* DW_LNCT_… */
    uint64_t form;
};

struct entry {
    const char *name;
    uint64_t folder;
};

static const char *text_at(struct reader *reader, const struct cook_dwarf_bytes *section)
{
    uint64_t offset = cook_dwarf_fixed(&reader->in, reader->program->offset_bytes);
    if (!section->data || offset >= section->size) {
        cook_dwarf_fail(&reader->in);
        return "";
    }
    struct cook_dwarf_input in = { section->data + offset, section->data + section->size,
                                   false };
    const char *text = cook_dwarf_text(&in);
    if (in.failed)
        cook_dwarf_fail(&reader->in);
    return text;
}

static void read_field(struct reader *reader, const struct format *format, struct entry *entry)
{
    struct cook_dwarf_input *in = &reader->in;
    const char *text = NULL;
    uint64_t number = 0;
    switch (format->form) {
    case DW_FORM_string:
        text = cook_dwarf_text(in);
        break;
    case DW_FORM_line_strp:
        text = text_at(reader, &reader->sections->line_str);
        break;
    case DW_FORM_strp:
        text = text_at(reader, &reader->sections->str);
        break;
    case DW_FORM_data1:
        number = cook_dwarf_fixed(in, 1);
        break;
    case DW_FORM_data2:
        number = cook_dwarf_fixed(in, 2);
        break;
    case DW_FORM_data4:
        number = cook_dwarf_fixed(in, 4);
        break;
    case DW_FORM_data8:
        number = cook_dwarf_fixed(in, 8);
        break;
    case DW_FORM_data16:
        cook_dwarf_skip(in, 16);
        break;
    case DW_FORM_udata:
        number = cook_dwarf_leb(in, false);
        break;
    case DW_FORM_block:
        cook_dwarf_skip(in, cook_dwarf_leb(in, false));
        break;
    default: /* of unknown length */
        cook_dwarf_fail(in);
        break;
    }
    if (format->content == DW_LNCT_path && text)
        entry->name = text;
    else if (format->content == DW_LNCT_directory_index)
        entry->folder = number;
}

/* Version 5: each table says what its entries are made of. */
static bool read_table(struct reader *reader, bool files)
{
    struct format formats[MAX_FORMATS];
    struct cook_dwarf_input *in = &reader->in;
    uint64_t format_count = cook_dwarf_fixed(in, 1);
    if (format_count > MAX_FORMATS)
        return false;
    for (uint64_t i = 0; i < format_count; i++) {
        formats[i].content = cook_dwarf_leb(in, false);
        formats[i].form = cook_dwarf_leb(in, false);
    }
    uint64_t count = cook_dwarf_leb(in, false);
    if (!format_count && count)
        return false;
    for (uint64_t i = 0; i < count && !in->failed; i++) {
        struct entry entry = { "", 0 };
        for (uint64_t j = 0; j < format_count; j++)
            read_field(reader, &formats[j], &entry);
        const struct cook_dwarf_line_sink *sink = reader->sink;
        bool more = files ? sink->file(sink->data, entry.name, entry.folder)
                          : sink->folder(sink->data, entry.name);
        if (!more)
            return false;
    }
    return !in->failed;
}

/* Up to version 4: texts up to an empty one, and number 0 is not in the table. */
static bool read_old_tables(struct reader *reader)
{
    struct cook_dwarf_input *in = &reader->in;
    const struct cook_dwarf_line_sink *sink = reader->sink;
    const char *name = "";
    do {
        if (!sink->folder(sink->data, name))
            return false;
        name = cook_dwarf_text(in);
    } while (*name);
    name = "";
    uint64_t folder = 0;
    do {
        if (!sink->file(sink->data, name, folder))
            return false;
        name = cook_dwarf_text(in);
        if (*name) {
            folder = cook_dwarf_leb(in, false);
            cook_dwarf_leb(in, false); /* time */
            cook_dwarf_leb(in, false); /* length */
        }
    } while (*name);
    return !in->failed;
}

/* Bounds `in` to the program, and to its header once that one's length is known. */
static bool read_lengths(struct reader *reader)
{
    struct cook_dwarf_program *program = reader->program;
    struct cook_dwarf_input *in = &reader->in;
    program->offset_bytes = 4;
    uint64_t length = cook_dwarf_fixed(in, 4);
    if (length == 0xffffffff) {
        program->offset_bytes = 8;
        length = cook_dwarf_fixed(in, 8);
    }
    if (length > cook_dwarf_left(in))
        return false;
    in->end = in->at + length;
    program->version = (uint16_t)cook_dwarf_fixed(in, 2);
    if (program->version < 2 || program->version > 5)
        return false;
    if (program->version == 5)
        cook_dwarf_skip(in, 2); /* sizes of addresses and of segment selectors */
    length = cook_dwarf_fixed(in, program->offset_bytes);
    if (in->failed || length > cook_dwarf_left(in))
        return false;
    program->code = (struct cook_dwarf_input){ in->at + length, in->end, false };
    in->end = program->code.at;
    return true;
}

bool cook_dwarf_read_program(struct cook_dwarf_program *program,
                             const struct cook_dwarf_line_sections *sections, uint64_t offset,
                             const struct cook_dwarf_line_sink *sink)
{
    const struct cook_dwarf_bytes *line = &sections->line;
    if (!line->data || offset > line->size)
        return false;
    struct reader reader = {
        program, { line->data + offset, line->data + line->size, false }, sections, sink
    };
    struct cook_dwarf_input *in = &reader.in;
    if (!read_lengths(&reader))
        return false;
    program->min_instruction_bytes = (uint8_t)cook_dwarf_fixed(in, 1);
    program->max_operations =
        program->version >= 4 ? (uint8_t)cook_dwarf_fixed(in, 1) : (uint8_t)1;
    cook_dwarf_skip(in, 1); /* whether rows begin statements, at first */
    program->line_base = (int8_t)cook_dwarf_fixed(in, 1);
    program->line_range = (uint8_t)cook_dwarf_fixed(in, 1);
    program->opcode_base = (uint8_t)cook_dwarf_fixed(in, 1);
    if (in->failed || !program->line_range || !program->max_operations || !program->opcode_base)
        return false;
    program->opcode_lengths = in->at;
    cook_dwarf_skip(in, program->opcode_base - 1u);
    if (in->failed)
        return false;
    if (program->version < 5)
        return read_old_tables(&reader);
    return read_table(&reader, false) && read_table(&reader, true);
}
