#include "cook/store/explanation.h"

#include "cook/base/alloc.h"
#include "cook/deps/value.h"

#define COOKS 100000

const char *cook_explained_outcome_text(enum cook_explained_outcome outcome)
{
    static const char *const texts[] = { "unknown", "changed", "identical" };
    return (unsigned)outcome < COOK_EXPLAINED_OUTCOME_COUNT ? texts[outcome] : texts[0];
}

/* ---- writing ---- */

static void put_package(struct cook_buf *out, const struct cook_explained_package *package)
{
    cook_buf_put_string(out, package->name);
    cook_buf_put_string(out, package->reason);
    cook_buf_put_string(out, package->opted_out);
    cook_buf_put_string(out, package->classes);
    cook_buf_put_u8(out, (uint8_t)package->outcome);
    cook_buf_put_varint(out, package->duration_us);
    cook_buf_put_varint(out, package->use_count);
    for (size_t i = 0; i < package->use_count; i++) {
        cook_buf_put_varint(out, package->uses[i].dep);
        cook_buf_put_string(out, package->uses[i].through);
    }
}

static void put_places(struct cook_buf *out, const struct cook_explained_dep *dep)
{
    struct cook_buf places = COOK_BUF_INIT;
    bool both = dep->old_where && *dep->old_where;
    cook_buf_printf(&places, "%s%s%s", dep->where, both ? COOK_VALUE_PLACE : "",
                    both ? dep->old_where : "");
    cook_buf_put_string(out, cook_buf_text(&places));
    out->failed |= places.failed;
    cook_buf_finish(&places);
}

void cook_explanation_encode(const struct cook_explanation *explanation, struct cook_buf *out)
{
    cook_buf_put_varint(out, explanation->dep_count);
    for (size_t i = 0; i < explanation->dep_count; i++) {
        const struct cook_explained_dep *dep = &explanation->deps[i];
        cook_buf_put_varint(out, dep->kind);
        cook_buf_put_string(out, dep->key);
        cook_buf_put_string(out, dep->old_text);
        cook_buf_put_string(out, dep->new_text);
        put_places(out, dep);
    }
    cook_buf_put_varint(out, explanation->package_count);
    for (size_t i = 0; i < explanation->package_count; i++)
        put_package(out, &explanation->packages[i]);
}

/* ---- reading ---- */

static void read_package(struct cook_explained_package *package, size_t dep_count,
                         struct cook_reader_buf *in, struct cook_arena *arena)
{
    package->name = cook_read_string(in, arena);
    package->reason = cook_read_string(in, arena);
    package->opted_out = cook_read_string(in, arena);
    package->classes = cook_read_string(in, arena);
    uint8_t outcome = cook_read_u8(in);
    package->outcome = (enum cook_explained_outcome)outcome;
    package->duration_us = cook_read_varint(in);
    package->use_count = cook_read_count(in, 2);
    package->uses = cook_arena_alloc(arena, (package->use_count + 1) * sizeof(*package->uses));
    in->failed |= outcome >= COOK_EXPLAINED_OUTCOME_COUNT || !package->uses;
    for (size_t i = 0; !in->failed && i < package->use_count; i++) {
        uint64_t dep = cook_read_varint(in);
        in->failed |= dep >= dep_count;
        package->uses[i].dep = (uint32_t)dep;
        package->uses[i].through = cook_read_string(in, arena);
    }
}

enum cook_status cook_explanation_decode(struct cook_explanation *explanation, const void *bytes,
                                         size_t size, struct cook_arena *arena)
{
    struct cook_reader_buf in = cook_read_init(bytes, size);
    *explanation = (struct cook_explanation){ 0 };
    size_t count = cook_read_count(&in, 5);
    explanation->deps = cook_arena_alloc(arena, (count + 1) * sizeof(*explanation->deps));
    in.failed |= !explanation->deps;
    for (size_t i = 0; !in.failed && i < count; i++) {
        struct cook_explained_dep *dep = &explanation->deps[i];
        dep->kind = (uint32_t)cook_read_varint(&in);
        dep->key = cook_read_string(&in, arena);
        dep->old_text = cook_read_string(&in, arena);
        dep->new_text = cook_read_string(&in, arena);
        const char *places = cook_read_string(&in, arena);
        dep->where = cook_value_alone(places, arena);
        dep->old_where = cook_value_place(places);
        in.failed |= !dep->where;
    }
    explanation->dep_count = count;
    count = cook_read_count(&in, 7);
    explanation->packages = cook_arena_alloc(arena, (count + 1) * sizeof(*explanation->packages));
    in.failed |= !explanation->packages;
    for (size_t i = 0; !in.failed && i < count; i++)
        read_package(&explanation->packages[i], explanation->dep_count, &in, arena);
    explanation->package_count = count;
    return cook_read_at_end(&in) ? COOK_OK : COOK_E_MALFORMED;
}

static enum cook_status find(struct cook_hash *hash, struct cook_store *store, uint32_t *cook,
                             struct cook_error *error)
{
    struct cook_arena arena = COOK_ARENA_INIT;
    struct cook_store_cook *cooks;
    size_t count;
    const uint32_t wanted = *cook;
    bool known = false;
    *hash = (struct cook_hash){ 0, 0 };
    enum cook_status status = cook_store_cooks(store, &cooks, &count, COOKS, &arena, error);
    for (size_t i = 0; status == COOK_OK && i < count && cook_hash_is_zero(*hash); i++) {
        if (wanted && cooks[i].id != wanted)
            continue;
        known = true;
        *hash = cooks[i].explanation;
        *cook = cooks[i].id;
    }
    cook_arena_finish(&arena);
    if (status != COOK_OK || !cook_hash_is_zero(*hash))
        return status;
    if (!wanted)
        return cook_error_set(error, COOK_E_NOT_FOUND,
                              "no incremental cook is kept; run: cook incremental");
    return cook_error_set(error, COOK_E_NOT_FOUND,
                          known ? "cook %u was no incremental one, or its explanation is no longer kept"
                                : "there is no cook %u", wanted);
}

enum cook_status cook_store_explanation(struct cook_store *store,
                                        struct cook_explanation *explanation, uint32_t *cook,
                                        struct cook_arena *arena, struct cook_error *error)
{
    struct cook_hash hash;
    struct cook_buf bytes = COOK_BUF_INIT;
    *explanation = (struct cook_explanation){ 0 };
    enum cook_status status = find(&hash, store, cook, error);
    if (status == COOK_OK)
        status = cook_store_get_blob(store, &bytes, hash, error);
    if (status == COOK_OK) {
        status = cook_explanation_decode(explanation, bytes.data, bytes.size, arena);
        if (status != COOK_OK)
            (void)cook_error_set(error, status, "the explanation of cook %u is malformed", *cook);
    }
    cook_buf_finish(&bytes);
    return status;
}
