#include "cook/symbols/dwarf_program.h"

#include "cook/symbols/dwarf_api.h"

struct machine {
    const struct cook_dwarf_program *program;
    const struct cook_dwarf_line_sink *sink;
    struct cook_dwarf_input in;
    uint64_t address;
    uint64_t operation; /* within one very long instruction word */
    uint64_t line;
    uint64_t file;
    bool stopped;
};

static void reset(struct machine *machine)
{
    machine->address = 0;
    machine->operation = 0;
    machine->line = 1;
    machine->file = 1;
}

static void emit(struct machine *machine, bool ends)
{
    struct cook_dwarf_row row = {
        .address = machine->address,
        .line = machine->line <= UINT32_MAX ? (uint32_t)machine->line : 0,
        .file = machine->file <= UINT32_MAX ? (uint32_t)machine->file : UINT32_MAX,
    };
    if (!machine->sink->row(machine->sink->data, row, ends))
        machine->stopped = true;
}

static void advance(struct machine *machine, uint64_t operations)
{
    const struct cook_dwarf_program *program = machine->program;
    uint64_t total = machine->operation + operations;
    machine->address += program->min_instruction_bytes * (total / program->max_operations);
    machine->operation = total % program->max_operations;
}

static void run_extended(struct machine *machine)
{
    struct cook_dwarf_input *in = &machine->in;
    uint64_t length = cook_dwarf_leb(in, false);
    if (length > cook_dwarf_left(in)) {
        cook_dwarf_fail(in);
        return;
    }
    if (!length)
        return;
    const uint8_t *next = in->at + length;
    uint8_t opcode = (uint8_t)cook_dwarf_fixed(in, 1);
    if (opcode == DW_LNE_end_sequence) {
        emit(machine, true);
        reset(machine);
    } else if (opcode == DW_LNE_set_address && length <= 9) {
        machine->address = cook_dwarf_fixed(in, (unsigned)length - 1);
        machine->operation = 0;
    }
    in->at = next;
}

static void run_standard(struct machine *machine, uint8_t opcode)
{
    const struct cook_dwarf_program *program = machine->program;
    struct cook_dwarf_input *in = &machine->in;
    switch (opcode) {
    case DW_LNS_copy:
        emit(machine, false);
        break;
    case DW_LNS_advance_pc:
        advance(machine, cook_dwarf_leb(in, false));
        break;
    case DW_LNS_advance_line:
        machine->line += cook_dwarf_leb(in, true);
        break;
    case DW_LNS_set_file:
        machine->file = cook_dwarf_leb(in, false);
        break;
    case DW_LNS_const_add_pc:
        advance(machine, (255u - program->opcode_base) / program->line_range);
        break;
    case DW_LNS_fixed_advance_pc:
        machine->address += cook_dwarf_fixed(in, 2);
        machine->operation = 0;
        break;
    default: /* without a meaning for us, or unknown: skip what it says it takes */
        for (uint8_t i = 0; i < program->opcode_lengths[opcode - 1]; i++)
            cook_dwarf_leb(in, false);
        break;
    }
}

void cook_dwarf_run_program(const struct cook_dwarf_line_sections *sections, uint64_t offset,
                            const struct cook_dwarf_line_sink *sink)
{
    struct cook_dwarf_program program;
    if (!cook_dwarf_read_program(&program, sections, offset, sink))
        return;
    struct machine machine = { .program = &program, .sink = sink, .in = program.code };
    reset(&machine);
    while (machine.in.at < machine.in.end && !machine.stopped) {
        uint8_t opcode = *machine.in.at++;
        if (opcode >= program.opcode_base) {
            unsigned adjusted = (unsigned)opcode - program.opcode_base;
            advance(&machine, adjusted / program.line_range);
            machine.line +=
                (uint64_t)((int64_t)program.line_base + adjusted % program.line_range);
            emit(&machine, false);
        } else if (opcode == 0) {
            run_extended(&machine);
        } else {
            run_standard(&machine, opcode);
        }
    }
}
