/*
 * Folds of plugins' artifacts, in the evaluator.
 *
 *     FOLD      artifact, state, count of packages to take out, names; then, up to the end, per
 *               part to add: name, bytes
 *     FOLDED    u32 status; state, count of files; per file: name, bytes
 */
#include "cook/artifacts/fold.h"
#include "cook/worker/session.h"

static enum cook_status run(struct cook_fold *fold, struct cook_reader_buf *in)
{
    struct cook_arena arena = COOK_ARENA_INIT;
    enum cook_status status = cook_fold_run_begin(fold);
    size_t removals = cook_read_count(in, 1);
    for (size_t i = 0; status == COOK_OK && !in->failed && i < removals; i++)
        status = fold->artifact->remove(fold->user, cook_read_string(in, &arena));
    while (status == COOK_OK && !in->failed && !cook_read_at_end(in)) {
        size_t size;
        const char *name = cook_read_string(in, &arena);
        const uint8_t *bytes = cook_read_bytes(in, &size);
        if (!in->failed)
            status = fold->artifact->add(fold->user, name, bytes, size);
    }
    if (status == COOK_OK)
        status = in->failed ? COOK_E_PROTOCOL : cook_fold_run_finish(fold);
    cook_arena_finish(&arena);
    return status;
}

void cook_session_fold(struct cook_session *session, const struct cook_buf *payload,
                       struct cook_buf *out)
{
    struct cook_arena arena = COOK_ARENA_INIT;
    struct cook_reader_buf in = cook_read_init(payload->data, payload->size);
    struct cook_fold fold = { .config = session->config, .target = session->target };
    const char *name = cook_read_string(&in, &arena);
    size_t size;
    const uint8_t *state = cook_read_bytes(&in, &size);
    if (size)
        cook_buf_put(&fold.input, state, size);
    fold.artifact = cook_types_artifact(&session->types, name);
    enum cook_status status =
        fold.artifact && !fold.input.failed ? run(&fold, &in) : COOK_E_NOT_FOUND;
    cook_buf_put_u32(out, (uint32_t)status);
    cook_buf_put_bytes(out, fold.state.data, fold.state.size);
    cook_buf_put_varint(out, fold.file_count);
    for (size_t i = 0; i < fold.file_count; i++) {
        cook_buf_put_string(out, fold.files[i].name);
        cook_buf_put_bytes(out, fold.files[i].bytes.data, fold.files[i].bytes.size);
    }
    cook_fold_finish(&fold);
    cook_arena_finish(&arena);
}
