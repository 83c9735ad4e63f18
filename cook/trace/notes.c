#include "cook/trace/notes.h"

#include <string.h>

#include "cook/base/hash.h"

bool cook_trace_notes_init(struct cook_trace_notes *notes)
{
    *notes = (struct cook_trace_notes){ .packages = COOK_INTERN_INIT, .texts = COOK_INTERN_INIT };
    return cook_stacks_create(&notes->stacks, NULL) == COOK_OK &&
           cook_intern_add(&notes->packages, "") == 0 && cook_intern_add(&notes->texts, "") == 0;
}

void cook_trace_notes_finish(struct cook_trace_notes *notes)
{
    cook_intern_finish(&notes->packages);
    cook_intern_finish(&notes->texts);
    cook_stacks_destroy(notes->stacks);
    cook_free(notes->items);
    cook_free(notes->slots);
    *notes = (struct cook_trace_notes){ 0 };
}

void cook_trace_notes_clear(struct cook_trace_notes *notes)
{
    notes->count = 0;
    if (notes->slots)
        memset(notes->slots, 0, notes->slot_count * sizeof(*notes->slots));
}

/* All but the order. */
static uint64_t hash_of(const struct cook_trace_note *note)
{
    uint32_t parts[] = { note->package,          note->path, note->program, note->stack,
                         (uint32_t)note->number, (uint32_t)note->flags };
    return cook_hash64(parts, sizeof(parts));
}

static bool same(const struct cook_trace_note *a, const struct cook_trace_note *b)
{
    return a->package == b->package && a->path == b->path && a->program == b->program &&
           a->stack == b->stack && a->number == b->number && a->flags == b->flags;
}

static bool grow_slots(struct cook_trace_notes *notes)
{
    if ((notes->count + 1) * 2 <= notes->slot_count)
        return true;
    size_t slot_count = notes->slot_count ? notes->slot_count * 2 : 256;
    uint32_t *slots = cook_calloc(slot_count, sizeof(*slots));
    if (!slots)
        return false;
    for (size_t i = 0; i < notes->count; i++) {
        size_t at = hash_of(&notes->items[i]) & (slot_count - 1);
        while (slots[at])
            at = (at + 1) & (slot_count - 1);
        slots[at] = (uint32_t)i + 1;
    }
    cook_free(notes->slots);
    notes->slots = slots;
    notes->slot_count = slot_count;
    return true;
}

static bool put(struct cook_trace_notes *notes, const struct cook_trace_note *note)
{
    if (notes->count >= COOK_TRACE_MAX_NOTES || !grow_slots(notes) ||
        !cook_grow(&notes->items, &notes->capacity, notes->count + 1, sizeof(*notes->items)))
        return false;
    size_t mask = notes->slot_count - 1;
    size_t at = hash_of(note) & mask;
    for (; notes->slots[at]; at = (at + 1) & mask)
        if (same(&notes->items[notes->slots[at] - 1], note))
            return true;
    notes->items[notes->count++] = *note;
    notes->slots[at] = (uint32_t)notes->count;
    return true;
}

void cook_trace_notes_add(struct cook_trace_notes *notes, struct cook_trace_note note,
                          const char *path, const char *program, void *const *pcs, size_t pc_count)
{
    bool room = notes->texts.count < COOK_TRACE_MAX_TEXTS;
    note.path = room ? cook_intern_add(&notes->texts, path) : cook_intern_find(&notes->texts, path);
    note.program = room ? cook_intern_add(&notes->texts, program)
                        : cook_intern_find(&notes->texts, program);
    note.stack = COOK_STACK_NONE;
    if (pc_count && cook_stacks_count(notes->stacks) < COOK_TRACE_MAX_STACKS)
        note.stack = cook_stacks_add(notes->stacks, pcs, pc_count);
    if (note.path == COOK_INTERN_NONE || note.program == COOK_INTERN_NONE || !put(notes, &note))
        notes->dropped++;
}
