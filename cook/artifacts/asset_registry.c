/* The cooked asset registry: see builtin.h for the file. A part holds all tags, for tools;
 * the file those that the runtime may see. */
#include <stdlib.h>
#include <string.h>

#include <cook/class.h>

#include "cook/artifacts/builtin.h"
#include "cook/artifacts/fold.h"
#include "cook/base/path.h"

#define VERSION 1u

/* ---- parts ---- */

static void put_texts(struct cook_buf *out, const char *const *texts, size_t count)
{
    cook_buf_put_varint(out, count);
    for (size_t i = 0; i < count; i++)
        cook_buf_put_string(out, texts[i]);
}

static enum cook_status make_part(struct cook_context *context,
                                  const struct cook_saved_package *package,
                                  struct cook_part *part)
{
    struct cook_buf out = COOK_BUF_INIT;
    (void)context;
    cook_buf_put_varint(&out, package->object_count);
    for (uint32_t i = 0; i < package->object_count; i++) {
        size_t count;
        const struct cook_tag *tags = cook_saved_tags(package, i, &count);
        cook_buf_put_string(&out, cook_object_inner_path(package->objects[i]));
        cook_buf_put_string(&out, cook_object_class(package->objects[i]));
        cook_buf_put_varint(&out, count);
        for (size_t k = 0; k < count; k++) {
            cook_buf_put_string(&out, tags[k].key);
            cook_buf_put_string(&out, tags[k].value);
        }
    }
    put_texts(&out, package->hard, package->hard_count);
    put_texts(&out, package->soft, package->soft_count);
    enum cook_status status = out.failed ? COOK_E_NO_MEMORY : COOK_OK;
    cook_part_put(part, out.data, out.size);
    cook_buf_finish(&out);
    return status;
}

static void append_to_schema(struct cook_schema *schema)
{
    cook_schema_add_config(schema, "AssetRegistry", "Tag");
}

/* ---- the file ---- */

/* Texts are numbered in order of first sight while the rows are made, then renumbered sorted.
 * */
struct file {
    struct cook_fold *fold;
    struct cook_intern texts;
    struct cook_buf rows;
    uint8_t *allowed; /* by text, as a tag's key: 0 not known yet, 1 no, 2 yes */
    size_t allowed_capacity;
    uint32_t *words; /* offsets in `rows` of text numbers */
    size_t word_count;
    size_t word_capacity;
    bool failed;
};

static void put_text(struct file *file, const char *text, size_t size)
{
    uint32_t id = cook_intern_add_n(&file->texts, text, size);
    if (id == COOK_INTERN_NONE || file->rows.size > UINT32_MAX ||
        !cook_grow(&file->words, &file->word_capacity, file->word_count + 1,
                   sizeof(*file->words))) {
        file->failed = true;
        return;
    }
    file->words[file->word_count++] = (uint32_t)file->rows.size;
    cook_buf_put_u32(&file->rows, id);
}

static void move_text(struct file *file, struct cook_reader_buf *in)
{
    size_t size;
    const char *text = (const char *)cook_read_bytes(in, &size);
    put_text(file, text ? text : "", size);
}

static bool tag_is_allowed(struct file *file, const char *key, size_t size)
{
    uint32_t id = cook_intern_add_n(&file->texts, key, size);
    size_t before = file->allowed_capacity;
    if (id == COOK_INTERN_NONE || !cook_grow(&file->allowed, &file->allowed_capacity,
                                             (size_t)id + 1, sizeof(*file->allowed))) {
        file->failed = true;
        return false;
    }
    if (file->allowed_capacity > before)
        memset(file->allowed + before, 0, file->allowed_capacity - before);
    if (file->allowed[id] == 0) {
        const char *glob;
        file->allowed[id] = 1;
        for (size_t i = 0; (glob = cook_fold_config(file->fold, "AssetRegistry", "Tag", i));
             i++)
            if (cook_glob_match(glob, cook_intern_text(&file->texts, id)))
                file->allowed[id] = 2;
    }
    return file->allowed[id] == 2;
}

static void move_tags(struct file *file, struct cook_reader_buf *in)
{
    size_t at = file->rows.size;
    uint32_t kept = 0;
    cook_buf_put_u32(&file->rows, 0);
    size_t count = cook_read_count(in, 2);
    for (size_t i = 0; i < count; i++) {
        size_t key_size;
        size_t value_size;
        const char *key = (const char *)cook_read_bytes(in, &key_size);
        const char *value = (const char *)cook_read_bytes(in, &value_size);
        if (!key || !tag_is_allowed(file, key, key_size))
            continue;
        put_text(file, key, key_size);
        put_text(file, value ? value : "", value_size);
        kept++;
    }
    cook_buf_set_u32(&file->rows, at, kept);
}

static void move_package(struct file *file, const char *name,
                         const struct cook_part_entry *part)
{
    struct cook_reader_buf in = cook_read_init(part->bytes, part->size);
    put_text(file, name, strlen(name));
    size_t objects = cook_read_count(&in, 3);
    cook_buf_put_u32(&file->rows, (uint32_t)objects);
    for (size_t i = 0; i < objects; i++) {
        move_text(file, &in);
        move_text(file, &in);
        move_tags(file, &in);
    }
    for (int kind = 0; kind < 2; kind++) {
        size_t count = cook_read_count(&in, 1);
        cook_buf_put_u32(&file->rows, (uint32_t)count);
        for (size_t i = 0; i < count; i++)
            move_text(file, &in);
    }
    file->failed |= !cook_read_at_end(&in);
}

static int compare_texts(const void *a, const void *b, void *user)
{
    const struct cook_intern *texts = user;
    return strcmp(cook_intern_text(texts, *(const uint32_t *)a),
                  cook_intern_text(texts, *(const uint32_t *)b));
}

/* Keys that no package shows were interned too: only texts that a row names are written. */
static enum cook_status write_file(struct file *file, uint32_t packages)
{
    uint32_t total = (uint32_t)file->texts.count;
    uint32_t *order = cook_calloc((size_t)total + 1, sizeof(*order));
    uint32_t *number = cook_calloc((size_t)total + 1, sizeof(*number));
    struct cook_buf out = COOK_BUF_INIT;
    uint32_t used = 0;
    enum cook_status status = order && number && !file->failed ? COOK_OK : COOK_E_NO_MEMORY;
    for (size_t i = 0; status == COOK_OK && i < file->word_count; i++) {
        struct cook_reader_buf word = cook_read_init(file->rows.data + file->words[i], 4);
        uint32_t id = cook_read_u32(&word);
        if (!number[id])
            order[used++] = id;
        number[id] = 1;
    }
    if (status == COOK_OK) {
        if (used)
            qsort_r(order, used, sizeof(*order), compare_texts, &file->texts);
        uint32_t header[4] = { COOK_ASSET_REGISTRY_MAGIC, COOK_ARTIFACT_FILE_VERSION, used, packages };
        for (int i = 0; i < 4; i++)
            cook_buf_put_u32(&out, header[i]);
        for (uint32_t i = 0; i < used; i++) {
            const char *text = cook_intern_text(&file->texts, order[i]);
            number[order[i]] = i;
            cook_buf_put_u32(&out, (uint32_t)strlen(text));
            cook_buf_put(&out, text, strlen(text));
        }
        for (size_t i = 0; i < file->word_count; i++) {
            struct cook_reader_buf word = cook_read_init(file->rows.data + file->words[i], 4);
            cook_buf_set_u32(&file->rows, file->words[i], number[cook_read_u32(&word)]);
        }
        cook_buf_put(&out, file->rows.data, file->rows.size);
        status = out.failed || file->rows.failed ? COOK_E_NO_MEMORY : COOK_OK;
    }
    if (status == COOK_OK)
        cook_fold_put_file(file->fold, "AssetRegistry.bin", out.data, out.size);
    cook_buf_finish(&out);
    cook_free(order);
    cook_free(number);
    return status;
}

static enum cook_status finish(void *user, struct cook_fold *fold)
{
    struct cook_part_map *map = user;
    struct file file = { .fold = fold };
    struct cook_buf state = COOK_BUF_INIT;
    uint32_t *order = cook_part_map_order(map);
    enum cook_status status = order ? cook_part_map_encode(map, &state) : COOK_E_NO_MEMORY;
    if (status == COOK_OK)
        cook_fold_put_state(fold, state.data, state.size);
    cook_buf_finish(&state);
    for (size_t i = 0; status == COOK_OK && i < map->present_count; i++)
        move_package(&file, cook_intern_text(&map->names, order[i]), &map->entries[order[i]]);
    if (status == COOK_OK)
        status = write_file(&file, (uint32_t)map->present_count);
    cook_intern_finish(&file.texts);
    cook_buf_finish(&file.rows);
    cook_free(file.allowed);
    cook_free(file.words);
    cook_free(order);
    return status;
}

const struct cook_artifact cook_asset_registry_artifact = {
    .name = "AssetRegistry",
    .version = VERSION,
    .append_to_schema = append_to_schema,
    .make_part = make_part,
    .begin = cook_part_map_fold_begin,
    .add = cook_part_map_fold_add,
    .remove = cook_part_map_fold_remove,
    .finish = finish,
    .release = cook_part_map_fold_release,
};
