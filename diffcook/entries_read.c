/* Files of cook artifacts as lists of entries: see cook/artifacts/builtin.h for their formats. */
#include <stdlib.h>
#include <string.h>

#include <cook/standard.h>

#include "cook/artifacts/builtin.h"
#include "cook/base/text.h"
#include "entries.h"

/* ---- the asset registry ---- */

struct registry {
    struct cook_reader_buf in;
    struct diff_file_entries *entries;
    const char **texts;
    uint32_t count;
};

/* Texts have their sizes in four bytes there, unlike elsewhere. */
static const char *read_text(struct cook_reader_buf *in, struct cook_arena *arena)
{
    uint32_t size = cook_read_u32(in);
    const void *bytes = cook_read_raw(in, size);
    return bytes ? cook_arena_strndup(arena, bytes, size) : NULL;
}

static const char *numbered_text(struct registry *registry)
{
    uint32_t number = cook_read_u32(&registry->in);
    if (!registry->in.failed && number < registry->count)
        return registry->texts[number];
    registry->in.failed = true;
    return "";
}

static bool read_texts(struct registry *registry)
{
    struct cook_reader_buf *in = &registry->in;
    registry->count = cook_read_u32(in);
    if (in->failed || registry->count > in->size / 4) /* untrusted: each takes four bytes at least */
        return false;
    registry->texts = cook_arena_alloc(registry->entries->arena,
                                       ((size_t)registry->count + 1) * sizeof(*registry->texts));
    return registry->texts != NULL;
}

static void read_object(struct registry *registry, const char *package)
{
    struct cook_arena *arena = registry->entries->arena;
    struct cook_buf value = COOK_BUF_INIT;
    const char *inner = numbered_text(registry);
    const char *key = cook_arena_printf(arena, "%s.%s", package, inner);
    cook_buf_printf(&value, "%s", numbered_text(registry));
    uint32_t tags = cook_read_u32(&registry->in);
    for (uint32_t i = 0; i < tags && !registry->in.failed; i++) {
        const char *tag = numbered_text(registry);
        cook_buf_printf(&value, " %s=%s", tag, numbered_text(registry));
    }
    registry->entries->failed |= value.failed;
    diff_entries_add(registry->entries, key, cook_arena_strdup(arena, cook_buf_text(&value)));
    cook_buf_finish(&value);
}

static void read_references(struct registry *registry, const char *package, const char *kind)
{
    uint32_t count = cook_read_u32(&registry->in);
    for (uint32_t i = 0; i < count && !registry->in.failed; i++)
        diff_entries_add(registry->entries,
                         cook_arena_printf(registry->entries->arena, "%s -> %s", package,
                                           numbered_text(registry)),
                         kind);
}

static bool read_registry(struct diff_file_entries *entries, struct cook_reader_buf in)
{
    struct registry registry = { .in = in, .entries = entries };
    if (!read_texts(&registry))
        return false;
    uint32_t packages = cook_read_u32(&registry.in);
    for (uint32_t i = 0; i < registry.count && !registry.in.failed; i++)
        registry.in.failed |= !(registry.texts[i] = read_text(&registry.in, entries->arena));
    for (uint32_t i = 0; i < packages && !registry.in.failed; i++) {
        const char *package = numbered_text(&registry);
        uint32_t objects = cook_read_u32(&registry.in);
        for (uint32_t k = 0; k < objects && !registry.in.failed; k++)
            read_object(&registry, package);
        read_references(&registry, package, "hard reference");
        read_references(&registry, package, "soft reference");
    }
    return cook_read_at_end(&registry.in);
}

/* ---- the shader library ---- */

struct module {
    struct cook_hash hash;
    uint64_t size;
};

static const char *stage_text(uint32_t stage)
{
    switch ((enum cook_shader_stage)stage) {
    case COOK_SHADER_STAGE_VERTEX:
        return "vertex";
    case COOK_SHADER_STAGE_FRAGMENT:
        return "fragment";
    case COOK_SHADER_STAGE_COMPUTE:
        return "compute";
    case COOK_SHADER_STAGE_NONE:
        break;
    }
    return "unknown stage";
}

static void read_shaders(struct diff_file_entries *entries, struct cook_reader_buf *in,
                         const struct module *modules, uint32_t module_count)
{
    const char *package = read_text(in, entries->arena);
    uint32_t count = cook_read_u32(in);
    for (uint32_t i = 0; i < count && !in->failed; i++) {
        const char *inner = read_text(in, entries->arena);
        uint32_t stage = cook_read_u32(in);
        uint32_t module = cook_read_u32(in);
        char hash[COOK_HASH_TEXT_SIZE];
        if (in->failed || !package || !inner || module >= module_count) {
            in->failed = true;
            return;
        }
        cook_hash_to_text(modules[module].hash, hash);
        diff_entries_add(entries, cook_arena_printf(entries->arena, "%s.%s", package, inner),
                         cook_arena_printf(entries->arena, "%s, %llu bytes, hash %s", stage_text(stage),
                                           (unsigned long long)modules[module].size, hash));
    }
}

static bool read_library(struct diff_file_entries *entries, struct cook_reader_buf in)
{
    uint32_t count = cook_read_u32(&in);
    uint32_t packages = cook_read_u32(&in);
    (void)cook_read_u64(&in); /* where the code starts */
    if (in.failed || count > in.size / 32)
        return false;
    struct module *modules = cook_arena_alloc(entries->arena, ((size_t)count + 1) * sizeof(*modules));
    for (uint32_t i = 0; modules && i < count && !in.failed; i++) {
        modules[i].hash = cook_read_hash(&in);
        (void)cook_read_u64(&in);
        modules[i].size = cook_read_u64(&in);
    }
    for (uint32_t i = 0; modules && i < packages && !in.failed; i++)
        read_shaders(entries, &in, modules, count);
    return modules && !in.failed;
}

/* ---- text ---- */

/* "HASH SIZE PATH" of a chunk manifest: the path is the key. */
static void add_manifest_line(struct diff_file_entries *entries, const char *line, size_t length)
{
    const char *size = memchr(line, ' ', length);
    const char *path = size ? memchr(size + 1, ' ', length - (size_t)(size + 1 - line)) : NULL;
    if (!path) {
        diff_entries_add(entries, cook_arena_strndup(entries->arena, line, length), "");
        return;
    }
    path++;
    diff_entries_add(entries,
                     cook_arena_strndup(entries->arena, path, length - (size_t)(path - line)),
                     cook_arena_printf(entries->arena, "%.*s bytes, hash %.*s", (int)(path - size - 2),
                                       size + 1, (int)(size - line), line));
}

static bool is_text(const uint8_t *bytes, size_t size)
{
    for (size_t i = 0; i < size;) {
        size_t length = cook_utf8_length(NULL, bytes + i, size - i);
        if (length == 0 || (bytes[i] < 0x20 && bytes[i] != '\n' && bytes[i] != '\t' && bytes[i] != '\r'))
            return false;
        i += length;
    }
    return true;
}

static bool read_lines(struct diff_file_entries *entries, const char *text, size_t size)
{
    const size_t head = strlen(COOK_CHUNK_HEAD);
    bool manifest = size >= head && memcmp(text, COOK_CHUNK_HEAD, head) == 0;
    bool first = true;
    for (size_t at = 0; at < size; first = false) {
        const char *end = memchr(text + at, '\n', size - at);
        size_t length = end ? (size_t)(end - text) - at : size - at;
        if (manifest && !first)
            add_manifest_line(entries, text + at, length);
        else
            diff_entries_add(entries, cook_arena_strndup(entries->arena, text + at, length), "");
        at += length + 1;
    }
    return true;
}

static int compare_entries(const void *a, const void *b)
{
    const struct diff_file_entry *x = a;
    const struct diff_file_entry *y = b;
    int order = strcmp(x->key, y->key);
    return order ? order : strcmp(x->value, y->value);
}

bool diff_entries_read(struct diff_file_entries *entries, const void *bytes, size_t size)
{
    struct cook_reader_buf in = cook_read_init(bytes, size);
    uint32_t magic = size >= 8 ? cook_read_u32(&in) : 0;
    uint32_t version = size >= 8 ? cook_read_u32(&in) : 0;
    bool read = false;
    if (magic == COOK_ASSET_REGISTRY_MAGIC)
        read = version == COOK_ARTIFACT_FILE_VERSION && read_registry(entries, in);
    else if (magic == COOK_SHADER_LIBRARY_MAGIC)
        read = version == COOK_ARTIFACT_FILE_VERSION && read_library(entries, in);
    else if (is_text(bytes, size))
        read = read_lines(entries, bytes, size);
    if (read && entries->count && !entries->failed)
        qsort(entries->items, entries->count, sizeof(*entries->items), compare_entries);
    return read;
}
