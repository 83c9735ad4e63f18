/* Warnings and errors that only one of two cooks logged for a package. */
#include "compare.h"
#include "cook/base/intern.h"
#include "cook/worker/session.h"

static bool read_messages(struct cook_messages *messages, const struct cook_state *state,
                          uint32_t row)
{
    size_t size = 0;
    const uint8_t *blob = NULL;
    if (row != COOK_ID_NONE && state->results[row].messages)
        blob = cook_state_blob(state, state->results[row].messages, &size);
    struct cook_reader_buf in = cook_read_init(blob, size);
    return size == 0 || cook_messages_decode(messages, &in) == COOK_OK;
}

/* Those of `from` whose text is not among `others`. */
static void add_missing(struct diff_details *list, const struct cook_messages *from,
                        const struct cook_messages *others, enum diff_change change)
{
    struct cook_intern texts = COOK_INTERN_INIT;
    for (size_t i = 0; i < others->count; i++)
        list->failed |= cook_intern_add(&texts, others->items[i].text) == COOK_INTERN_NONE;
    for (size_t i = 0; i < from->count; i++) {
        const struct cook_message *message = &from->items[i];
        if (cook_intern_find(&texts, message->text) != COOK_INTERN_NONE)
            continue;
        const char *kind = message->severity == COOK_SEVERITY_ERROR ? "error" : "warning";
        const char *text = cook_arena_strdup(list->arena, message->text);
        diff_details_add(list,
                         (struct diff_detail){ .part = DIFF_PART_MESSAGES,
                                               .change = change,
                                               .kind = kind,
                                               .text = text });
    }
    cook_intern_finish(&texts);
}

void diff_messages_list(struct diff_details *list, const struct diff_comparison *comparison,
                        uint32_t old_row, uint32_t new_row)
{
    struct cook_messages old = { 0 };
    struct cook_messages new = { 0 };
    /* What cannot be decoded is damaged; that it differs is said all the same. */
    if (read_messages(&old, comparison->cooks[0].state, old_row) &&
        read_messages(&new, comparison->cooks[1].state, new_row)) {
        add_missing(list, &old, &new, DIFF_DELETED);
        add_missing(list, &new, &old, DIFF_ADDED);
    }
    cook_messages_finish(&old);
    cook_messages_finish(&new);
}
