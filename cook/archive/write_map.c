#include "cook/archive/write_map.h"

#include <zstd.h>

#include "cook/archive/token_codec.h"
#include "cook/base/alloc.h"

#define COMPRESSION_LEVEL    3
#define UNPACKED_LIMIT_BYTES ((size_t)1 << 30)

static uint64_t zigzag(int64_t value)
{
    return ((uint64_t)value << 1) ^ (value < 0 ? UINT64_MAX : 0);
}

static int64_t unzigzag(uint64_t value)
{
    return (int64_t)(value >> 1) ^ -(int64_t)(value & 1);
}

static void pack(struct cook_buf *plain, const uint32_t *stacks, size_t count)
{
    int64_t before = 0;
    cook_buf_put_varint(plain, count);
    for (size_t at = 0; at < count;) {
        size_t end = at + 1;
        while (end < count && stacks[end] == stacks[at])
            end++;
        cook_buf_put_varint(plain, end - at);
        cook_buf_put_varint(plain, zigzag((int64_t)stacks[at] - before));
        before = stacks[at];
        at = end;
    }
}

void cook_write_map_encode(struct cook_buf *out, const void *tokens, size_t tokens_size,
                           const uint32_t *stacks, size_t count)
{
    struct cook_buf plain = COOK_BUF_INIT;
    cook_buf_put_u8(out, COOK_WRITE_MAP_VERSION);
    cook_buf_put_bytes(out, tokens, tokens_size);
    pack(&plain, stacks, count);
    size_t bound = ZSTD_compressBound(plain.size);
    uint8_t *frame = plain.failed ? NULL : cook_malloc(bound);
    size_t size = frame ? ZSTD_compress(frame, bound, plain.data, plain.size, COMPRESSION_LEVEL)
                        : 0;
    if (!frame || ZSTD_isError(size))
        out->failed = true;
    else
        cook_buf_put(out, frame, size);
    cook_free(frame);
    cook_buf_finish(&plain);
}

/* The parts of a write map: `in` stands behind the token map. */
static bool open_map(struct cook_reader_buf *in, const uint8_t **tokens, size_t *tokens_size,
                     const void *bytes, size_t size)
{
    *in = cook_read_init(bytes, size);
    (void)cook_read_u8(in);
    *tokens = cook_read_bytes(in, tokens_size);
    return !in->failed && *tokens_size > 0;
}

static bool is_write_map(const void *bytes, size_t size)
{
    return size > 0 && *(const uint8_t *)bytes == COOK_WRITE_MAP_VERSION;
}

bool cook_write_map_tokens(const uint8_t **tokens, size_t *tokens_size, const void *bytes,
                           size_t size)
{
    struct cook_reader_buf in;
    *tokens = bytes;
    *tokens_size = size;
    if (!is_write_map(bytes, size))
        return true;
    return open_map(&in, tokens, tokens_size, bytes, size) && !is_write_map(*tokens, *tokens_size);
}

static enum cook_status malformed(struct cook_error *error)
{
    return cook_error_set(error, COOK_E_MALFORMED, "write map: bad stacks");
}

static enum cook_status unpack(uint32_t **stacks, size_t *count, const uint8_t *plain, size_t size,
                               struct cook_error *error)
{
    struct cook_reader_buf in = cook_read_init(plain, size);
    uint64_t total = cook_read_varint(&in);
    if (in.failed || total > COOK_TOKEN_LIMIT)
        return malformed(error);
    uint32_t *ids = cook_malloc((size_t)(total + 1) * sizeof(*ids));
    if (!ids)
        return cook_error_no_memory(error);
    int64_t id = 0;
    size_t at = 0;
    while (at < total && !in.failed) {
        uint64_t run = cook_read_varint(&in);
        uint64_t code = cook_read_varint(&in);
        id += code >> 34 ? INT64_C(1) << 40 : unzigzag(code);
        if (in.failed || !run || run > total - at || id < 0 || id > UINT32_MAX)
            break;
        for (uint64_t i = 0; i < run; i++)
            ids[at++] = (uint32_t)id;
    }
    if (at < total || !cook_read_at_end(&in)) {
        cook_free(ids);
        return malformed(error);
    }
    *stacks = ids;
    *count = at;
    return COOK_OK;
}

enum cook_status cook_write_map_stacks(uint32_t **stacks, size_t *count, const void *bytes,
                                       size_t size, struct cook_error *error)
{
    struct cook_reader_buf in;
    const uint8_t *tokens;
    size_t tokens_size;
    *stacks = NULL;
    *count = 0;
    if (!is_write_map(bytes, size))
        return COOK_OK;
    if (!open_map(&in, &tokens, &tokens_size, bytes, size))
        return malformed(error);
    const uint8_t *frame = (const uint8_t *)bytes + in.offset;
    unsigned long long claimed = ZSTD_getFrameContentSize(frame, size - in.offset);
    if (claimed == ZSTD_CONTENTSIZE_ERROR || claimed == ZSTD_CONTENTSIZE_UNKNOWN)
        return malformed(error);
    if (claimed > UNPACKED_LIMIT_BYTES)
        return cook_error_set(error, COOK_E_LIMIT, "write map: %llu bytes unpacked", claimed);
    uint8_t *plain = cook_malloc((size_t)claimed + 1);
    if (!plain)
        return cook_error_no_memory(error);
    size_t unpacked = ZSTD_decompress(plain, (size_t)claimed, frame, size - in.offset);
    enum cook_status status = ZSTD_isError(unpacked) ? malformed(error)
                                                     : unpack(stacks, count, plain, unpacked, error);
    cook_free(plain);
    return status;
}
