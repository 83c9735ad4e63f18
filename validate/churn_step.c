#include <fcntl.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "cook/base/child.h"
#include "cook/base/fs.h"
#include "cook/config/project.h"
#include "cook/store/store.h"
#include "validate/churn.h"

#define MAX_DOCUMENT (UINT64_C(1) << 30)

/* ---- running a verb ---- */

static void make_words(struct cook_child_words *words, struct churn *churn, const char *verb,
                       const char *project, const char *const *more)
{
    const struct cook_run_options *run = &churn->cli.run;
    cook_child_add(words, cook_arena_printf(&churn->arena, "cook-%s", verb));
    cook_child_add(words, "-C");
    cook_child_add(words, project);
    cook_child_add(words, "-q");
    cook_child_add(words, "--json");
    cook_child_add(words, cook_arena_printf(&churn->arena, "%s/document.json", churn->work));
    if (churn->cli.target) {
        cook_child_add(words, "--target");
        cook_child_add(words, churn->cli.target);
    }
    if (run->workers) {
        cook_child_add(words, "--workers");
        cook_child_add(words, cook_arena_printf(&churn->arena, "%u", run->workers));
    }
    for (size_t i = 0; i < run->project.override_count; i++) {
        cook_child_add(words, "--ini");
        cook_child_add(words, run->project.overrides[i]);
    }
    for (size_t i = 0; more && more[i]; i++)
        cook_child_add(words, more[i]);
}

enum cook_status churn_verb(struct churn *churn, cJSON **document, const char *verb,
                            const char *project, const char *const *more,
                            struct cook_error *error)
{
    struct cook_child_words words = { 0 };
    struct cook_child child = COOK_CHILD_INIT;
    struct cook_buf bytes = COOK_BUF_INIT;
    int exit_status = 0;
    *document = NULL;
    make_words(&words, churn, verb, project, more);
    child.program = cook_child_verb_path(verb, &churn->arena);
    child.argv = words.items;
    int log =
        openat(churn->work_fd, "cook.log", O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0666);
    child.out_fd = log;
    child.err_fd = log;
    enum cook_status status = words.failed || !child.program
                                  ? cook_error_no_memory(error)
                                  : cook_fs_remove_tree(churn->work_fd, "document.json", error);
    if (status == COOK_OK)
        status = cook_child_run(&exit_status, &child, error);
    if (log >= 0)
        close(log);
    if (status == COOK_OK &&
        (exit_status == COOK_EXIT_USAGE || exit_status == COOK_EXIT_ENVIRONMENT))
        status = cook_error_set(error, COOK_E_FAILED,
                                "cook %s ended with exit status %d; see %s/cook.log", verb,
                                exit_status, churn->work);
    if (status == COOK_OK)
        status =
            cook_fs_read(&bytes, NULL, churn->work_fd, "document.json", MAX_DOCUMENT, error);
    if (status == COOK_OK)
        *document = cJSON_ParseWithLength((const char *)bytes.data, bytes.size);
    if (status == COOK_OK && !*document)
        status = cook_error_set(error, COOK_E_MALFORMED, "cook %s wrote no document", verb);
    cook_buf_finish(&bytes);
    cook_child_words_finish(&words);
    return status;
}

/* ---- false recooks: the same bytes again ---- */

static const struct cook_manifest_entry *find_entry(const struct cook_manifest_entry *entries,
                                                    size_t count, const char *package)
{
    size_t low = 0;
    for (size_t high = count; low < high;) {
        size_t middle = low + (high - low) / 2;
        int order = strcmp(entries[middle].package, package);
        if (order == 0)
            return &entries[middle];
        if (order < 0)
            low = middle + 1;
        else
            high = middle;
    }
    return NULL;
}

static double count_same(const cJSON *cook, const struct cook_manifest_entry *old,
                         size_t old_count, const struct cook_manifest_entry *new,
                         size_t new_count)
{
    const cJSON *package;
    double same = 0;
    cJSON_ArrayForEach(package, cJSON_GetObjectItemCaseSensitive(cook, "packages"))
    {
        const char *name = churn_text(package, "name");
        if (strcmp(churn_text(package, "result"), "recooked") != 0)
            continue;
        const struct cook_manifest_entry *a = find_entry(old, old_count, name);
        const struct cook_manifest_entry *b = find_entry(new, new_count, name);
        same += a && b && cook_hash_equal(a->bytes, b->bytes);
    }
    return same;
}

/* Recooked packages whose bytes are those of the cook before. */
static enum cook_status find_false_recooks(struct churn *churn, double *count,
                                           const cJSON *cook, struct cook_error *error)
{
    struct cook_project project = { .fd = -1 };
    struct cook_project_options options = churn->cli.run.project;
    struct cook_store *store = NULL;
    struct cook_store_cook *cooks;
    struct cook_manifest_entry *old, *new;
    struct cook_arena arena = COOK_ARENA_INIT;
    size_t cook_count = 0, old_count = 0, new_count = 0;
    *count = 0;
    options.folder = churn->project;
    enum cook_status status = cook_project_open(&project, &options, error);
    if (status == COOK_OK)
        status = cook_store_open(&store, project.fd, project.target, COOK_STORE_READ, error);
    if (status == COOK_OK)
        status = cook_store_cooks(store, &cooks, &cook_count, 2, &arena, error);
    if (status == COOK_OK && cook_count == 2 && !cook_hash_is_zero(cooks[1].manifest)) {
        status = cook_store_manifest(store, &old, &old_count, cooks[1].id, &arena, error);
        if (status == COOK_OK)
            status = cook_store_manifest(store, &new, &new_count, cooks[0].id, &arena, error);
        if (status == COOK_OK)
            *count = count_same(cook, old, old_count, new, new_count);
    }
    cook_store_close(store);
    cook_project_finish(&project);
    cook_arena_finish(&arena);
    return status;
}

/* ---- a step ---- */

static void copy_counts(cJSON *row, const cJSON *document, const char *const *keys)
{
    const cJSON *summary = cJSON_GetObjectItemCaseSensitive(document, "summary");
    for (size_t i = 0; keys[i]; i++)
        cJSON_AddNumberToObject(row, keys[i], churn_number(summary, keys[i]));
}

static void copy_findings(cJSON *row, const cJSON *document)
{
    cJSON *list = cJSON_AddArrayToObject(row, "findings");
    static const char *const keys[] = { "id", "package", "verdict", "state" };
    const cJSON *finding;
    cJSON_ArrayForEach(finding, cJSON_GetObjectItemCaseSensitive(document, "findings"))
    {
        const cJSON *cause =
            cJSON_GetArrayItem(cJSON_GetObjectItemCaseSensitive(finding, "causes"), 0);
        if (!cJSON_IsTrue(cJSON_GetObjectItemCaseSensitive(finding, "seen")))
            continue;
        cJSON *item = cJSON_CreateObject();
        for (size_t i = 0; i < sizeof(keys) / sizeof(keys[0]); i++)
            cJSON_AddStringToObject(item, keys[i], churn_text(finding, keys[i]));
        cJSON_AddStringToObject(item, "cause", churn_text(cause, "kind"));
        cJSON_AddStringToObject(item, "what", churn_text(cause, "what"));
        cJSON_AddItemToArray(list, item);
    }
}

static double now_seconds(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + (double)now.tv_nsec / 1e9;
}

static enum cook_status cook(struct churn *churn, cJSON *row, int step,
                             struct cook_error *error)
{
    static const char *const keys[] = { "packages", "cooked", "recooked", "skipped", NULL };
    cJSON *document;
    double same = 0;
    double started = now_seconds();
    enum cook_status status = churn_verb(churn, &document, step ? "incremental" : "full",
                                         churn->project, NULL, error);
    if (status != COOK_OK)
        return status;
    cJSON_AddNumberToObject(row, "cook_seconds", now_seconds() - started);
    copy_counts(row, document, keys);
    cJSON_AddNumberToObject(
        row, "failed",
        churn_number(cJSON_GetObjectItemCaseSensitive(document, "summary"), "failed"));
    if (step)
        status = find_false_recooks(churn, &same, document, error);
    cJSON_AddNumberToObject(row, "false_recooks", same);
    cJSON_Delete(document);
    return status;
}

static enum cook_status validate(struct churn *churn, cJSON *row, struct cook_error *error)
{
    static const char *const keys[] = { "validated", "false_skips",      "indeterminate",
                                        "both",      "vanished_replays", NULL };
    static const char *const heal[] = { "--allow-write", NULL };
    cJSON *document;
    double started = now_seconds();
    enum cook_status status =
        churn_verb(churn, &document, "incremental-validate", churn->project, heal, error);
    if (status != COOK_OK)
        return status;
    cJSON_AddNumberToObject(row, "validate_seconds", now_seconds() - started);
    copy_counts(row, document, keys);
    copy_findings(row, document);
    cJSON_Delete(document);
    return COOK_OK;
}

static enum cook_status compare(struct churn *churn, cJSON *row, struct cook_error *error)
{
    static const char *const keys[] = { "added", "modified", "deleted", NULL };
    static const char *const counts[] = { "--stat", NULL };
    cJSON *document;
    enum cook_status status =
        churn_verb(churn, &document, "incremental-compare", churn->project, counts, error);
    if (status == COOK_OK)
        copy_counts(cJSON_AddObjectToObject(row, "compare"), document, keys);
    cJSON_Delete(document);
    return status;
}

enum cook_status churn_step(struct churn *churn, cJSON **out, int step,
                            struct cook_error *error)
{
    const cJSON *at =
        cJSON_GetArrayItem(cJSON_GetObjectItemCaseSensitive(churn->state, "steps"), step);
    cJSON *row = cJSON_CreateObject();
    bool built;
    cJSON_AddStringToObject(row, "step", churn_text(at, "name"));
    cJSON_AddStringToObject(row, "subject", churn_text(at, "subject"));
    enum cook_status status = churn_build(churn, "tree", &built, error);
    cJSON_AddBoolToObject(row, "built", built);
    if (status == COOK_OK && built)
        status = cook(churn, row, step, error);
    if (status == COOK_OK && built && step)
        status = validate(churn, row, error);
    if (status == COOK_OK && built && step && churn->compare)
        status = compare(churn, row, error);
    if (status != COOK_OK) {
        cJSON_Delete(row);
        row = NULL;
    }
    *out = row;
    return status;
}
