/* Lists of entries, and two of them compared. entries_read.c reads the files. */
#include "entries.h"

#include <stdlib.h>
#include <string.h>

void diff_entries_add(struct diff_file_entries *entries, const char *key, const char *value)
{
    if (!key || !value ||
        !cook_grow(&entries->items, &entries->capacity, entries->count + 1, sizeof(*entries->items)))
        entries->failed = true;
    else
        entries->items[entries->count++] = (struct diff_file_entry){ key, value };
}

void diff_entries_finish(struct diff_file_entries *entries)
{
    cook_free(entries->items);
    *entries = (struct diff_file_entries){ 0 };
}

static void add_change(struct diff_output *output, struct diff_output_entry change)
{
    if (output->entry_count == DIFF_ENTRIES_MAX) {
        output->dropped_entries++;
        return;
    }
    output->entries[output->entry_count++] = change;
}

/* Entries under one key, as a line that stands in a file twice, are paired by their values in order. */
static void compare_run(struct diff_output *output, const struct diff_file_entry *old, size_t old_count,
                        const struct diff_file_entry *new, size_t new_count)
{
    size_t i = 0, k = 0;
    while (i < old_count && k < new_count && strcmp(old[i].value, new[k].value) == 0)
        i++, k++;
    for (; i < old_count && k < new_count; i++, k++)
        if (strcmp(old[i].value, new[k].value) != 0)
            add_change(output, (struct diff_output_entry){ DIFF_MODIFIED, old[i].key, old[i].value,
                                                           new[k].value });
    for (; i < old_count; i++)
        add_change(output, (struct diff_output_entry){ DIFF_DELETED, old[i].key, old[i].value, NULL });
    for (; k < new_count; k++)
        add_change(output, (struct diff_output_entry){ DIFF_ADDED, new[k].key, NULL, new[k].value });
}

static size_t run_length(const struct diff_file_entries *entries, size_t at)
{
    size_t end = at;
    while (end < entries->count && strcmp(entries->items[end].key, entries->items[at].key) == 0)
        end++;
    return end - at;
}

enum cook_status diff_entries_compare(struct diff_output *output, const struct diff_file_entries *old,
                                      const struct diff_file_entries *new, struct cook_arena *arena)
{
    size_t most = old->count + new->count;
    if (old->failed || new->failed)
        return COOK_E_NO_MEMORY;
    most = most < DIFF_ENTRIES_MAX ? most : DIFF_ENTRIES_MAX;
    output->entries = cook_arena_alloc(arena, (most + 1) * sizeof(*output->entries));
    if (!output->entries)
        return COOK_E_NO_MEMORY;
    for (size_t i = 0, k = 0; i < old->count || k < new->count;) {
        int order = i == old->count   ? 1
                    : k == new->count ? -1
                                      : strcmp(old->items[i].key, new->items[k].key);
        size_t olds = order <= 0 ? run_length(old, i) : 0;
        size_t news = order >= 0 ? run_length(new, k) : 0;
        compare_run(output, old->items + i, olds, new->items + k, news);
        i += olds;
        k += news;
    }
    return COOK_OK;
}
