#include "cook/deps/dep.h"

#include <stdlib.h>
#include <string.h>

const char *cook_dep_kind_text(uint32_t kind)
{
    switch (kind) {
#define COOK_DEP_CASE(name, value, text)                                                          \
    case value:                                                                                   \
        return text;
        COOK_DEP_KINDS(COOK_DEP_CASE)
#undef COOK_DEP_CASE
    default:
        return "unknown";
    }
}

void cook_record_init(struct cook_record *record)
{
    *record = (struct cook_record){ 0 };
}

void cook_record_finish(struct cook_record *record)
{
    cook_intern_finish(&record->names);
    cook_arena_finish(&record->arena);
    cook_free(record->items);
    *record = (struct cook_record){ 0 };
}

const struct cook_observation *cook_record_find(const struct cook_record *record, uint32_t kind,
                                                const char *args)
{
    struct cook_buf name = COOK_BUF_INIT;
    if (!record->names.count)
        return NULL;
    cook_buf_put_u8(&name, (uint8_t)kind);
    cook_buf_put(&name, args, strlen(args));
    uint32_t id = name.failed ? COOK_INTERN_NONE
                              : cook_intern_find_n(&record->names, (const char *)name.data,
                                                   name.size);
    cook_buf_finish(&name);
    return id == COOK_INTERN_NONE ? NULL : &record->items[id];
}

size_t cook_record_count(const struct cook_record *record)
{
    return record->names.count;
}

static int compare_texts(const char *a, const char *b)
{
    return a == b ? 0 : strcmp(a ? a : "", b ? b : "");
}

static int compare_origins(const struct cook_dep_origin *a, const struct cook_dep_origin *b)
{
    int order = compare_texts(a->call, b->call);
    if (!order)
        order = compare_texts(a->hook, b->hook);
    return order ? order : compare_texts(a->hook_class, b->hook_class);
}

/* A call says more than that it came by itself; of two the first by name, whichever thread was first. */
static void choose_origin(struct cook_dep_origin *kept, struct cook_dep_origin origin)
{
    if (origin.call && (!kept->call || compare_origins(&origin, kept) < 0))
        *kept = origin;
}

void cook_record_add(struct cook_record *record, uint32_t kind, const char *args,
                     struct cook_hash value, const char *text, struct cook_dep_origin origin)
{
    struct cook_buf name = COOK_BUF_INIT;
    cook_buf_put_u8(&name, (uint8_t)kind);
    cook_buf_put(&name, args, strlen(args));
    size_t before = record->names.count;
    uint32_t id = name.failed ? COOK_INTERN_NONE
                              : cook_intern_add_n(&record->names, (const char *)name.data, name.size);
    cook_buf_finish(&name);
    if (id == COOK_INTERN_NONE ||
        !cook_grow(&record->items, &record->capacity, record->names.count, sizeof(*record->items))) {
        record->failed = true;
        return;
    }
    if (record->names.count == before) {
        choose_origin(&record->items[id].origin, origin);
        return;
    }
    const char *kept = cook_arena_strdup(&record->arena, text ? text : "");
    record->failed |= kept == NULL;
    record->items[id] = (struct cook_observation){
        .kind = kind,
        .args = cook_intern_text(&record->names, id) + 1,
        .value = value,
        .text = kept ? kept : "",
        .origin = origin.call ? origin : (struct cook_dep_origin){ 0 },
    };
}

static int compare_observations(const void *a, const void *b)
{
    const struct cook_observation *x = a;
    const struct cook_observation *y = b;
    if (x->kind != y->kind)
        return x->kind < y->kind ? -1 : 1;
    return strcmp(x->args, y->args);
}

/* Owned by the caller; NULL, and `out` failed, for a record that is incomplete. */
static struct cook_observation *sort_record(const struct cook_record *record, struct cook_buf *out)
{
    size_t count = cook_record_count(record);
    struct cook_observation *sorted = cook_malloc((count + 1) * sizeof(*sorted));
    if (!sorted || record->failed) {
        out->failed = true;
        cook_free(sorted);
        return NULL;
    }
    if (count)
        memcpy(sorted, record->items, count * sizeof(*sorted));
    qsort(sorted, count, sizeof(*sorted), compare_observations);
    return sorted;
}

void cook_record_encode(const struct cook_record *record, struct cook_buf *out)
{
    size_t count = cook_record_count(record);
    struct cook_observation *sorted = sort_record(record, out);
    if (!sorted)
        return;
    cook_buf_put_varint(out, count);
    for (size_t i = 0; i < count; i++) {
        cook_buf_put_u8(out, (uint8_t)sorted[i].kind);
        cook_buf_put_string(out, sorted[i].args);
        cook_buf_put_hash(out, sorted[i].value);
        cook_buf_put_string(out, sorted[i].text);
    }
    cook_free(sorted);
}

void cook_record_encode_origins(const struct cook_record *record, struct cook_buf *out)
{
    size_t count = cook_record_count(record);
    struct cook_observation *sorted = sort_record(record, out);
    struct cook_dep_origin *origins = sorted ? cook_malloc((count + 1) * sizeof(*origins)) : NULL;
    for (size_t i = 0; origins && i < count; i++)
        origins[i] = sorted[i].origin;
    if (origins)
        cook_origins_encode(origins, count, out);
    out->failed |= !origins;
    cook_free(origins);
    cook_free(sorted);
}

/* Few differ: a package has as many as its hooks have calls. Their number in `different`, at most `count`. */
static size_t number_origins(const struct cook_dep_origin *origins, size_t count, size_t *different,
                             size_t *numbers)
{
    size_t found = 0;
    for (size_t i = 0; i < count; i++) {
        size_t k = found;
        while (k-- > 0 && compare_origins(&origins[different[k]], &origins[i]) != 0)
            continue;
        if (origins[i].call && k == SIZE_MAX)
            different[k = found++] = i;
        numbers[i] = origins[i].call ? k + 1 : 0;
    }
    return found;
}

void cook_origins_encode(const struct cook_dep_origin *origins, size_t count, struct cook_buf *out)
{
    size_t *different = cook_malloc((2 * count + 1) * sizeof(*different));
    if (!different) {
        out->failed = true;
        return;
    }
    size_t *numbers = different + count;
    size_t found = number_origins(origins, count, different, numbers);
    if (found)
        cook_buf_put_varint(out, found);
    for (size_t i = 0; i < found; i++) {
        const struct cook_dep_origin *origin = &origins[different[i]];
        cook_buf_put_string(out, origin->call);
        cook_buf_put_string(out, origin->hook ? origin->hook : "");
        cook_buf_put_string(out, origin->hook_class ? origin->hook_class : "");
    }
    for (size_t i = 0; found && i < count; i++)
        cook_buf_put_varint(out, numbers[i]);
    cook_free(different);
}

enum cook_status cook_origins_decode(struct cook_dep_origin *origins, size_t count, const void *bytes,
                                     size_t size, struct cook_arena *arena)
{
    memset(origins, 0, count * sizeof(*origins));
    if (!size)
        return COOK_OK;
    struct cook_reader_buf in = cook_read_init(bytes, size);
    size_t different = cook_read_count(&in, 3);
    struct cook_dep_origin *table = cook_arena_alloc(arena, (different + 1) * sizeof(*table));
    if (!table)
        return COOK_E_NO_MEMORY;
    for (size_t i = 0; i < different; i++) {
        table[i].call = cook_read_string(&in, arena);
        table[i].hook = cook_read_string(&in, arena);
        table[i].hook_class = cook_read_string(&in, arena);
    }
    for (size_t i = 0; i < count && !in.failed; i++) {
        uint64_t number = cook_read_varint(&in);
        in.failed |= number > different;
        if (number && !in.failed)
            origins[i] = table[number - 1];
    }
    return cook_read_at_end(&in) ? COOK_OK : COOK_E_MALFORMED;
}

enum cook_status cook_record_decode(struct cook_observation **items, size_t *count,
                                    struct cook_reader_buf *in, struct cook_arena *arena)
{
    *count = cook_read_count(in, 1 + 1 + 16 + 1);
    *items = cook_arena_alloc(arena, (*count + 1) * sizeof(**items));
    if (!*items)
        return COOK_E_NO_MEMORY;
    for (size_t i = 0; i < *count; i++) {
        (*items)[i].kind = cook_read_u8(in);
        (*items)[i].args = cook_read_string(in, arena);
        (*items)[i].value = cook_read_hash(in);
        (*items)[i].text = cook_read_string(in, arena);
        (*items)[i].origin = (struct cook_dep_origin){ 0 };
        if ((*items)[i].kind == 0 || (*items)[i].kind >= COOK_DEP_KIND_END)
            in->failed = true;
    }
    return in->failed ? COOK_E_MALFORMED : COOK_OK;
}

char *cook_dep_config_args(struct cook_arena *arena, const char *section, const char *key)
{
    return cook_arena_printf(arena, "[%s] %s", section, key);
}

bool cook_dep_config_parse(const char *args, struct cook_arena *arena, const char **section,
                           const char **key)
{
    const char *end = args[0] == '[' ? strstr(args, "] ") : NULL;
    if (!end)
        return false;
    *section = cook_arena_strndup(arena, args + 1, (size_t)(end - args - 1));
    *key = end + 2;
    return *section != NULL;
}

struct cook_hash cook_dep_hash(uint32_t kind, const char *args, struct cook_hash value)
{
    /* Short inputs dominate, and one call on one small buffer is several times faster than
     * streaming; long arguments are hashed first. */
    struct {
        uint64_t words[5];
    } buffer;
    struct cook_hash name = cook_hash_bytes(args, strlen(args));
    buffer.words[0] = kind;
    buffer.words[1] = name.high;
    buffer.words[2] = name.low;
    buffer.words[3] = value.high;
    buffer.words[4] = value.low;
    return cook_hash_bytes(&buffer, sizeof(buffer));
}

struct cook_hash cook_source_hash(struct cook_hash main_file, bool has_side_file,
                                  struct cook_hash side_file)
{
    uint64_t words[5] = { main_file.high, main_file.low, has_side_file,
                          has_side_file ? side_file.high : 0, has_side_file ? side_file.low : 0 };
    return cook_hash_bytes(words, sizeof(words));
}

struct cook_hash cook_key_sum(struct cook_hash sum, struct cook_hash item)
{
    struct cook_hash out = { sum.high + item.high, sum.low + item.low };
    out.high += out.low < sum.low;
    return out;
}

struct cook_hash cook_key_finish(struct cook_hash sum)
{
    uint64_t words[2] = { sum.high, sum.low };
    return cook_hash_bytes(words, sizeof(words));
}
