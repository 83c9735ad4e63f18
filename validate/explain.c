/*
 * The second pass: recook what differs with a callstack per write, and compare by token; then recook
 * it in fresh workers, to see what recooks disagree about.
 */
#include <string.h>

#include "cook/archive/write_map.h"
#include "validate/validate.h"

#define MAX_EXPLAINED 1000 /* packages; the rest are counted */
#define FRESH_ROUNDS 2     /* recooks in fresh workers, compared with the explained one */

struct explaining {
    struct validate *validate;
    bool fresh; /* a round in fresh workers: compared with the explained recook */
};

static struct validate_finding *find(struct validate *validate, uint32_t package)
{
    for (size_t i = 0; i < validate->finding_count; i++)
        if (validate->findings[i]->package == package)
            return validate->findings[i];
    return NULL;
}

enum cook_status validate_read_kept(struct validate_kept_bytes *out, struct cook_store *store,
                                    const struct cook_state_result *result,
                                    struct cook_error *error)
{
    struct cook_buf bytes = COOK_BUF_INIT;
    struct cook_buf tokens = COOK_BUF_INIT;
    enum cook_status status = cook_store_get_blob(store, &bytes, result->bytes, error);
    if (status == COOK_OK)
        status = cook_store_get_blob(store, &tokens, result->tokens, error);
    if (status == COOK_OK)
        status = cook_token_map_decode(out->tokens, tokens.data, tokens.size, error);
    if (status == COOK_OK)
        status = cook_write_map_stacks(out->stacks, out->stack_count, tokens.data, tokens.size,
                                       error);
    cook_buf_finish(&tokens);
    *out->size = bytes.size;
    *out->bytes = bytes.data; /* moved */
    return status;
}

static enum cook_status compare(struct validate *validate, struct validate_finding *finding,
                                const struct cook_result *result, struct cook_error *error)
{
    struct cook_arena *arena = &validate->arena;
    size_t old_size;
    struct validate_kept_bytes kept = { &finding->old_bytes, &old_size, &finding->old_tokens,
                                        &finding->old_stacks, &finding->old_stack_count };
    enum cook_status status =
        validate_read_kept(&kept, validate->run->store, &finding->kept.result, error);
    if (status == COOK_OK)
        status = cook_token_map_decode(&finding->new_tokens, result->tokens, result->tokens_size,
                                       error);
    if (status == COOK_OK)
        status = cook_stack_set_decode(&finding->stacks, result->stacks, result->stacks_size, arena,
                                       error);
    if (status == COOK_OK)
        status = cook_reads_decode(&finding->reads, result->reads, result->reads_size, arena, error);
    finding->unrecorded = cook_arena_dup(arena, result->unrecorded, result->unrecorded_size);
    finding->unrecorded_size = finding->unrecorded ? result->unrecorded_size : 0;
    uint32_t *ids = cook_arena_dup(arena, result->stack_ids,
                                   (result->stack_id_count + 1) * sizeof(*ids));
    finding->new_bytes = cook_malloc(result->size + 1);
    if (status == COOK_OK && (!ids || !finding->new_bytes))
        status = cook_error_no_memory(error);
    if (status != COOK_OK)
        return status;
    memcpy(finding->new_bytes, result->bytes, result->size);
    finding->new_stacks = ids;
    finding->new_stack_count = result->stack_id_count;
    const char *notes = cook_arena_strdup(arena, result->notes);
    finding->notes = notes ? notes : "";
    struct diff_version old = { .bytes = finding->old_bytes,
                                .size = old_size,
                                .tokens = &finding->old_tokens,
                                .stacks = finding->old_stacks,
                                .stack_count = finding->old_stack_count };
    struct diff_version new = { .bytes = finding->new_bytes,
                                .size = result->size,
                                .tokens = &finding->new_tokens,
                                .stacks = ids,
                                .stack_count = result->stack_id_count,
                                .stack_set = &finding->stacks };
    struct diff_options options = DIFF_OPTIONS_INIT;
    options.max_disassembled = DIFF_DISASSEMBLED;
    status = diff_compare(&finding->diff, &old, &new, &options, arena, error);
    finding->explained = status == COOK_OK;
    finding->new_size = result->size;
    finding->recooks_differ = !cook_hash_equal(finding->first_bytes,
                                               cook_hash_bytes(result->bytes, result->size));
    return status;
}

/* Note the properties in which a fresh recook differs from the explained one. */
static enum cook_status compare_fresh(struct validate *validate, struct validate_finding *finding,
                                      const struct cook_result *result, struct cook_error *error)
{
    struct cook_arena arena = COOK_ARENA_INIT;
    struct cook_token_map tokens;
    struct diff_result diff;
    struct diff_options options = DIFF_OPTIONS_INIT;
    (void)validate;
    if (result->size == finding->new_size &&
        memcmp(result->bytes, finding->new_bytes, result->size) == 0)
        return COOK_OK;
    finding->recooks_differ = true;
    cook_token_map_init(&tokens);
    enum cook_status status =
        cook_token_map_decode(&tokens, result->tokens, result->tokens_size, error);
    struct diff_version explained = { .bytes = finding->new_bytes,
                                      .size = finding->new_size,
                                      .tokens = &finding->new_tokens };
    struct diff_version fresh = { .bytes = result->bytes, .size = result->size, .tokens = &tokens };
    if (status == COOK_OK)
        status = diff_compare(&diff, &explained, &fresh, &options, &arena, error);
    for (uint32_t i = 0; status == COOK_OK && i < diff.count; i++)
        if (cook_intern_add(&finding->unstable, diff.differences[i].property_normalized) ==
            COOK_INTERN_NONE)
            status = cook_error_no_memory(error);
    cook_token_map_finish(&tokens);
    cook_arena_finish(&arena);
    return status;
}

static enum cook_status on_frame(void *user, unsigned worker, uint32_t package,
                                 enum cook_frame_type type, const struct cook_buf *payload,
                                 struct cook_error *error)
{
    struct explaining *explaining = user;
    struct validate_finding *finding = find(explaining->validate, package);
    (void)worker;
    if (type != COOK_FRAME_RESULT || !finding)
        return COOK_OK;
    struct cook_arena arena = COOK_ARENA_INIT;
    struct cook_result result;
    enum cook_status status =
        cook_dispatch_result(&result, explaining->validate->run, package, payload, &arena, error);
    if (status == COOK_OK && result.ok && !explaining->fresh)
        status = compare(explaining->validate, finding, &result, error);
    else if (status == COOK_OK && result.ok && finding->explained)
        status = compare_fresh(explaining->validate, finding, &result, error);
    cook_arena_finish(&arena);
    return status;
}

/* A package that cooked a moment ago and dies now stays a finding, without its explanation. */
static enum cook_status on_lost(void *user, uint32_t package, const char *reason,
                                struct cook_error *error)
{
    struct explaining *explaining = user;
    struct validate_finding *finding = find(explaining->validate, package);
    (void)error;
    const char *detail = cook_arena_printf(&explaining->validate->arena,
                                           "%sits second recook ended early: %s\n",
                                           finding ? finding->detail : "", reason);
    if (finding && detail)
        finding->detail = detail;
    return COOK_OK;
}

/* One round over the findings whose bytes differ. */
static enum cook_status recook(struct validate *validate, bool fresh, struct cook_error *error)
{
    struct explaining explaining = { .validate = validate, .fresh = fresh };
    struct cook_dispatch_operations operations = { .type = COOK_FRAME_COOK,
                                                   .capture = !fresh,
                                                   .on_frame = on_frame,
                                                   .on_lost = on_lost,
                                                   .user = &explaining };
    struct cook_dispatch *dispatch;
    size_t queued = 0;
    enum cook_status status = cook_dispatch_create(&dispatch, validate->run, &operations, error);
    for (size_t i = 0; status == COOK_OK && i < validate->finding_count; i++)
        if ((validate->findings[i]->parts & VALIDATE_BYTES) && queued++ < MAX_EXPLAINED)
            status = cook_dispatch_add(dispatch, validate->findings[i]->package, error);
    if (status == COOK_OK && queued)
        status = cook_dispatch_run(dispatch, error);
    if (!fresh && queued > MAX_EXPLAINED)
        validate->unexplained_count = queued - MAX_EXPLAINED;
    cook_dispatch_destroy(dispatch);
    return status;
}

enum cook_status validate_explain(struct validate *validate, struct cook_error *error)
{
    enum cook_status status = recook(validate, false, error);
    for (unsigned round = 0; status == COOK_OK && validate->finding_count && round < FRESH_ROUNDS;
         round++) {
        cook_pool_restart(validate->run->pool);
        status = recook(validate, true, error);
    }
    return status;
}
