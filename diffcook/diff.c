#include "diff.h"

#include <string.h>

#include "causes.h"
#include "emit.h"
#include "meaning.h"
#include "shader.h"

#define DEFAULT_MAX_DIFFERENCES  1000
#define DEFAULT_MAX_CONSEQUENCES 16

const char *diff_kind_text(enum diff_kind kind)
{
    switch (kind) {
    case DIFF_CHANGED:
        return "changed";
    case DIFF_INSERTED:
        return "inserted";
    case DIFF_REMOVED:
        return "removed";
    case DIFF_MOVED:
        return "moved";
    case DIFF_KIND_UNKNOWN:
        break;
    }
    return "unknown";
}

static enum cook_status no_memory(struct cook_error *error)
{
    return cook_error_set(error, COOK_E_NO_MEMORY, "difference: out of memory");
}

static enum cook_status align_sides(struct diff_alignment *alignment,
                                    const struct diff_side *old, const struct diff_side *new,
                                    struct cook_error *error)
{
    const struct diff_sequence a = { old->paths, old->hashes, old->count };
    const struct diff_sequence b = { new->paths, new->hashes, new->count };
    return diff_align(alignment, &a, &b, error);
}

/* The parts of one comparison, released together. */
struct comparison {
    struct diff_texts texts;
    struct diff_side old;
    struct diff_side new;
    struct diff_alignment alignment;
    struct diff_edits edits;
};

static void comparison_finish(struct comparison *c)
{
    diff_edits_finish(&c->edits);
    diff_alignment_finish(&c->alignment);
    diff_side_finish(&c->old);
    diff_side_finish(&c->new);
    diff_texts_finish(&c->texts);
}

static enum cook_status compare_tokens(struct diff_result *out, const struct diff_version *old,
                                       const struct diff_version *new,
                                       const struct diff_options *options,
                                       struct cook_arena *arena, struct cook_error *error)
{
    struct comparison c = { .texts = { COOK_INTERN_INIT, COOK_INTERN_INIT } };
    enum cook_status status = COOK_OK;
    if (!diff_side_init(&c.old, old, NULL, &c.texts) ||
        !diff_side_init(&c.new, new, &c.old, &c.texts))
        status = no_memory(error);
    if (status == COOK_OK)
        status = align_sides(&c.alignment, &c.old, &c.new, error);
    if (status == COOK_OK && (!diff_edits_build(&c.edits, &c.old, &c.new, &c.alignment) ||
                              !diff_causes_find(&c.edits, &c.old, &c.new, &c.texts) ||
                              !diff_meaning_find(&c.edits, &c.old, &c.new, &c.texts) ||
                              !diff_emit(out, &c.edits, &c.old, &c.new, options, arena)))
        status = no_memory(error);
    comparison_finish(&c);
    return status;
}

/* Empty versions may have no bytes at all; arithmetic needs some address. */
static struct diff_version with_bytes(const struct diff_version *version)
{
    struct diff_version copy = *version;
    if (!copy.bytes)
        copy.bytes = (const uint8_t *)"";
    return copy;
}

static void disassemble(struct diff_result *out, const struct diff_version *old,
                        const struct diff_version *new, uint32_t max, struct cook_arena *arena)
{
    for (uint32_t i = 0; max && i < out->count; i++) {
        out->differences[i].lines = diff_shader_text(&out->differences[i], old, new, arena);
        max -= out->differences[i].lines != NULL;
    }
}

enum cook_status diff_compare(struct diff_result *out, const struct diff_version *old,
                              const struct diff_version *new,
                              const struct diff_options *options, struct cook_arena *arena,
                              struct cook_error *error)
{
    *out = (struct diff_result){ .differences = NULL };
    struct diff_options limits = { DEFAULT_MAX_DIFFERENCES, DEFAULT_MAX_CONSEQUENCES,
                                   options ? options->max_disassembled : 0 };
    if (options && options->max_differences)
        limits.max_differences = options->max_differences;
    if (options && options->max_consequences)
        limits.max_consequences = options->max_consequences;
    const struct diff_version a = with_bytes(old);
    const struct diff_version b = with_bytes(new);
    out->identical = a.size == b.size && memcmp(a.bytes, b.bytes, a.size) == 0;
    if (out->identical)
        return COOK_OK;
    enum cook_status status = COOK_OK;
    out->by_offset = !diff_side_has_tokens(&a) || !diff_side_has_tokens(&b);
    if (!out->by_offset)
        status = compare_tokens(out, &a, &b, &limits, arena, error);
    else if (!diff_emit_by_offset(out, &a, &b, &limits, arena))
        status = no_memory(error);
    if (status != COOK_OK)
        *out = (struct diff_result){ .differences = NULL };
    disassemble(out, &a, &b, limits.max_disassembled, arena);
    return status;
}
