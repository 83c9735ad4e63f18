/* Without token maps: ranges of bytes. */
#include <inttypes.h>
#include <string.h>

#include "emit.h"
#include "window.h"

/* Differing bytes with fewer equal ones between them are one range. */
#define JOIN_BYTES  16
#define BLOCK_BYTES 256

struct emitter {
    struct diff_result *out;
    const struct diff_version *old;
    const struct diff_version *new;
    const struct diff_options *options;
    struct cook_arena *arena;
    struct cook_cooked cooked; /* of the new version, for the sections */
    bool failed;
};

static void add(struct emitter *e, uint64_t offset, uint64_t old_size, uint64_t new_size)
{
    struct diff_result *out = e->out;
    if (out->count == e->options->max_differences) {
        out->dropped_differences++;
        return;
    }
    struct diff_difference *d = &out->differences[out->count];
    struct diff_delta delta =
        diff_delta_find(e->old->bytes + offset, old_size, e->new->bytes + offset, new_size);
    *d = (struct diff_difference){
        .kind = old_size == 0   ? DIFF_INSERTED
                : new_size == 0 ? DIFF_REMOVED
                                : DIFF_CHANGED,
        .object = "",
        .property = "",
        .property_normalized = "",
        .section = diff_section_text(diff_section_at(&e->cooked, offset)),
        .old_offset = old_size ? offset : DIFF_NO_OFFSET,
        .new_offset = new_size ? offset : DIFF_NO_OFFSET,
        .old_bytes = old_size,
        .new_bytes = new_size,
        .old_hex = diff_window_absent,
        .new_hex = diff_window_absent,
        .differing_bytes = delta.bytes,
        .differing_ranges = delta.ranges,
        .old_stack = COOK_STACK_NONE,
        .new_stack = COOK_STACK_NONE,
        .consequence_of = -1,
    };
    bool together = delta.by_position;
    if (old_size) {
        d->old_value = cook_arena_printf(e->arena, "%" PRIu64 " bytes", old_size);
        d->old_hex = diff_window_make(e->old, offset, delta.first, delta.old_end,
                                      together ? e->new->bytes + offset : NULL);
    }
    if (new_size) {
        d->new_value = cook_arena_printf(e->arena, "%" PRIu64 " bytes", new_size);
        d->new_hex = diff_window_make(e->new, offset, delta.first, delta.new_end,
                                      together ? e->old->bytes + offset : NULL);
    }
    e->failed |= (old_size && !d->old_value) || (new_size && !d->new_value);
    out->count++;
    out->root_count++;
}

/* Equal sizes: each range of differing bytes. */
static void add_ranges(struct emitter *e)
{
    const uint8_t *a = e->old->bytes;
    const uint8_t *b = e->new->bytes;
    uint64_t size = e->old->size;
    uint64_t start = 0;
    uint64_t end = 0; /* of the range at hand; none while equal to start */
    for (uint64_t at = 0; at < size && !e->failed;) {
        uint64_t block = size - at < BLOCK_BYTES ? size - at : BLOCK_BYTES;
        if (memcmp(a + at, b + at, block) == 0) {
            at += block;
            continue;
        }
        for (uint64_t stop = at + block; at < stop; at++) {
            if (a[at] == b[at])
                continue;
            if (end > start && at - end >= JOIN_BYTES)
                add(e, start, end - start, end - start);
            if (end == start || at - end >= JOIN_BYTES)
                start = at;
            end = at + 1;
        }
    }
    if (end > start)
        add(e, start, end - start, end - start);
}

bool diff_emit_by_offset(struct diff_result *out, const struct diff_version *old,
                         const struct diff_version *new, const struct diff_options *options,
                         struct cook_arena *arena)
{
    struct emitter e = {
        .out = out, .old = old, .new = new, .options = options, .arena = arena
    };
    /* Ranges are at least JOIN_BYTES apart, so there cannot be more than that. */
    size_t most = old->size / JOIN_BYTES + 2;
    if (most > options->max_differences)
        most = options->max_differences;
    out->differences = cook_arena_alloc(arena, most * sizeof(*out->differences));
    enum cook_status status = cook_cooked_parse_any_order(&e.cooked, new->bytes, new->size, arena, NULL);
    if (!out->differences || status == COOK_E_NO_MEMORY)
        return false;
    if (old->size == new->size) {
        add_ranges(&e);
        return !e.failed;
    }
    struct diff_delta delta = diff_delta_find(old->bytes, old->size, new->bytes, new->size);
    add(&e, delta.first, delta.old_end - delta.first, delta.new_end - delta.first);
    return !e.failed;
}
