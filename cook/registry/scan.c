#include "cook/registry/facts.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cook/base/alloc.h"
#include "cook/base/intern.h"

/* What a reader's scan found so far. The lists are owned, their texts are the arena's. */
struct cook_scan {
    struct cook_arena *arena;
    const struct cook_source *source;
    const struct cook_registrar *types; /* or NULL */
    struct cook_fact_object *objects;
    size_t object_count, object_capacity;
    struct cook_fact_reference *references;
    size_t reference_count, reference_capacity;
    struct cook_fact_tag *tags;
    size_t tag_count, tag_capacity;
    struct cook_intern paths; /* inner paths of the objects */
    const char *fault;        /* the first one */
    bool short_of_memory;
};

static bool is_name_byte(unsigned char c)
{
    return c >= 0x20 && c != 0x7f && !strchr("/.:[]", c);
}

/* The longest start of `text` that fits in `limit` bytes and ends between characters. */
static size_t cut_length(const char *text, size_t limit)
{
    size_t length = strnlen(text, limit + 1);
    if (length <= limit)
        return length;
    length = limit;
    while (length > 0 && ((unsigned char)text[length] & 0xC0) == 0x80)
        length--;
    return length;
}

const char *cook_make_object_name(char buffer[256], const char *text, const char *fallback)
{
    if (!text || !*text)
        text = fallback ? fallback : "Object";
    size_t length = cut_length(text, 255);
    for (size_t i = 0; i < length; i++)
        buffer[i] = text[i];
    buffer[length] = '\0';
    for (size_t i = 0; i < length; i++) {
        if (!is_name_byte((unsigned char)buffer[i]))
            buffer[i] = '_';
    }
    return buffer;
}

enum cook_status cook_scan_fail(struct cook_scan *scan, uint32_t line, const char *format, ...)
{
    char reason[1024];
    if (scan->fault)
        return COOK_E_MALFORMED; /* what follows a fault is its consequence */
    va_list args;
    va_start(args, format);
    vsnprintf(reason, sizeof(reason), format, args);
    va_end(args);
    if (line)
        scan->fault = cook_arena_printf(scan->arena, "%s:%lu: %s", scan->source->path,
                                        (unsigned long)line, reason);
    else
        scan->fault = cook_arena_printf(scan->arena, "%s: %s", scan->source->path, reason);
    if (!scan->fault)
        scan->short_of_memory = true;
    return COOK_E_MALFORMED;
}

/* A copy in the arena; NULL, noted, when memory is short. */
static const char *keep(struct cook_scan *scan, const char *text)
{
    const char *copy = cook_arena_strdup(scan->arena, text ? text : "");
    if (!copy)
        scan->short_of_memory = true;
    return copy;
}

static bool make_room(struct cook_scan *scan, void *items_pointer, size_t *capacity,
                      size_t count, size_t size)
{
    if (scan->short_of_memory || scan->fault)
        return false;
    scan->short_of_memory = !cook_grow(items_pointer, capacity, count + 1, size);
    return !scan->short_of_memory;
}

/* Enter an inner path; false, with the fault noted, when it is taken. */
static bool enter_path(struct cook_scan *scan, const char *path)
{
    size_t before = scan->paths.count;
    if (cook_intern_add(&scan->paths, path) == COOK_INTERN_NONE)
        scan->short_of_memory = true;
    else if (scan->paths.count == before)
        (void)cook_scan_fail(scan, 0, "two objects are named '%s'", path);
    return !scan->short_of_memory && !scan->fault;
}

void cook_scan_object(struct cook_scan *scan, const char *name, const char *class_name,
                      const char *outer)
{
    char buffer[256];
    if (!make_room(scan, &scan->objects, &scan->object_capacity, scan->object_count,
                   sizeof(*scan->objects)))
        return;
    const char *valid = cook_make_object_name(buffer, name, "Object");
    if (!class_name || !*class_name) {
        (void)cook_scan_fail(scan, 0, "object '%s' has no class", valid);
        return;
    }
    if (outer && cook_intern_find(&scan->paths, outer) == COOK_INTERN_NONE) {
        (void)cook_scan_fail(scan, 0, "the outer '%s' of object '%s' does not come before it",
                             outer, valid);
        return;
    }
    const char *path =
        outer ? cook_arena_printf(scan->arena, "%s/%s", outer, valid) : keep(scan, valid);
    if (!path)
        scan->short_of_memory = true;
    else if (enter_path(scan, path))
        scan->objects[scan->object_count++] =
            (struct cook_fact_object){ path, keep(scan, class_name) };
}

const char *cook_scan_class(const struct cook_scan *scan, const char *inner)
{
    uint32_t id = inner ? cook_intern_find(&scan->paths, inner) : 0;
    return id < scan->object_count ? scan->objects[id].class_name : NULL;
}

void cook_scan_reference(struct cook_scan *scan, enum cook_edge edge, const char *path)
{
    if (!path || !*path || edge < COOK_EDGE_HARD || edge > COOK_EDGE_BUILD_ONLY)
        return;
    if (!make_room(scan, &scan->references, &scan->reference_capacity, scan->reference_count,
                   sizeof(*scan->references)))
        return;
    scan->references[scan->reference_count++] =
        (struct cook_fact_reference){ edge, keep(scan, path) };
}

void cook_scan_tag(struct cook_scan *scan, const char *key, const char *value)
{
    if (!key || !*key)
        return;
    if (!make_room(scan, &scan->tags, &scan->tag_capacity, scan->tag_count,
                   sizeof(*scan->tags)))
        return;
    scan->tags[scan->tag_count] = (struct cook_fact_tag){ keep(scan, key), keep(scan, value) };
    scan->tag_count++;
}

static int compare_references(const void *a, const void *b)
{
    const struct cook_fact_reference *left = a;
    const struct cook_fact_reference *right = b;
    if (left->edge != right->edge)
        return left->edge < right->edge ? -1 : 1;
    return strcmp(left->path, right->path);
}

static void sort_references(struct cook_scan *scan)
{
    if (scan->reference_count < 2)
        return;
    qsort(scan->references, scan->reference_count, sizeof(*scan->references),
          compare_references);
    size_t kept = 1;
    for (size_t i = 1; i < scan->reference_count; i++) {
        if (compare_references(&scan->references[kept - 1], &scan->references[i]) != 0)
            scan->references[kept++] = scan->references[i];
    }
    scan->reference_count = kept;
}

/* By key; of equal keys the order in which they were set, which their array tells. */
static int compare_tags(const void *a, const void *b)
{
    const struct cook_fact_tag *left = *(const struct cook_fact_tag *const *)a;
    const struct cook_fact_tag *right = *(const struct cook_fact_tag *const *)b;
    int order = strcmp(left->key, right->key);
    if (order != 0)
        return order;
    return left < right ? -1 : left > right;
}

/* Sort the tags and keep the last value of each key, as setting them one by one would. */
static void sort_tags(struct cook_scan *scan)
{
    size_t count = scan->tag_count;
    const struct cook_fact_tag **order = cook_malloc(count * sizeof(*order));
    struct cook_fact_tag *sorted = cook_arena_alloc(scan->arena, count * sizeof(*sorted));
    if (!order || !sorted) {
        scan->short_of_memory = true;
        goto done;
    }
    for (size_t i = 0; i < count; i++)
        order[i] = &scan->tags[i];
    qsort(order, count, sizeof(*order), compare_tags);
    size_t kept = 0;
    for (size_t i = 0; i < count; i++) {
        if (i + 1 == count || strcmp(order[i]->key, order[i + 1]->key) != 0)
            sorted[kept++] = *order[i];
    }
    for (size_t i = 0; i < kept; i++)
        scan->tags[i] = sorted[i];
    scan->tag_count = kept;
done:
    cook_free(order);
}

/* Move the lists into the arena, sorted. After a fault nothing that was found is to be trusted.
 */
static void take_facts(struct cook_facts *facts, struct cook_scan *scan)
{
    facts->fault = scan->fault;
    if (scan->fault)
        return;
    sort_references(scan);
    if (scan->tag_count)
        sort_tags(scan);
    facts->objects =
        cook_arena_dup(scan->arena, scan->objects, scan->object_count * sizeof(*scan->objects));
    facts->references = cook_arena_dup(scan->arena, scan->references,
                                       scan->reference_count * sizeof(*scan->references));
    facts->tags =
        cook_arena_dup(scan->arena, scan->tags, scan->tag_count * sizeof(*scan->tags));
    facts->object_count = scan->object_count;
    facts->reference_count = scan->reference_count;
    facts->tag_count = scan->tag_count;
    if (!facts->objects || !facts->references || !facts->tags)
        scan->short_of_memory = true;
}

const struct cook_registrar *cook_scan_types(const struct cook_scan *scan)
{
    return scan->types;
}

enum cook_status cook_facts_scan(struct cook_facts *facts, const struct cook_reader *reader,
                                 const struct cook_source *source, struct cook_arena *arena,
                                 struct cook_error *error)
{
    return cook_facts_scan_typed(facts, reader, source, NULL, arena, error);
}

enum cook_status cook_facts_scan_typed(struct cook_facts *facts, const struct cook_reader *reader,
                                       const struct cook_source *source,
                                       const struct cook_registrar *types,
                                       struct cook_arena *arena, struct cook_error *error)
{
    struct cook_scan scan = {
        .arena = arena, .source = source, .types = types, .paths = COOK_INTERN_INIT
    };
    memset(facts, 0, sizeof(*facts));
    enum cook_status status = reader->scan(&scan, source);
    if (status == COOK_E_NO_MEMORY)
        scan.short_of_memory = true;
    else if (status != COOK_OK && !scan.fault)
        (void)cook_scan_fail(&scan, 0, "reader '%s' failed: %s", reader->name,
                             cook_status_text(status));
    if (!scan.short_of_memory)
        take_facts(facts, &scan);
    status = COOK_OK;
    if (scan.short_of_memory) {
        memset(facts, 0, sizeof(*facts));
        status = cook_error_set(error, COOK_E_NO_MEMORY, "%s: out of memory", source->path);
    }
    cook_free(scan.objects);
    cook_free(scan.references);
    cook_free(scan.tags);
    cook_intern_finish(&scan.paths);
    return status;
}
