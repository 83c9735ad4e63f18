/*
 * Runtime edges that are not saved references: what the registry knows of a package, and what was
 * loaded without the registry knowing.
 */
#include <string.h>

#include "cook/registry/facts.h"
#include "cook/registry/registry.h"
#include "cook/worker/session.h"

static bool read_facts(struct cook_session *session, const char *name, struct cook_facts *facts,
                       struct cook_arena *arena)
{
    uint32_t row = cook_state_find_package(&session->registry, name);
    size_t size;
    if (row == COOK_ID_NONE)
        return false;
    const uint8_t *blob =
        cook_state_blob(&session->registry, session->registry.results[row].facts, &size);
    return size && cook_facts_decode(facts, blob, size, arena, NULL) == COOK_OK;
}

/* Whether the facts of a package name another one, by an edge of any kind. Under load_lock. */
static bool is_named(struct cook_session *session, const char *package, const char *target)
{
    struct cook_arena arena = COOK_ARENA_INIT;
    struct cook_facts facts = { 0 };
    bool named = false;
    if (!read_facts(session, package, &facts, &arena))
        facts.reference_count = 0;
    for (size_t i = 0; !named && i < facts.reference_count; i++) {
        struct cook_resolved resolved =
            cook_registry_resolve(&session->registry, facts.references[i].path, &arena);
        if (resolved.package != COOK_ID_NONE)
            named = strcmp(cook_state_text(&session->registry,
                                           session->registry.packages[resolved.package].name),
                           target) == 0;
    }
    cook_arena_finish(&arena);
    return named;
}

/* The table that takes a load, by the scope it was made in. */
static struct cook_intern *table_of(struct cook_context *context)
{
    return context->build_only ? &context->root->build_only_loads : &context->root->runtime_soft;
}

static void warn_unexpected(struct cook_context *context, const char *call, const char *target)
{
    struct cook_dep_origin origin = cook_context_origin(context, call);
    cook_log(context, COOK_SEVERITY_WARNING,
             "unexpected load of %s by %s in %s of %s: it is added to the cook; enter "
             "COOK_SCOPE_BUILD_ONLY or COOK_SCOPE_RUNTIME to say what it is for",
             target, call, origin.hook ? origin.hook : "a hook",
             origin.hook_class ? origin.hook_class : "an unknown class");
}

void cook_context_note_load(struct cook_context *context, const char *call, const char *target)
{
    struct cook_session *session = context->session;
    if (context->unrecorded)
        return; /* it does not shape the result, so nothing has to come along */
    pthread_mutex_lock(&session->load_lock);
    bool named = is_named(session, context->root->package->name, target);
    pthread_mutex_unlock(&session->load_lock);
    if (named && !context->build_only && !context->runtime)
        return;
    pthread_mutex_lock(&context->root->lock);
    struct cook_intern *table = table_of(context);
    size_t before = table->count;
    if (cook_intern_add(table, target) == COOK_INTERN_NONE)
        context->root->out_of_memory = true;
    bool first = table->count != before;
    pthread_mutex_unlock(&context->root->lock);
    if (first && !context->build_only && !context->runtime)
        warn_unexpected(context, call, target);
}

/* ---- what the registry knows ---- */

static void add_recorded(struct cook_buf *out, enum cook_edge edge, const char *path)
{
    cook_buf_put_u8(out, (uint8_t)edge);
    cook_buf_put_string(out, path);
}

static void add_build_only(const struct cook_context *context, struct cook_buf *out)
{
    for (uint32_t i = 0; i < context->build_only_loads.count; i++)
        add_recorded(out, COOK_EDGE_BUILD_ONLY, cook_intern_text(&context->build_only_loads, i));
}

void cook_session_add_registry_edges(struct cook_session *session, struct cook_context *context,
                                     struct cook_save_result *result)
{
    struct cook_arena arena = COOK_ARENA_INIT;
    struct cook_facts facts = { 0 };
    struct cook_package *package = context->package;
    pthread_mutex_lock(&session->load_lock);
    if (!read_facts(session, package->name, &facts, &arena))
        facts.reference_count = 0;
    pthread_mutex_unlock(&session->load_lock);
    for (size_t i = 0; i < facts.reference_count; i++) {
        enum cook_edge edge = facts.references[i].edge;
        const char *path = facts.references[i].path;
        bool follow = edge == COOK_EDGE_HARD || edge == COOK_EDGE_SOFT;
        if (!follow)
            add_recorded(&result->recorded, edge, path);
        /* What the save looked at has its outcome already; and where objects are left out for the
         * target, only the save knows whose references count. */
        if (!follow || result->dropped ||
            cook_intern_find(&result->harvested, path) != COOK_INTERN_NONE)
            continue;
        if (cook_intern_add(edge == COOK_EDGE_HARD ? &result->hard : &result->soft, path) ==
            COOK_INTERN_NONE)
            cook_context_short_of_memory(context);
    }
    add_build_only(&package->load, &result->recorded);
    add_build_only(context, &result->recorded);
    if (result->recorded.failed)
        cook_context_short_of_memory(context);
    cook_arena_finish(&arena);
}
