/* The shader library: see builtin.h for the file, which is the state of the next fold as
 * well. A part lists a package's shaders with their code; the map keeps them without, as
 * codes are shared. */
#include <stdlib.h>
#include <string.h>

#include <cook/standard.h>

#include "cook/artifacts/builtin.h"
#include "cook/artifacts/fold.h"

#define VERSION      1u
#define MODULE_BYTES 32u
#define HASH_BYTES   16u
#define ALIGNMENT    16u

struct module {
    struct cook_hash hash;
    const uint8_t *bytes;
    size_t size;
    uint32_t number; /* in the file being written, UINT32_MAX: not in it */
};

struct library {
    struct cook_part_map map;  /* per package: per shader path, u32 stage, hash */
    struct cook_intern hashes; /* their bytes as hex text; id is the index of a module */
    struct module *modules;
    size_t module_capacity;
    struct cook_arena arena; /* of the code of added parts */
};

/* ---- parts ---- */

static enum cook_status make_part(struct cook_context *context,
                                  const struct cook_saved_package *package,
                                  struct cook_part *part)
{
    struct cook_buf out = COOK_BUF_INIT;
    (void)context;
    for (uint32_t i = 0; i < package->object_count; i++) {
        if (!cook_object_is_a(package->objects[i], "/Script/Cook.Shader"))
            continue;
        const struct cook_shader *shader = package->objects[i];
        if (shader->spirv.size == 0)
            continue;
        cook_buf_put_string(&out, cook_object_inner_path(shader));
        cook_buf_put_u32(&out, (uint32_t)shader->stage);
        cook_buf_put_bytes(&out, shader->spirv.data, shader->spirv.size);
    }
    enum cook_status status = out.failed ? COOK_E_NO_MEMORY : COOK_OK;
    cook_part_put(part, out.data, out.size);
    cook_buf_finish(&out);
    return status;
}

/* ---- adding ---- */

static enum cook_status add_module(struct library *library, struct cook_hash hash,
                                   const uint8_t *bytes, size_t size, bool copy)
{
    char text[COOK_HASH_TEXT_SIZE];
    cook_hash_to_text(hash, text);
    size_t known = library->hashes.count;
    uint32_t id = cook_intern_add(&library->hashes, text);
    if (id == COOK_INTERN_NONE || !cook_grow(&library->modules, &library->module_capacity,
                                             (size_t)id + 1, sizeof(*library->modules)))
        return COOK_E_NO_MEMORY;
    if (id < known)
        return COOK_OK;
    const uint8_t *own = copy ? cook_arena_dup(&library->arena, bytes, size) : bytes;
    if (!own)
        return COOK_E_NO_MEMORY;
    library->modules[id] = (struct module){ hash, own, size, UINT32_MAX };
    return COOK_OK;
}

static void put_shader(struct cook_buf *list, const uint8_t *path, size_t path_size,
                       uint32_t stage, struct cook_hash hash)
{
    cook_buf_put_bytes(list, path, path_size);
    cook_buf_put_u32(list, stage);
    cook_buf_put_hash(list, hash);
}

static enum cook_status add(void *user, const char *package, const void *part, size_t size)
{
    struct library *library = user;
    struct cook_reader_buf in = cook_read_init(part, size);
    struct cook_buf list = COOK_BUF_INIT;
    enum cook_status status = COOK_OK;
    while (status == COOK_OK && !in.failed && !cook_read_at_end(&in)) {
        size_t path_size;
        size_t code_size;
        const uint8_t *path = cook_read_bytes(&in, &path_size);
        uint32_t stage = cook_read_u32(&in);
        const uint8_t *code = cook_read_bytes(&in, &code_size);
        if (in.failed || !code_size)
            break;
        struct cook_hash hash = cook_hash_bytes(code, code_size);
        put_shader(&list, path, path_size, stage, hash);
        status = add_module(library, hash, code, code_size, true);
    }
    if (status == COOK_OK && !cook_read_at_end(&in))
        status = COOK_E_MALFORMED;
    if (status == COOK_OK && list.failed)
        status = COOK_E_NO_MEMORY;
    if (status == COOK_OK)
        status = cook_part_map_add(&library->map, package, list.data, list.size);
    cook_buf_finish(&list);
    return status;
}

static enum cook_status take_out(void *user, const char *package)
{
    struct library *library = user;
    cook_part_map_remove(&library->map, package);
    return COOK_OK;
}

/* ---- the state, which is the file ---- */

static const uint8_t *read_text(struct cook_reader_buf *in, size_t *size)
{
    *size = cook_read_u32(in);
    return cook_read_raw(in, *size);
}

static enum cook_status read_modules(struct library *library, struct cook_reader_buf *in,
                                     uint32_t count)
{
    for (uint32_t i = 0; i < count; i++) {
        struct cook_hash hash = cook_read_hash(in);
        uint64_t offset = cook_read_u64(in);
        uint64_t size = cook_read_u64(in);
        if (in->failed || offset > in->size || size > in->size - offset || !size)
            return COOK_E_MALFORMED;
        enum cook_status status =
            add_module(library, hash, in->data + offset, (size_t)size, false);
        if (status != COOK_OK)
            return status;
        if (library->hashes.count != (size_t)i + 1)
            return COOK_E_MALFORMED;
    }
    return COOK_OK;
}

static enum cook_status read_package(struct library *library, struct cook_reader_buf *in,
                                     uint32_t modules)
{
    size_t name_size;
    const uint8_t *bytes = read_text(in, &name_size);
    uint32_t count = cook_read_u32(in);
    if (!bytes || memchr(bytes, 0, name_size))
        return COOK_E_MALFORMED;
    char *name = cook_arena_strndup(&library->arena, (const char *)bytes, name_size);
    struct cook_buf list = COOK_BUF_INIT;
    for (uint32_t i = 0; !in->failed && i < count; i++) {
        size_t path_size;
        const uint8_t *path = read_text(in, &path_size);
        uint32_t stage = cook_read_u32(in);
        uint32_t module = cook_read_u32(in);
        in->failed |= module >= modules;
        if (!in->failed)
            put_shader(&list, path, path_size, stage, library->modules[module].hash);
    }
    enum cook_status status = in->failed ? COOK_E_MALFORMED : COOK_OK;
    if (status == COOK_OK && (!name || list.failed))
        status = COOK_E_NO_MEMORY;
    if (status == COOK_OK)
        status = cook_part_map_add(&library->map, name, list.data, list.size);
    cook_buf_finish(&list);
    return status;
}

static enum cook_status read_state(struct library *library, const void *state, size_t size)
{
    struct cook_reader_buf in = cook_read_init(state, size);
    uint32_t magic = cook_read_u32(&in);
    uint32_t version = cook_read_u32(&in);
    uint32_t modules = cook_read_u32(&in);
    uint32_t packages = cook_read_u32(&in);
    (void)cook_read_u64(&in);
    if (in.failed || magic != COOK_SHADER_LIBRARY_MAGIC || version != COOK_ARTIFACT_FILE_VERSION || modules > size / MODULE_BYTES)
        return COOK_E_MALFORMED;
    enum cook_status status = read_modules(library, &in, modules);
    for (uint32_t i = 0; status == COOK_OK && i < packages; i++)
        status = read_package(library, &in, modules);
    return status;
}

static enum cook_status begin(void **user, struct cook_fold *fold)
{
    struct library *library = cook_calloc(1, sizeof(*library));
    *user = library;
    if (!library)
        return COOK_E_NO_MEMORY;
    size_t size;
    const void *state = cook_fold_state(fold, &size);
    return size ? read_state(library, state, size) : COOK_OK;
}

static void release(void *user)
{
    struct library *library = user;
    if (!library)
        return;
    cook_part_map_finish(&library->map);
    cook_intern_finish(&library->hashes);
    cook_free(library->modules);
    cook_arena_finish(&library->arena);
    cook_free(library);
}

/* ---- writing ---- */

static struct module *module_of(struct library *library, struct cook_hash hash)
{
    char text[COOK_HASH_TEXT_SIZE];
    cook_hash_to_text(hash, text);
    uint32_t id = cook_intern_find(&library->hashes, text);
    return id == COOK_INTERN_NONE ? NULL : &library->modules[id];
}

static int compare_modules(const void *a, const void *b)
{
    return cook_hash_compare((*(struct module *const *)a)->hash,
                             (*(struct module *const *)b)->hash);
}

/* The modules that packages use, ascending by hash and numbered; NULL when memory is short. */
static struct module **number_modules(struct library *library, uint32_t *count)
{
    struct module **used = cook_calloc(library->hashes.count + 1, sizeof(struct module *));
    *count = 0;
    for (uint32_t i = 0; used && i < library->map.names.count; i++) {
        const struct cook_part_entry *entry = &library->map.entries[i];
        struct cook_reader_buf in = cook_read_init(entry->bytes, entry->size);
        while (entry->present && !in.failed && !cook_read_at_end(&in)) {
            size_t size;
            (void)cook_read_bytes(&in, &size);
            (void)cook_read_u32(&in);
            struct module *module = module_of(library, cook_read_hash(&in));
            if (module && module->number == UINT32_MAX) {
                module->number = 0;
                used[(*count)++] = module;
            }
        }
    }
    if (used && *count)
        qsort(used, *count, sizeof(struct module *), compare_modules);
    for (uint32_t i = 0; used && i < *count; i++)
        used[i]->number = i;
    return used;
}

static void put_text(struct cook_buf *out, const void *text, size_t size)
{
    cook_buf_put_u32(out, (uint32_t)size);
    if (size)
        cook_buf_put(out, text, size);
}

static void put_package(struct library *library, uint32_t id, struct cook_buf *out)
{
    const char *name = cook_intern_text(&library->map.names, id);
    const struct cook_part_entry *entry = &library->map.entries[id];
    struct cook_reader_buf in = cook_read_init(entry->bytes, entry->size);
    put_text(out, name, strlen(name));
    size_t at = out->size;
    uint32_t count = 0;
    cook_buf_put_u32(out, 0);
    while (!in.failed && !cook_read_at_end(&in)) {
        size_t size;
        const uint8_t *path = cook_read_bytes(&in, &size);
        uint32_t stage = cook_read_u32(&in);
        const struct module *module = module_of(library, cook_read_hash(&in));
        put_text(out, path, size);
        cook_buf_put_u32(out, stage);
        cook_buf_put_u32(out, module ? module->number : UINT32_MAX);
        count++;
    }
    cook_buf_set_u32(out, at, count);
}

static void put_modules(struct module *const *modules, uint32_t count, struct cook_buf *out)
{
    for (uint32_t i = 0; i < count; i++) {
        cook_buf_align(out, ALIGNMENT);
        size_t row = 24 + (size_t)i * MODULE_BYTES + HASH_BYTES;
        cook_buf_set_u64(out, row, out->size);
        cook_buf_put(out, modules[i]->bytes, modules[i]->size);
    }
}

static enum cook_status finish(void *user, struct cook_fold *fold)
{
    struct library *library = user;
    uint32_t count;
    struct module **modules = number_modules(library, &count);
    uint32_t *order = cook_part_map_order(&library->map);
    struct cook_buf out = COOK_BUF_INIT;
    enum cook_status status = modules && order ? COOK_OK : COOK_E_NO_MEMORY;
    if (status == COOK_OK) {
        uint32_t header[4] = { COOK_SHADER_LIBRARY_MAGIC, COOK_ARTIFACT_FILE_VERSION, count,
                               (uint32_t)library->map.present_count };
        for (int i = 0; i < 4; i++)
            cook_buf_put_u32(&out, header[i]);
        cook_buf_put_u64(&out, 0);
        for (uint32_t i = 0; i < count; i++) {
            cook_buf_put_hash(&out, modules[i]->hash);
            cook_buf_put_u64(&out, 0);
            cook_buf_put_u64(&out, modules[i]->size);
        }
        for (size_t i = 0; i < library->map.present_count; i++)
            put_package(library, order[i], &out);
        cook_buf_align(&out, ALIGNMENT);
        cook_buf_set_u64(&out, 16, out.size);
        put_modules(modules, count, &out);
        status = out.failed ? COOK_E_NO_MEMORY : COOK_OK;
    }
    if (status == COOK_OK) {
        cook_fold_put_state(fold, out.data, out.size);
        cook_fold_put_file(fold, "ShaderLibrary.bin", out.data, out.size);
    }
    cook_buf_finish(&out);
    cook_free(modules);
    cook_free(order);
    return status;
}

const struct cook_artifact cook_shader_library_artifact = {
    .name = "ShaderLibrary",
    .version = VERSION,
    .make_part = make_part,
    .begin = begin,
    .add = add,
    .remove = take_out,
    .finish = finish,
    .release = release,
};
