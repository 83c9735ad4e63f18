/* cook explain audit: which dependencies waste time, over the kept incremental cooks. */
#include <stdlib.h>
#include <string.h>

#include "cook/base/intern.h"
#include "cook/deps/dep.h"
#include "cook/plan/explanation_json.h"
#include "explain/explain.h"

#define COOKS 100000
#define SHOWN 20

struct row {
    uint32_t kind; /* 0 for a reason */
    const char *key;
    size_t recooks, identical, cooks;
    uint64_t duration_us, wasted_us;
    uint32_t last_cook;
    const struct cook_explained_package *last;
};
struct audit {
    struct cook_arena arena;
    struct cook_intern names;
    struct row *rows;
    size_t capacity;
    size_t cooks, recooks, identical;
    uint64_t duration_us, wasted_us;
    bool failed;
};

static struct row *row_of(struct audit *audit, uint32_t kind, const char *key)
{
    char *name = cook_arena_printf(&audit->arena, "%u %s", kind, key);
    size_t before = audit->names.count;
    uint32_t id = name ? cook_intern_add(&audit->names, name) : COOK_INTERN_NONE;
    if (id == COOK_INTERN_NONE ||
        !cook_grow(&audit->rows, &audit->capacity, (size_t)id + 1, sizeof(*audit->rows))) {
        audit->failed = true;
        return NULL;
    }
    if (audit->names.count != before) {
        audit->rows[id] = (struct row){ .kind = kind };
        audit->rows[id].key = strchr(cook_intern_text(&audit->names, id), ' ') + 1;
    }
    return &audit->rows[id];
}

/* A package whose recook had several causes counts for each: taking one away would not have saved it. */
static void count(struct row *row, uint32_t cook,
                  const struct cook_explained_package *package)
{
    if (!row || row->last == package)
        return;
    bool identical = package->outcome == COOK_EXPLAINED_IDENTICAL;
    row->last = package;
    row->cooks += row->last_cook != cook;
    row->last_cook = cook;
    row->recooks++;
    row->identical += identical;
    row->duration_us += package->duration_us;
    row->wasted_us += identical ? package->duration_us : 0;
}

static void add_package(struct audit *audit, const struct cook_explanation *explanation,
                        const struct cook_explained_package *package, uint32_t cook)
{
    bool identical = package->outcome == COOK_EXPLAINED_IDENTICAL;
    if (package->outcome == COOK_EXPLAINED_UNKNOWN)
        return;
    audit->recooks++;
    audit->identical += identical;
    audit->duration_us += package->duration_us;
    audit->wasted_us += identical ? package->duration_us : 0;
    for (size_t i = 0; i < package->use_count; i++) {
        const struct cook_explained_dep *dep = &explanation->deps[package->uses[i].dep];
        count(row_of(audit, dep->kind, dep->key), cook, package);
    }
    if (package->use_count)
        return;
    const char *reason = *package->opted_out
                             ? cook_arena_printf(&audit->arena, "%s %s", package->reason,
                                                 package->opted_out)
                             : package->reason;
    count(row_of(audit, 0, reason ? reason : ""), cook, package);
}

static int compare_rows(const void *a, const void *b)
{
    const struct row *x = a;
    const struct row *y = b;
    if (x->wasted_us != y->wasted_us)
        return x->wasted_us < y->wasted_us ? 1 : -1;
    if (x->identical != y->identical)
        return x->identical < y->identical ? 1 : -1;
    return x->kind != y->kind ? (x->kind < y->kind ? -1 : 1) : strcmp(x->key, y->key);
}

/* What would take a cause of false recooks away; a fixed text for each kind. */
static const char *advice(const struct row *row)
{
    static const struct {
        uint32_t kind;
        const char *text;
    } texts[] = {
        { COOK_DEP_SOURCE, "the source is saved again without a change that matters: have the editor leave "
                           "it alone, or keep what does not matter out of it" },
        { COOK_DEP_CONFIG, "read only the keys that shape the result; this one did not" },
        { COOK_DEP_FILE, "read a smaller file, or a part of it through a function dependency" },
        { COOK_DEP_DIRECTORY, "ask the registry (cook_query_objects) for what is needed, not the folder" },
        { COOK_DEP_QUERY, "ask a narrower query" },
        { COOK_DEP_CLASS, "its schema changes without a change of what is saved: split the class, or bump its "
                          "version only where bytes change" },
        { COOK_DEP_PACKAGE, "depend on its load set (cook_depend_package), not on its whole key" },
        { COOK_DEP_FUNCTION, "have the function add up to less: only what shapes the result" },
        { COOK_DEP_ENV, "keep the variable out of cooks, or read it where it matters" },
        { COOK_DEP_CMDLINE, "leave the token away, or read it where it matters" },
        { COOK_DEP_CVAR, "read only the variables that shape the result" },
        { COOK_DEP_REF, "the reference's outcome changed without a change of what is saved" },
        { COOK_DEP_ENGINE, "a setting that touches every package: change it seldom" },
    };
    for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++)
        if (texts[i].kind == row->kind)
            return texts[i].text;
    if (strncmp(row->key, "opted-out class ", 16) == 0)
        return "let the class in ([Incremental] in the config) once validation shows no false skips: "
               "cook explain class CLASS";
    return "";
}

static void print(struct explain *explain, struct audit *audit)
{
    FILE *out = explain->cli.out;
    size_t count = audit->names.count, shown = 0;
    fprintf(out, "%zu incremental cook%s: recooked %zu packages in %.3f s; %zu came out identical, %.3f s "
                 "wasted\n", audit->cooks, audit->cooks == 1 ? "" : "s", audit->recooks,
            (double)audit->duration_us / 1e6, audit->identical, (double)audit->wasted_us / 1e6);
    for (size_t i = 0; i < count && audit->rows[i].identical; i++) {
        const struct row *row = &audit->rows[i];
        if (shown++ == SHOWN) {
            fprintf(out, "\nand more; all of them: --json FILE\n");
            break;
        }
        fprintf(out, "\n%.3f s wasted  %s%s%s\n    %zu of %zu recooks in %zu cook%s came out identical\n",
                (double)row->wasted_us / 1e6, row->kind ? cook_dep_kind_text(row->kind) : "",
                row->kind ? " " : "", row->key, row->identical, row->recooks, row->cooks,
                row->cooks == 1 ? "" : "s");
        if (*advice(row))
            fprintf(out, "    %s\n", advice(row));
    }
}

static void fill_document(struct explain *explain, const struct audit *audit)
{
    cJSON *summary = cJSON_AddObjectToObject(explain->document, "summary");
    cJSON_AddNumberToObject(summary, "cooks", (double)audit->cooks);
    cJSON_AddNumberToObject(summary, "recooks", (double)audit->recooks);
    cJSON_AddNumberToObject(summary, "identical", (double)audit->identical);
    cJSON_AddNumberToObject(summary, "seconds", (double)audit->duration_us / 1e6);
    cJSON_AddNumberToObject(summary, "wasted_seconds", (double)audit->wasted_us / 1e6);
    cJSON *list = cJSON_AddArrayToObject(explain->document, "dependencies");
    for (size_t i = 0; i < audit->names.count; i++) {
        const struct row *row = &audit->rows[i];
        cJSON *json = cJSON_CreateObject();
        cJSON_AddStringToObject(json, "kind", row->kind ? cook_dep_kind_text(row->kind) : "reason");
        cJSON_AddStringToObject(json, "key", row->key);
        cJSON_AddNumberToObject(json, "cooks", (double)row->cooks);
        cJSON_AddNumberToObject(json, "recooks", (double)row->recooks);
        cJSON_AddNumberToObject(json, "identical", (double)row->identical);
        cJSON_AddNumberToObject(json, "seconds", (double)row->duration_us / 1e6);
        cJSON_AddNumberToObject(json, "wasted_seconds", (double)row->wasted_us / 1e6);
        cJSON_AddStringToObject(json, "advice", advice(row));
        cJSON_AddItemToArray(list, json);
    }
}

static enum cook_status add_cooks(struct audit *audit, struct explain *explain,
                                  struct cook_error *error)
{
    struct cook_store_cook *cooks;
    size_t count;
    enum cook_status status =
        cook_store_cooks(explain->store, &cooks, &count, COOKS, &audit->arena, error);
    for (size_t i = 0; status == COOK_OK && i < count; i++) {
        struct cook_explanation explanation;
        struct cook_arena arena = COOK_ARENA_INIT;
        uint32_t cook = cooks[i].id;
        if (cook_hash_is_zero(cooks[i].explanation))
            continue;
        if (explain->cooks > 0 && audit->cooks == (size_t)explain->cooks)
            break;
        status = cook_store_explanation(explain->store, &explanation, &cook, &arena, error);
        for (size_t k = 0; status == COOK_OK && k < explanation.package_count; k++)
            add_package(audit, &explanation, &explanation.packages[k], cook);
        for (size_t k = 0; k < audit->names.count; k++)
            audit->rows[k].last = NULL; /* the packages go with the arena */
        audit->cooks++;
        cook_arena_finish(&arena);
    }
    return status == COOK_OK && audit->failed ? cook_error_no_memory(error) : status;
}

enum cook_status explain_audit(struct explain *explain, const char *const *operands,
                               struct cook_error *error)
{
    struct audit audit = { .arena = COOK_ARENA_INIT };
    if (operands[0])
        return cook_error_set(error, COOK_E_USAGE, "unexpected argument '%s'", operands[0]);
    enum cook_status status = add_cooks(&audit, explain, error);
    if (status == COOK_OK && audit.cooks == 0)
        status = cook_error_set(error, COOK_E_USAGE,
                                "no incremental cook is kept; run: cook incremental");
    if (status == COOK_OK) {
        if (audit.names.count)
            qsort(audit.rows, audit.names.count, sizeof(*audit.rows), compare_rows);
        print(explain, &audit);
        fill_document(explain, &audit);
    }
    cook_free(audit.rows);
    cook_intern_finish(&audit.names);
    cook_arena_finish(&audit.arena);
    return status;
}
