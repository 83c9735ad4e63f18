/* Without token maps: ranges of bytes. */
#include <inttypes.h>
#include <string.h>

#include "emit.h"
#include "resync.h"
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

static void add(struct emitter *e, struct diff_range range)
{
    uint64_t old_size = range.old_size, new_size = range.new_size;
    struct diff_result *out = e->out;
    if (out->count == e->options->max_differences) {
        out->dropped_differences++;
        return;
    }
    struct diff_difference *d = &out->differences[out->count];
    struct diff_delta delta =
        diff_delta_find(e->old->bytes + range.old_at, old_size, e->new->bytes + range.new_at, new_size);
    *d = (struct diff_difference){
        .kind = old_size == 0   ? DIFF_INSERTED
                : new_size == 0 ? DIFF_REMOVED
                                : DIFF_CHANGED,
        .object = "",
        .property = "",
        .property_normalized = "",
        .section = diff_section_text(diff_section_at(&e->cooked, range.new_at)),
        .old_offset = old_size ? range.old_at : DIFF_NO_OFFSET,
        .new_offset = new_size ? range.new_at : DIFF_NO_OFFSET,
        .old_bytes = old_size,
        .new_bytes = new_size,
        .old_hex = diff_window_absent,
        .new_hex = diff_window_absent,
        .differing_bytes = delta.bytes,
        .inserted_bytes = delta.inserted,
        .removed_bytes = delta.removed,
        .differing_ranges = delta.ranges,
        .old_stack = COOK_STACK_NONE,
        .new_stack = COOK_STACK_NONE,
        .consequence_of = -1,
    };
    bool together = delta.by_position;
    if (old_size) {
        d->old_value = cook_arena_printf(e->arena, "%" PRIu64 " bytes", old_size);
        d->old_hex = diff_window_make(e->old, range.old_at, delta.first, delta.old_end,
                                      together ? e->new->bytes + range.new_at : NULL);
    }
    if (new_size) {
        d->new_value = cook_arena_printf(e->arena, "%" PRIu64 " bytes", new_size);
        d->new_hex = diff_window_make(e->new, range.new_at, delta.first, delta.new_end,
                                      together ? e->old->bytes + range.old_at : NULL);
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
                add(e, (struct diff_range){ start, end - start, start, end - start });
            if (end == start || at - end >= JOIN_BYTES)
                start = at;
            end = at + 1;
        }
    }
    if (end > start)
        add(e, (struct diff_range){ start, end - start, start, end - start });
}

bool diff_emit_by_offset(struct diff_result *out, const struct diff_version *old,
                         const struct diff_version *new, const struct diff_options *options,
                         struct cook_arena *arena)
{
    struct emitter e = {
        .out = out, .old = old, .new = new, .options = options, .arena = arena
    };
    /* Ranges are at least JOIN_BYTES apart, or have a chunk between them: there cannot be more. */
    size_t most = (old->size > new->size ? old->size : new->size) / JOIN_BYTES + 2;
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
    struct diff_ranges ranges;
    status = diff_resync(&ranges, old->bytes, old->size, new->bytes, new->size);
    for (size_t i = 0; status == COOK_OK && i < ranges.count; i++)
        add(&e, ranges.items[i]);
    diff_ranges_finish(&ranges);
    return status == COOK_OK && !e.failed;
}
