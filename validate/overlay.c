/* What a finding was found by, kept beside the store: see cook/store/overlay.h. */
#include <string.h>

#include <cjson/cJSON.h>

#include "cook/store/overlay.h"
#include "diffcook/saved.h"
#include "validate/report.h"

#define DEFAULT_KEEP_MEGABYTES 256

/* {"kept": facts of the cook that made the kept result, "now": of this one}; in the arena. */
static const char *facts_of(struct validate *validate, const struct validate_finding *finding,
                            const struct cook_store_cook *cooks, size_t count)
{
    cJSON *facts = cJSON_CreateObject();
    const char *now = cook_run_facts_json(validate->run);
    for (size_t i = 0; i < count; i++)
        if (cooks[i].id == finding->kept.result.cook)
            cJSON_AddRawToObject(facts, "kept", cooks[i].facts_json);
    if (now)
        cJSON_AddRawToObject(facts, "now", now);
    char *text = cJSON_PrintUnformatted(facts);
    const char *copy = text ? cook_arena_strdup(&validate->arena, text) : NULL;
    cJSON_free(text);
    cJSON_Delete(facts);
    return copy;
}

/* The callstacks of what differs, by name. */
static enum cook_status save_stacks(struct cook_buf *out, struct validate_symbols *symbols,
                                    const struct validate_finding *finding,
                                    struct cook_error *error)
{
    struct diff_version old = { .stacks = finding->old_stacks,
                                .stack_count = finding->old_stack_count };
    struct diff_version new = { .stacks = finding->new_stacks,
                                .stack_count = finding->new_stack_count };
    symbols->diff.new_stacks = &finding->stacks;
    return diff_saved_encode(out, &finding->diff, &old, &new, &symbols->print, error);
}

static enum cook_status keep(struct validate *validate, struct validate_symbols *symbols,
                             const struct validate_finding *finding, const char *facts,
                             struct cook_error *error)
{
    struct cook_buf old_tokens = COOK_BUF_INIT;
    struct cook_buf new_tokens = COOK_BUF_INIT;
    struct cook_buf stacks = COOK_BUF_INIT;
    enum cook_status status = COOK_OK;
    struct cook_overlay_part parts[6] = { { "facts.json", facts, strlen(facts) } };
    size_t count = 1;
    if (finding->explained) {
        cook_token_map_encode(&finding->old_tokens, &old_tokens);
        cook_token_map_encode(&finding->new_tokens, &new_tokens);
        status = save_stacks(&stacks, symbols, finding, error);
        parts[count++] = (struct cook_overlay_part){ "kept.bytes", finding->old_bytes,
                                                     finding->kept.result.size_bytes };
        parts[count++] =
            (struct cook_overlay_part){ "kept.tokens", old_tokens.data, old_tokens.size };
        parts[count++] =
            (struct cook_overlay_part){ "new.bytes", finding->new_bytes, finding->new_size };
        parts[count++] =
            (struct cook_overlay_part){ "new.tokens", new_tokens.data, new_tokens.size };
        parts[count++] = (struct cook_overlay_part){ "stacks.json", stacks.data, stacks.size };
    }
    if (status == COOK_OK)
        status = old_tokens.failed || new_tokens.failed
                     ? cook_error_no_memory(error)
                     : cook_overlay_put(validate->run->project.fd, finding->id, parts, count,
                                        error);
    cook_buf_finish(&old_tokens);
    cook_buf_finish(&new_tokens);
    cook_buf_finish(&stacks);
    return status;
}

enum cook_status validate_keep_overlays(struct validate *validate,
                                        struct validate_symbols *symbols,
                                        struct cook_error *error)
{
    struct cook_store_cook *cooks;
    size_t count;
    int64_t megabytes = cook_config_i64(validate->run->project.config, "History",
                                        "KeepOverlayMegabytes", DEFAULT_KEEP_MEGABYTES);
    if (!validate->finding_count)
        return COOK_OK;
    enum cook_status status = cook_store_cooks(validate->run->store, &cooks, &count, SIZE_MAX,
                                               &validate->arena, error);
    for (size_t i = 0; status == COOK_OK && i < validate->finding_count; i++) {
        const char *facts = facts_of(validate, validate->findings[i], cooks, count);
        status = facts ? keep(validate, symbols, validate->findings[i], facts, error)
                       : cook_error_no_memory(error);
    }
    if (status == COOK_OK)
        status = cook_overlay_trim(
            validate->run->project.fd,
            megabytes > 0 && megabytes < INT32_MAX ? (uint64_t)megabytes << 20 : 0, error);
    return status;
}
