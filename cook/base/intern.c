#include "cook/base/intern.h"
#include "cook/base/hash.h"

#include <assert.h>
#include <string.h>

#define FIRST_SLOT_COUNT ((size_t)64)

void cook_intern_finish(struct cook_intern *table)
{
    cook_arena_finish(&table->arena);
    cook_free(table->texts);
    cook_free(table->lengths);
    cook_free(table->slots);
    *table = (struct cook_intern)COOK_INTERN_INIT;
}

/* The slot that holds `text`, or the empty one where it belongs; slots are never all in use. */
static size_t find_slot(const struct cook_intern *table, const char *text, size_t length)
{
    size_t mask = table->slot_count - 1;
    size_t slot = cook_hash64(text, length) & mask;
    while (table->slots[slot]) {
        uint32_t id = table->slots[slot] - 1;
        if (table->lengths[id] == length && memcmp(table->texts[id], text, length) == 0)
            break;
        slot = (slot + 1) & mask;
    }
    return slot;
}

/* Keep at least half of the slots empty. */
static bool grow_slots(struct cook_intern *table)
{
    if (table->slot_count && table->count < table->slot_count / 2)
        return true;
    size_t wanted = table->slot_count ? table->slot_count * 2 : FIRST_SLOT_COUNT;
    uint32_t *slots = cook_calloc(wanted, sizeof(*slots));
    if (!slots)
        return false;
    cook_free(table->slots);
    table->slots = slots;
    table->slot_count = wanted;
    for (size_t id = 0; id < table->count; id++)
        slots[find_slot(table, table->texts[id], table->lengths[id])] = (uint32_t)id + 1;
    return true;
}

uint32_t cook_intern_find_n(const struct cook_intern *table, const char *text, size_t length)
{
    if (!table->slot_count)
        return COOK_INTERN_NONE;
    uint32_t found = table->slots[find_slot(table, text ? text : "", length)];
    return found ? found - 1 : COOK_INTERN_NONE;
}

uint32_t cook_intern_find(const struct cook_intern *table, const char *text)
{
    return cook_intern_find_n(table, text, strlen(text));
}

uint32_t cook_intern_add_n(struct cook_intern *table, const char *text, size_t length)
{
    uint32_t found = cook_intern_find_n(table, text, length);
    if (found != COOK_INTERN_NONE)
        return found;
    size_t id = table->count;
    if (id >= COOK_INTERN_NONE - 1 || !grow_slots(table) ||
        !cook_grow(&table->texts, &table->capacity, id + 1, sizeof(*table->texts)) ||
        !cook_grow(&table->lengths, &table->lengths_capacity, id + 1, sizeof(*table->lengths)))
        return COOK_INTERN_NONE;
    char *copy = cook_arena_strndup(&table->arena, text, length);
    if (!copy)
        return COOK_INTERN_NONE;
    table->texts[id] = copy;
    table->lengths[id] = length;
    table->slots[find_slot(table, copy, length)] = (uint32_t)id + 1;
    table->count++;
    return (uint32_t)id;
}

uint32_t cook_intern_add(struct cook_intern *table, const char *text)
{
    return cook_intern_add_n(table, text, strlen(text));
}

const char *cook_intern_text(const struct cook_intern *table, uint32_t id)
{
    assert(id < table->count);
    return table->texts[id];
}
