#include "cook/worker/protocol.h"

#include <errno.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "cook/base/path.h"

/* MSG_NOSIGNAL: a peer that died is an error here, not a signal that ends us. */
static enum cook_status send_all(int fd, const uint8_t *bytes, size_t size, struct cook_error *error)
{
    while (size) {
        ssize_t n = send(fd, bytes, size, MSG_NOSIGNAL);
        if (n < 0 && errno == EINTR)
            continue;
        if (n <= 0)
            return cook_error_set_errno(error, "cannot write to the peer");
        bytes += n;
        size -= (size_t)n;
    }
    return COOK_OK;
}

static void put_u32(uint8_t out[4], uint32_t value)
{
    for (unsigned i = 0; i < 4; i++)
        out[i] = (uint8_t)(value >> (8 * i));
}

enum cook_status cook_frame_write(int fd, enum cook_frame_type type, const struct cook_buf *payload,
                                  struct cook_error *error)
{
    size_t size = payload ? payload->size : 0;
    if (payload && payload->failed)
        return cook_error_no_memory(error);
    if (size > COOK_FRAME_MAX_BYTES)
        return cook_error_set(error, COOK_E_LIMIT, "a frame larger than 3 GiB");
    uint8_t header[8];
    put_u32(header, (uint32_t)size);
    put_u32(header + 4, (uint32_t)type);
    enum cook_status status = send_all(fd, header, sizeof(header), error);
    return status == COOK_OK && size ? send_all(fd, payload->data, size, error) : status;
}

static enum cook_status read_exact(int fd, uint8_t *bytes, size_t size, struct cook_error *error)
{
    size_t done = 0;
    while (done < size) {
        ssize_t n = read(fd, bytes + done, size - done);
        if (n < 0 && errno == EINTR)
            continue;
        if (n < 0)
            return cook_error_set_errno(error, "cannot read from the peer");
        if (n == 0)
            return done == 0 ? COOK_E_NOT_FOUND
                             : cook_error_set(error, COOK_E_PROTOCOL, "the peer ended mid-frame");
        done += (size_t)n;
    }
    return COOK_OK;
}

enum cook_status cook_frame_read(int fd, enum cook_frame_type *type, struct cook_buf *payload,
                                 struct cook_error *error)
{
    uint8_t header[8];
    cook_buf_clear(payload);
    *type = COOK_FRAME_UNKNOWN;
    enum cook_status status = read_exact(fd, header, sizeof(header), error);
    if (status != COOK_OK)
        return status;
    struct cook_reader_buf in = cook_read_init(header, sizeof(header));
    uint32_t size = cook_read_u32(&in);
    uint32_t kind = cook_read_u32(&in);
    if (size > COOK_FRAME_MAX_BYTES || kind == 0 || kind > COOK_FRAME_FAILED)
        return cook_error_set(error, COOK_E_PROTOCOL, "a frame of kind %u and %u bytes", kind, size);
    *type = (enum cook_frame_type)kind;
    if (!cook_grow(&payload->data, &payload->capacity, (size_t)size + 1, 1))
        return cook_error_no_memory(error);
    status = size ? read_exact(fd, payload->data, size, error) : COOK_OK;
    payload->size = status == COOK_OK ? size : 0;
    return status == COOK_E_NOT_FOUND
               ? cook_error_set(error, COOK_E_PROTOCOL, "the peer ended mid-frame")
               : status;
}

/* ---- results ---- */

static void put_texts(struct cook_buf *out, const char *const *texts, size_t count)
{
    cook_buf_put_varint(out, count);
    for (size_t i = 0; i < count; i++)
        cook_buf_put_string(out, texts[i]);
}

static void put_ids(struct cook_buf *out, const uint32_t *ids, size_t count)
{
    cook_buf_put_varint(out, count);
    for (size_t i = 0; i < count; i++)
        cook_buf_put_varint(out, ids[i]);
}

void cook_result_encode(const struct cook_result *result, struct cook_buf *out)
{
    cook_buf_put_string(out, result->package);
    cook_buf_put_u8(out, result->ok);
    cook_buf_put_u8(out, result->omitted);
    cook_buf_put_u64(out, result->duration_us);
    cook_buf_put_bytes(out, result->bytes, result->size);
    cook_buf_put_bytes(out, result->tokens, result->tokens_size);
    cook_buf_put_bytes(out, result->messages, result->messages_size);
    put_texts(out, result->hard, result->hard_count);
    put_texts(out, result->soft, result->soft_count);
    put_ids(out, result->load_sets, result->load_set_count);
    cook_buf_put_bytes(out, result->save_record, result->save_record_size);
    cook_buf_put_bytes(out, result->unrecorded, result->unrecorded_size);
    cook_buf_put_bytes(out, result->recorded, result->recorded_size);
    cook_buf_put_bytes(out, result->stacks, result->stacks_size);
    put_ids(out, result->stack_ids, result->stack_id_count);
    cook_buf_put_bytes(out, result->reads, result->reads_size);
    cook_buf_put_string(out, result->notes);
    cook_buf_put_varint(out, result->file_count);
    for (size_t i = 0; i < result->file_count; i++) {
        cook_buf_put_string(out, result->files[i].name);
        cook_buf_put_bytes(out, result->files[i].bytes, result->files[i].size);
    }
    cook_buf_put_bytes(out, result->parts, result->parts_size);
}

/* Names become paths: what a worker says of them is checked as the class's word was. */
static void read_files(struct cook_result *result, struct cook_reader_buf *in,
                       struct cook_arena *arena)
{
    result->file_count = cook_read_count(in, 2);
    result->files = cook_arena_alloc(arena, (result->file_count + 1) * sizeof(*result->files));
    in->failed |= !result->files;
    for (size_t i = 0; !in->failed && i < result->file_count; i++) {
        struct cook_result_file *file = &result->files[i];
        file->name = cook_read_string(in, arena);
        file->bytes = cook_read_bytes(in, &file->size);
        in->failed |= !cook_path_is_plain(file->name) ||
                      (i && strcmp(result->files[i - 1].name, file->name) >= 0);
    }
}

static const char **read_texts(struct cook_reader_buf *in, size_t *count, struct cook_arena *arena)
{
    *count = cook_read_count(in, 1);
    const char **texts = cook_arena_alloc(arena, (*count + 1) * sizeof(*texts));
    for (size_t i = 0; texts && i < *count; i++)
        texts[i] = cook_read_string(in, arena);
    in->failed |= !texts;
    return texts;
}

static const uint32_t *read_ids(struct cook_reader_buf *in, size_t *count, struct cook_arena *arena)
{
    *count = cook_read_count(in, 1);
    uint32_t *ids = cook_arena_alloc(arena, (*count + 1) * sizeof(*ids));
    for (size_t i = 0; ids && i < *count; i++) {
        uint64_t id = cook_read_varint(in);
        in->failed |= id > UINT32_MAX;
        ids[i] = (uint32_t)id;
    }
    in->failed |= !ids;
    return ids;
}

enum cook_status cook_result_decode(struct cook_result *result, const struct cook_buf *payload,
                                    struct cook_arena *arena, struct cook_error *error)
{
    struct cook_reader_buf in = cook_read_init(payload->data, payload->size);
    *result = (struct cook_result){ 0 };
    result->package = cook_read_string(&in, arena);
    result->ok = cook_read_u8(&in) == 1;
    result->omitted = cook_read_u8(&in) == 1;
    result->duration_us = cook_read_u64(&in);
    result->bytes = cook_read_bytes(&in, &result->size);
    result->tokens = cook_read_bytes(&in, &result->tokens_size);
    result->messages = cook_read_bytes(&in, &result->messages_size);
    result->hard = read_texts(&in, &result->hard_count, arena);
    result->soft = read_texts(&in, &result->soft_count, arena);
    result->load_sets = read_ids(&in, &result->load_set_count, arena);
    result->save_record = cook_read_bytes(&in, &result->save_record_size);
    result->unrecorded = cook_read_bytes(&in, &result->unrecorded_size);
    result->recorded = cook_read_bytes(&in, &result->recorded_size);
    result->stacks = cook_read_bytes(&in, &result->stacks_size);
    result->stack_ids = read_ids(&in, &result->stack_id_count, arena);
    result->reads = cook_read_bytes(&in, &result->reads_size);
    result->notes = cook_read_string(&in, arena);
    read_files(result, &in, arena);
    result->parts = cook_read_bytes(&in, &result->parts_size);
    if (!cook_read_at_end(&in))
        return cook_error_set(error, COOK_E_PROTOCOL, "a worker sent a malformed result");
    return COOK_OK;
}

/* ---- hello ---- */

void cook_hello_encode(const struct cook_hello *hello, struct cook_buf *out)
{
    cook_buf_put_varint(out, hello->class_count);
    for (size_t i = 0; i < hello->class_count; i++) {
        const struct cook_hello_class *c = &hello->classes[i];
        cook_buf_put_string(out, c->name);
        cook_buf_put_string(out, c->module);
        cook_buf_put_string(out, c->parent);
        cook_buf_put_u8(out, c->project);
        cook_buf_put_hash(out, c->schema);
        put_texts(out, c->editor_only, c->editor_only_count);
    }
    cook_buf_put_varint(out, hello->reader_count);
    for (size_t i = 0; i < hello->reader_count; i++) {
        const struct cook_hello_reader *r = &hello->readers[i];
        size_t count = 0;
        while (r->extensions[count])
            count++;
        cook_buf_put_string(out, r->name);
        cook_buf_put_u32(out, r->version);
        cook_buf_put_u64(out, r->types_hash);
        put_texts(out, r->extensions, count);
    }
    cook_buf_put_varint(out, hello->artifact_count);
    for (size_t i = 0; i < hello->artifact_count; i++) {
        const struct cook_hello_artifact *a = &hello->artifacts[i];
        cook_buf_put_string(out, a->name);
        cook_buf_put_u32(out, a->version);
        cook_buf_put_u8(out, a->project);
        cook_buf_put_u8(out, a->makes_parts);
        cook_buf_put_hash(out, a->identity);
    }
}

static void read_artifacts(struct cook_hello *hello, struct cook_reader_buf *in,
                           struct cook_arena *arena)
{
    hello->artifact_count = cook_read_count(in, 23);
    hello->artifacts =
        cook_arena_alloc(arena, (hello->artifact_count + 1) * sizeof(*hello->artifacts));
    in->failed |= !hello->artifacts;
    for (size_t i = 0; !in->failed && i < hello->artifact_count; i++) {
        struct cook_hello_artifact *a = &hello->artifacts[i];
        a->name = cook_read_string(in, arena);
        a->version = cook_read_u32(in);
        a->project = cook_read_u8(in) == 1;
        a->makes_parts = cook_read_u8(in) == 1;
        a->identity = cook_read_hash(in);
    }
}

enum cook_status cook_hello_decode(struct cook_hello *hello, const void *bytes, size_t size,
                                   struct cook_arena *arena, struct cook_error *error)
{
    struct cook_reader_buf in = cook_read_init(bytes, size);
    *hello = (struct cook_hello){ 0 };
    hello->class_count = cook_read_count(&in, 21);
    hello->classes = cook_arena_alloc(arena, (hello->class_count + 1) * sizeof(*hello->classes));
    for (size_t i = 0; hello->classes && i < hello->class_count; i++) {
        struct cook_hello_class *c = &hello->classes[i];
        c->name = cook_read_string(&in, arena);
        c->module = cook_read_string(&in, arena);
        c->parent = cook_read_string(&in, arena);
        c->project = cook_read_u8(&in) == 1;
        c->schema = cook_read_hash(&in);
        c->editor_only = read_texts(&in, &c->editor_only_count, arena);
    }
    hello->reader_count = cook_read_count(&in, 6);
    hello->readers = cook_arena_alloc(arena, (hello->reader_count + 1) * sizeof(*hello->readers));
    for (size_t i = 0; hello->readers && i < hello->reader_count; i++) {
        size_t count;
        hello->readers[i].name = cook_read_string(&in, arena);
        hello->readers[i].version = cook_read_u32(&in);
        hello->readers[i].types_hash = cook_read_u64(&in);
        hello->readers[i].extensions = read_texts(&in, &count, arena); /* zeroed: ends in NULL */
    }
    read_artifacts(hello, &in, arena);
    if (!hello->classes || !hello->readers)
        return cook_error_no_memory(error);
    if (!cook_read_at_end(&in))
        return cook_error_set(error, COOK_E_PROTOCOL, "a worker sent a malformed greeting");
    return COOK_OK;
}
