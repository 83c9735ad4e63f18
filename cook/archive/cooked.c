#include "cook/archive/cooked.h"

#include <string.h>

#include "cook/base/alloc.h"

#define HEADER_BYTES   84
#define BULK_ALIGNMENT 16

enum { NAMES, IMPORTS, SOFT, EXPORTS, DATA, BULK, SECTION_COUNT };

struct parser {
    struct cook_reader_buf in;
    struct cook_cooked *cooked;
    struct cook_arena *arena;
    struct cook_error *error;
    uint64_t offsets[SECTION_COUNT];
    bool any_order;          /* of names and soft references */
    enum cook_status status; /* the first fault */
};

static bool fail(struct parser *p, const char *reason)
{
    if (p->status == COOK_OK)
        p->status = cook_error_set(p->error, COOK_E_MALFORMED, "cooked package, byte %zu: %s",
                                   p->in.offset, reason);
    return false;
}

static bool no_memory(struct parser *p)
{
    if (p->status == COOK_OK)
        p->status = cook_error_set(p->error, COOK_E_NO_MEMORY, "cooked package: out of memory");
    return false;
}

/* Zeroed room for `count` items that take `item_bytes` or more in the package. */
static void *make_table(struct parser *p, uint32_t count, size_t item_bytes, size_t size)
{
    if (count > (p->in.size - p->in.offset) / item_bytes) {
        fail(p, "a count is larger than the package");
        return NULL;
    }
    void *table = cook_arena_alloc(p->arena, count * size);
    if (!table)
        no_memory(p);
    return table;
}

static bool read_text(struct parser *p, const char **out)
{
    uint32_t size = cook_read_u32(&p->in);
    const uint8_t *bytes = cook_read_raw(&p->in, size);
    if (!bytes)
        return fail(p, "text beyond the end");
    if (memchr(bytes, 0, size))
        return fail(p, "text with a zero byte");
    *out = cook_arena_strndup(p->arena, (const char *)bytes, size);
    return *out ? true : no_memory(p);
}

static bool read_name(struct parser *p, const char **out)
{
    uint32_t index = cook_read_u32(&p->in);
    if (p->in.failed || index >= p->cooked->name_count)
        return fail(p, "no such name");
    *out = p->cooked->names[index];
    return true;
}

/* Texts of the name and the soft reference table: sorted by bytes, unique. */
static bool read_texts(struct parser *p, const char ***out, uint32_t count)
{
    const char **texts = make_table(p, count, 4, sizeof(*texts));
    if (!texts)
        return false;
    *out = texts;
    for (uint32_t i = 0; i < count; i++) {
        if (!read_text(p, &texts[i]))
            return false;
        if (i > 0 && !p->any_order && strcmp(texts[i - 1], texts[i]) >= 0)
            return fail(p, "texts are not sorted");
    }
    return true;
}

static bool read_imports(struct parser *p)
{
    struct cook_cooked *cooked = p->cooked;
    cooked->imports = make_table(p, cooked->import_count, 12, sizeof(*cooked->imports));
    if (!cooked->imports)
        return false;
    for (uint32_t i = 0; i < cooked->import_count; i++) {
        struct cook_cooked_import *import = &cooked->imports[i];
        if (!read_name(p, &import->package) || !read_text(p, &import->inner) ||
            !read_name(p, &import->class_name))
            return false;
    }
    return true;
}

static bool read_export(struct parser *p, uint32_t index, uint64_t expected_offset)
{
    struct cook_cooked_export *export = &p->cooked->exports[index];
    if (!read_name(p, &export->name) || !read_name(p, &export->class_name))
        return false;
    export->outer = (int32_t)cook_read_u32(&p->in);
    export->flags = cook_read_u32(&p->in);
    export->offset = cook_read_u64(&p->in);
    export->size_bytes = cook_read_u64(&p->in);
    if (p->in.failed)
        return fail(p, "exports beyond the end");
    /* An outer stands before what it holds, so that walking outwards always ends. */
    if (export->outer < 0 || (uint32_t) export->outer > index)
        return fail(p, "an export's outer does not stand before it");
    if (export->offset != expected_offset ||
        export->size_bytes > p->offsets[BULK] - expected_offset)
        return fail(p, "an export's data is out of place");
    return true;
}

static bool read_exports(struct parser *p)
{
    struct cook_cooked *cooked = p->cooked;
    cooked->exports = make_table(p, cooked->export_count, 32, sizeof(*cooked->exports));
    if (!cooked->exports)
        return false;
    uint64_t end = p->offsets[DATA];
    for (uint32_t i = 0; i < cooked->export_count; i++) {
        if (!read_export(p, i, end))
            return false;
        end += cooked->exports[i].size_bytes;
    }
    /* Between data and bulk stands at most what aligns the first payload. */
    if (p->offsets[BULK] - end >= BULK_ALIGNMENT)
        return fail(p, "bytes that belong to no export");
    return true;
}

static bool read_header(struct parser *p)
{
    struct cook_cooked *cooked = p->cooked;
    if (p->in.size < HEADER_BYTES)
        return fail(p, "shorter than a header");
    if (cook_read_u32(&p->in) != COOK_COOKED_MAGIC)
        return fail(p, "no cooked package");
    if (cook_read_u32(&p->in) != COOK_COOKED_VERSION)
        return fail(p, "another format version");
    cook_read_u32(&p->in); /* flags */
    if (cook_read_u64(&p->in) != p->in.size)
        return fail(p, "another size than the header says");
    for (int i = 0; i < SECTION_COUNT; i++) {
        p->offsets[i] = cook_read_u64(&p->in);
        if (p->offsets[i] < (i ? p->offsets[i - 1] : HEADER_BYTES) ||
            p->offsets[i] > p->in.size)
            return fail(p, "sections are out of order");
    }
    cooked->name_count = cook_read_u32(&p->in);
    cooked->import_count = cook_read_u32(&p->in);
    cooked->soft_count = cook_read_u32(&p->in);
    cooked->export_count = cook_read_u32(&p->in);
    cooked->names_offset = p->offsets[NAMES];
    cooked->imports_offset = p->offsets[IMPORTS];
    cooked->soft_offset = p->offsets[SOFT];
    cooked->exports_offset = p->offsets[EXPORTS];
    cooked->data_offset = p->offsets[DATA];
    cooked->bulk_offset = p->offsets[BULK];
    return true;
}

/* Tables follow one another without gaps. */
static bool at_section(struct parser *p, int section)
{
    return p->in.offset == p->offsets[section] ? true : fail(p, "a table ends out of place");
}

static bool parse(struct parser *p)
{
    struct cook_cooked *cooked = p->cooked;
    return read_header(p) && at_section(p, NAMES) &&
           read_texts(p, &cooked->names, cooked->name_count) && at_section(p, IMPORTS) &&
           read_imports(p) && at_section(p, SOFT) &&
           read_texts(p, &cooked->soft, cooked->soft_count) && at_section(p, EXPORTS) &&
           read_exports(p) && at_section(p, DATA);
}

static enum cook_status parse_bytes(struct cook_cooked *cooked, const void *bytes, size_t size,
                                    bool any_order, struct cook_arena *arena,
                                    struct cook_error *error)
{
    *cooked = (struct cook_cooked){ .bytes = bytes, .size = size };
    struct parser parser = { .in = cook_read_init(bytes, size),
                             .cooked = cooked,
                             .arena = arena,
                             .error = error,
                             .any_order = any_order,
                             .status = COOK_OK };
    if (!parse(&parser))
        *cooked = (struct cook_cooked){ .bytes = bytes, .size = size };
    return parser.status;
}

enum cook_status cook_cooked_parse(struct cook_cooked *cooked, const void *bytes, size_t size,
                                   struct cook_arena *arena, struct cook_error *error)
{
    return parse_bytes(cooked, bytes, size, false, arena, error);
}

enum cook_status cook_cooked_parse_any_order(struct cook_cooked *cooked, const void *bytes,
                                             size_t size, struct cook_arena *arena,
                                             struct cook_error *error)
{
    return parse_bytes(cooked, bytes, size, true, arena, error);
}
