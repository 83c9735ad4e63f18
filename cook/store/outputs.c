#include "cook/store/outputs.h"

#include "cook/base/alloc.h"

#define MAGIC          0x3154554Fu /* "OUT1" */
#define FILE_BYTES     18u         /* at least */
#define ARTIFACT_BYTES 35u         /* at least */

void cook_outputs_encode(const struct cook_outputs *outputs, struct cook_buf *out)
{
    cook_buf_put_u32(out, MAGIC);
    cook_buf_put_hash(out, outputs->mark);
    for (int i = 0; i < COOK_OUTPUT_GROUPS; i++)
        cook_buf_put_hash(out, outputs->index[i]);
    cook_buf_put_varint(out, outputs->artifact_count);
    for (size_t i = 0; i < outputs->artifact_count; i++) {
        const struct cook_output_artifact *artifact = &outputs->artifacts[i];
        cook_buf_put_string(out, artifact->name);
        cook_buf_put_hash(out, artifact->identity);
        cook_buf_put_u8(out, (uint8_t)artifact->group);
        cook_buf_put_hash(out, artifact->state);
        cook_buf_put_varint(out, artifact->file_count);
        for (size_t k = 0; k < artifact->file_count; k++) {
            cook_buf_put_string(out, artifact->files[k].name);
            cook_buf_put_hash(out, artifact->files[k].hash);
            cook_buf_put_varint(out, artifact->files[k].size_bytes);
        }
    }
}

static void read_artifact(struct cook_output_artifact *artifact, struct cook_reader_buf *in,
                          struct cook_arena *arena)
{
    artifact->name = cook_read_string(in, arena);
    artifact->identity = cook_read_hash(in);
    uint8_t group = cook_read_u8(in);
    in->failed |= group >= COOK_OUTPUT_GROUPS;
    artifact->group = (enum cook_output_group)group;
    artifact->state = cook_read_hash(in);
    size_t count = cook_read_count(in, FILE_BYTES);
    artifact->files = cook_arena_alloc(arena, (count + 1) * sizeof(*artifact->files));
    in->failed |= !artifact->files;
    for (size_t i = 0; !in->failed && i < count; i++) {
        artifact->files[i].name = cook_read_string(in, arena);
        artifact->files[i].hash = cook_read_hash(in);
        artifact->files[i].size_bytes = cook_read_varint(in);
    }
    artifact->file_count = in->failed ? 0 : count;
}

enum cook_status cook_outputs_decode(struct cook_outputs *outputs, const void *bytes,
                                     size_t size, struct cook_arena *arena)
{
    struct cook_reader_buf in = cook_read_init(bytes, size);
    *outputs = (struct cook_outputs){ 0 };
    in.failed |= cook_read_u32(&in) != MAGIC;
    outputs->mark = cook_read_hash(&in);
    for (int i = 0; i < COOK_OUTPUT_GROUPS; i++)
        outputs->index[i] = cook_read_hash(&in);
    size_t count = cook_read_count(&in, ARTIFACT_BYTES);
    outputs->artifacts = cook_arena_alloc(arena, (count + 1) * sizeof(*outputs->artifacts));
    in.failed |= !outputs->artifacts;
    for (size_t i = 0; !in.failed && i < count; i++)
        read_artifact(&outputs->artifacts[i], &in, arena);
    outputs->artifact_count = in.failed ? 0 : count;
    return cook_read_at_end(&in) ? COOK_OK : COOK_E_MALFORMED;
}

enum cook_status cook_store_outputs(struct cook_store *store, struct cook_outputs *outputs,
                                    struct cook_hash hash, struct cook_arena *arena,
                                    struct cook_error *error)
{
    *outputs = (struct cook_outputs){ 0 };
    if (cook_hash_is_zero(hash))
        return COOK_OK;
    struct cook_buf bytes = COOK_BUF_INIT;
    enum cook_status status = cook_store_get_blob(store, &bytes, hash, error);
    if (status == COOK_OK) {
        status = cook_outputs_decode(outputs, bytes.data, bytes.size, arena);
        if (status != COOK_OK)
            (void)cook_error_set(error, status, "the outputs of a cook are malformed");
    }
    cook_buf_finish(&bytes);
    return status;
}
