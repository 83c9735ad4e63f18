#include "elements.h"

#include <inttypes.h>
#include <string.h>

#include "cook/archive/layout.h"

#define SHOWN 4 /* elements */

/* One version's elements. */
struct elements {
    struct cook_layout layout;
    const uint8_t *bytes;
    uint64_t size; /* of one */
    uint64_t count;
};

static bool open_elements(struct elements *elements, const struct diff_version *version, size_t token,
                          uint64_t offset)
{
    const struct cook_token_map *map = version->tokens;
    if (!map || token >= map->count || offset > version->size ||
        map->tokens[token].size > version->size - offset)
        return false;
    const char *mark = strrchr(cook_intern_text(&map->paths, map->tokens[token].path), '#');
    if (!mark || !cook_layout_parse(&elements->layout, mark + 1))
        return false;
    elements->bytes = version->bytes + offset;
    elements->size = (uint64_t)elements->layout.size * elements->layout.count;
    elements->count = map->tokens[token].size / elements->size;
    return map->tokens[token].size % elements->size == 0;
}

static void put_number(struct cook_buf *out, const struct cook_layout *layout, const uint8_t *at)
{
    uint64_t bits = 0;
    for (uint32_t i = 0; i < layout->size; i++)
        bits |= (uint64_t)at[i] << (8 * i);
    if (layout->kind == 'f' && layout->size == 4) {
        float value;
        uint32_t low = (uint32_t)bits;
        memcpy(&value, &low, sizeof(value));
        cook_buf_printf(out, "%.9g", (double)value);
    } else if (layout->kind == 'f') {
        double value;
        memcpy(&value, &bits, sizeof(value));
        cook_buf_printf(out, "%.17g", value);
    } else if (layout->kind == 'i') {
        unsigned unused = 64 - 8 * layout->size;
        cook_buf_printf(out, "%" PRId64, (int64_t)(bits << unused) >> unused);
    } else {
        cook_buf_printf(out, "%" PRIu64, bits);
    }
}

static void put_element(struct cook_buf *out, const struct elements *elements, uint64_t index)
{
    const struct cook_layout *layout = &elements->layout;
    const uint8_t *at = elements->bytes + index * elements->size;
    cook_buf_printf(out, "%s", layout->count > 1 ? "(" : "");
    for (uint32_t i = 0; i < layout->count; i++) {
        cook_buf_printf(out, "%s", i ? ", " : "");
        put_number(out, layout, at + (size_t)i * layout->size);
    }
    cook_buf_printf(out, "%s", layout->count > 1 ? ")" : "");
}

static bool same(const struct elements *a, uint64_t i, const struct elements *b, uint64_t k)
{
    return memcmp(a->bytes + i * a->size, b->bytes + k * b->size, a->size) == 0;
}

static void put_changed(struct cook_buf *out, const struct elements *a, const struct elements *b)
{
    uint64_t differing = 0;
    struct cook_buf shown = COOK_BUF_INIT;
    for (uint64_t i = 0; i < a->count; i++) {
        if (same(a, i, b, i))
            continue;
        if (differing++ >= SHOWN)
            continue;
        cook_buf_printf(&shown, "%s[%" PRIu64 "] ", differing > 1 ? ", " : "", i);
        put_element(&shown, a, i);
        cook_buf_printf(&shown, " -> ");
        put_element(&shown, b, i);
    }
    cook_buf_printf(out, "%" PRIu64 " of %" PRIu64 " elements differ: %s%s", differing, a->count,
                    cook_buf_text(&shown), differing > SHOWN ? ", …" : "");
    out->failed |= shown.failed;
    cook_buf_finish(&shown);
}

static void put_run(struct cook_buf *out, const struct elements *elements, uint64_t first, uint64_t count,
                    const char *what)
{
    if (!count)
        return;
    cook_buf_printf(out, ": [%" PRIu64, first);
    if (count > 1)
        cook_buf_printf(out, "..%" PRIu64, first + count - 1);
    cook_buf_printf(out, "] ");
    for (uint64_t i = 0; i < count && i < SHOWN; i++) {
        cook_buf_printf(out, "%s", i ? ", " : "");
        put_element(out, elements, first + i);
    }
    cook_buf_printf(out, "%s %s", count > SHOWN ? ", …" : "", what);
}

/* Between what both begin and end with. */
static void put_resized(struct cook_buf *out, const struct elements *a, const struct elements *b)
{
    uint64_t shorter = a->count < b->count ? a->count : b->count, first = 0, tail = 0;
    while (first < shorter && same(a, first, b, first))
        first++;
    while (tail < shorter - first && same(a, a->count - 1 - tail, b, b->count - 1 - tail))
        tail++;
    cook_buf_printf(out, "%" PRIu64 " -> %" PRIu64 " elements", a->count, b->count);
    put_run(out, a, first, a->count - tail - first, "removed");
    put_run(out, b, first, b->count - tail - first, "inserted");
}

const char *diff_elements_text(const struct diff_difference *d, const struct diff_version *old,
                               const struct diff_version *new, struct cook_arena *arena)
{
    struct elements a, b;
    if (d->kind != DIFF_CHANGED || d->tokens != 1 ||
        !open_elements(&a, old, d->old_token, d->old_write) ||
        !open_elements(&b, new, d->new_token, d->new_write) || a.size != b.size)
        return NULL;
    struct cook_buf text = COOK_BUF_INIT;
    if (a.count == b.count)
        put_changed(&text, &a, &b);
    else
        put_resized(&text, &a, &b);
    const char *whole = cook_buf_text(&text);
    const char *result = text.failed ? NULL : cook_arena_strdup(arena, whole);
    cook_buf_finish(&text);
    return result;
}
