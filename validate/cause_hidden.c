/* Reads that a scope keeps out of the dependencies: noted all the same, with their values. */
#include <string.h>

#include "cook/deps/dep.h"
#include "validate/causes_internal.h"

/* The record of what scopes hid from a kept result; empty when there is none. */
static enum cook_status read_kept(struct causing *causing,
                                  const struct validate_finding *finding,
                                  struct cook_observation **items, size_t *count)
{
    const struct cook_state *state = causing->validate->run->state;
    struct cook_arena *arena = &causing->validate->arena;
    size_t size = 0;
    *count = 0;
    if (!finding->kept.package.edges)
        return COOK_OK;
    const uint8_t *blob = cook_state_blob(state, finding->kept.package.edges, &size);
    struct cook_reader_buf in = cook_read_init(blob, size);
    size_t edges = cook_read_count(&in, 3);
    for (size_t i = 0; i < edges && !in.failed; i++) {
        size_t length;
        (void)cook_read_u8(&in);
        (void)cook_read_varint(&in);
        (void)cook_read_bytes(&in, &length);
    }
    const uint8_t *record = cook_read_bytes(&in, &size);
    if (in.failed || !size)
        return COOK_OK;
    in = cook_read_init(record, size);
    return cook_record_decode(items, count, &in, arena);
}

static const struct cook_observation *find(const struct cook_observation *items, size_t count,
                                           const struct cook_observation *wanted)
{
    for (size_t i = 0; i < count; i++)
        if (items[i].kind == wanted->kind && strcmp(items[i].args, wanted->args) == 0)
            return &items[i];
    return NULL;
}

static void blame(struct causing *causing, struct validate_finding *finding,
                  const struct cook_observation *then, const struct cook_observation *now)
{
    char old_hash[COOK_HASH_TEXT_SIZE];
    char new_hash[COOK_HASH_TEXT_SIZE];
    cook_hash_to_text(then->value, old_hash);
    cook_hash_to_text(now->value, new_hash);
    struct validate_cause *cause =
        cause_add(causing, finding, VALIDATE_CAUSE_HIDDEN_READ, VALIDATE_CHANGED,
                  "%s %s is read in a scope that hides it, and it shaped the result",
                  cook_dep_kind_text(now->kind), now->args);
    cause_say(causing, cause, "it was %s at cook %u, and is %s now",
              *then->text ? then->text : old_hash, finding->kept.result.cook,
              *now->text ? now->text : new_hash);
    cause_input(causing, cause, now->kind, now->args);
    const struct cook_read *read = cook_reads_find(&finding->reads, now->kind, now->args);
    if (read)
        cause_stack(causing, cause, &finding->reads.stacks, read->stack);
    cause_fix(causing, cause, "call %s without COOK_SCOPE_UNRECORDED",
              cause_call(causing, now->kind, now->args));
}

enum cook_status cause_find_hidden(struct causing *causing, struct cook_error *error)
{
    size_t count = cause_select(causing, NULL, causing->list);
    enum cook_status status = COOK_OK;
    for (size_t i = 0; status == COOK_OK && i < count; i++) {
        struct validate_finding *finding = causing->list[i];
        struct cook_observation *then;
        struct cook_observation *now;
        size_t then_count;
        size_t now_count;
        struct cook_reader_buf in =
            cook_read_init(finding->unrecorded, finding->unrecorded_size);
        if (!finding->unrecorded_size)
            continue;
        if (read_kept(causing, finding, &then, &then_count) != COOK_OK ||
            cook_record_decode(&now, &now_count, &in, &causing->validate->arena) != COOK_OK)
            continue; /* a damaged record is no evidence */
        for (size_t k = 0; k < now_count; k++) {
            const struct cook_observation *old = find(then, then_count, &now[k]);
            if (old && !cook_hash_equal(old->value, now[k].value))
                blame(causing, finding, old, &now[k]);
        }
    }
    (void)error;
    return status;
}
