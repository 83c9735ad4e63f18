/*
 * Which of a step's changes cause a false skip. The files that differ before and after the step
 * (plugins as they are built, too) are put into a copy of the project as it was before, in
 * halves and halves of the rest, until no file less shows the difference.
 */
#include <fcntl.h>
#include <string.h>
#include <unistd.h>

#include "cook/base/fs.h"
#include "validate/churn.h"
#include "validate/tree.h"

#define BEFORE "bisect/before"
#define AFTER  "bisect/after"
#define TRIAL  "bisect/trial"
#define KEPT   "bisect/kept" /* Saved of the trial after the first cook */

struct bisecting {
    struct churn *churn;
    const char *package;
    const char *id;
    int step, step_before;    /* the last one before it that was built */
    int before, after, trial; /* project folders */
    const char **files;
    size_t count;
    unsigned trials;
};

static const char *below(const struct bisecting *bisecting, const char *name)
{
    const char *folder = bisecting->churn->cli.folder;
    return cook_arena_printf(&bisecting->churn->arena, "%s%s%s", name, folder ? "/" : "",
                             folder ? folder : "");
}

static enum cook_status find_step(struct bisecting *bisecting, struct cook_error *error)
{
    const cJSON *row, *finding;
    int step = 0;
    size_t length = strlen(bisecting->churn->bisect);
    cJSON_ArrayForEach(row, cJSON_GetObjectItemCaseSensitive(bisecting->churn->state, "rows"))
    {
        cJSON_ArrayForEach(finding, cJSON_GetObjectItemCaseSensitive(row, "findings"))
        {
            if (!bisecting->id &&
                strncmp(churn_text(finding, "id"), bisecting->churn->bisect, length) == 0) {
                bisecting->id = churn_text(finding, "id");
                bisecting->package = churn_text(finding, "package");
                bisecting->step = step;
            }
        }
        if (!bisecting->id && cJSON_IsTrue(cJSON_GetObjectItemCaseSensitive(row, "built")))
            bisecting->step_before = step;
        step++;
    }
    return bisecting->id
               ? COOK_OK
               : cook_error_set(error, COOK_E_USAGE, "no step of %s brought finding %s",
                                bisecting->churn->work, bisecting->churn->bisect);
}

/* A checked-out step with its plugins built. */
static enum cook_status make_side(struct bisecting *bisecting, const char *name, int step,
                                  int *fd, struct cook_error *error)
{
    bool built = true;
    const char *path = below(bisecting, name);
    enum cook_status status = cook_fs_remove_tree(bisecting->churn->work_fd, name, error);
    if (status == COOK_OK)
        status = churn_check_out(bisecting->churn, name, -1, step, error);
    if (status == COOK_OK)
        status = churn_build(bisecting->churn, name, &built, error);
    if (status == COOK_OK && !built)
        status =
            cook_error_set(error, COOK_E_FAILED, "the build command failed; see %s/build.log",
                           bisecting->churn->work);
    if (status == COOK_OK)
        status = path ? tree_open(fd, bisecting->churn->work_fd, path, error)
                      : cook_error_no_memory(error);
    return status;
}

static enum cook_status cook_trial(struct bisecting *bisecting, const char *verb, bool *found,
                                   struct cook_error *error)
{
    const char *const own[] = { "--map", bisecting->package, "--package", bisecting->package,
                                NULL };
    const char *const map[] = { "--map", bisecting->package, NULL };
    bool check = strcmp(verb, "incremental-validate") == 0;
    const char *path = cook_arena_printf(&bisecting->churn->arena, "%s/%s",
                                         bisecting->churn->work, below(bisecting, TRIAL));
    const cJSON *finding;
    cJSON *document;
    enum cook_status status =
        churn_verb(bisecting->churn, &document, verb, path, check ? own : map, error);
    if (found) {
        *found = false;
        cJSON_ArrayForEach(finding,
                           cJSON_GetObjectItemCaseSensitive(document, "findings")) *found |=
            cJSON_IsTrue(cJSON_GetObjectItemCaseSensitive(finding, "seen")) &&
            strcmp(churn_text(finding, "package"), bisecting->package) == 0 &&
            strcmp(churn_text(finding, "verdict"), "indeterminate") != 0;
    }
    cJSON_Delete(document);
    return status;
}

static enum cook_status swap_saved(struct bisecting *bisecting, bool restore,
                                   struct cook_error *error)
{
    struct churn *churn = bisecting->churn;
    const char *saved =
        cook_arena_printf(&churn->arena, "%s/Saved/Cook", below(bisecting, TRIAL));
    const char *from = restore ? KEPT : saved;
    const char *to = restore ? saved : KEPT;
    enum cook_status status =
        saved ? cook_fs_remove_tree(churn->work_fd, to, error) : cook_error_no_memory(error);
    return status == COOK_OK ? tree_copy_below(churn->work_fd, to, churn->work_fd, from, error)
                             : status;
}

/* Whether these files alone, as they are after the step, make the package a false skip. */
static enum cook_status try_files(struct bisecting *bisecting, bool *found, const char **files,
                                  size_t count, struct cook_error *error)
{
    enum cook_status status = swap_saved(bisecting, true, error);
    for (size_t i = 0; status == COOK_OK && i < count; i++)
        status = tree_copy_file(bisecting->trial, bisecting->after, files[i], error);
    if (status == COOK_OK)
        status = cook_trial(bisecting, "incremental", NULL, error);
    if (status == COOK_OK)
        status = cook_trial(bisecting, "incremental-validate", found, error);
    for (size_t i = 0; status == COOK_OK && i < count; i++)
        status = tree_copy_file(bisecting->trial, bisecting->before, files[i], error);
    bisecting->trials++;
    return status;
}

static enum cook_status prepare(struct bisecting *bisecting, struct cook_error *error)
{
    const char *trial = below(bisecting, TRIAL);
    enum cook_status status =
        make_side(bisecting, BEFORE, bisecting->step_before, &bisecting->before, error);
    if (status == COOK_OK)
        status = make_side(bisecting, AFTER, bisecting->step, &bisecting->after, error);
    if (status == COOK_OK)
        status = cook_fs_remove_tree(bisecting->churn->work_fd, TRIAL, error);
    if (status == COOK_OK)
        status = trial ? tree_open(&bisecting->trial, bisecting->churn->work_fd, trial, error)
                       : cook_error_no_memory(error);
    if (status == COOK_OK)
        status = tree_copy(bisecting->trial, bisecting->before, error);
    if (status == COOK_OK)
        status = tree_compare(&bisecting->files, &bisecting->count, bisecting->before,
                              bisecting->after, &bisecting->churn->arena, error);
    if (status == COOK_OK)
        status = cook_trial(bisecting, "full", NULL, error);
    return status == COOK_OK ? swap_saved(bisecting, false, error) : status;
}

/* Zeller's ddmin: drop a part, or all but a part, in ever finer parts. */
static enum cook_status minimise(struct bisecting *bisecting, const char **files, size_t *count,
                                 struct cook_error *error)
{
    const char **trial =
        cook_arena_alloc(&bisecting->churn->arena, (*count + 1) * sizeof(char *));
    size_t parts = 2;
    if (!trial)
        return cook_error_no_memory(error);
    while (*count > 1) {
        bool smaller = false;
        for (size_t i = 0; i < 2 * parts && !smaller; i++) {
            size_t part = i % parts;
            size_t first = *count * part / parts;
            size_t last = *count * (part + 1) / parts;
            bool alone = i < parts;
            size_t used = 0;
            for (size_t k = 0; k < *count; k++)
                if ((k >= first && k < last) == alone)
                    trial[used++] = files[k];
            if (used == 0 || used == *count || (!alone && parts == 2))
                continue;
            enum cook_status status = try_files(bisecting, &smaller, trial, used, error);
            if (status != COOK_OK)
                return status;
            if (smaller) {
                memcpy(files, trial, used * sizeof(char *));
                *count = used;
                parts = alone ? 2 : (parts > 3 ? parts - 1 : 2);
            }
        }
        if (!smaller && parts >= *count)
            break;
        if (!smaller)
            parts = parts * 2 < *count ? parts * 2 : *count;
    }
    return COOK_OK;
}

static enum cook_status conclude(struct bisecting *bisecting, size_t count, bool found,
                                 struct cook_error *error)
{
    struct churn *churn = bisecting->churn;
    const cJSON *row = cJSON_GetArrayItem(
        cJSON_GetObjectItemCaseSensitive(churn->state, "rows"), bisecting->step);
    cJSON *document = cJSON_CreateObject();
    cJSON_AddStringToObject(document, "schema", "cookproof/churn-bisect/1");
    cJSON_AddStringToObject(document, "finding", bisecting->id);
    cJSON_AddStringToObject(document, "package", bisecting->package);
    cJSON_AddStringToObject(document, "step", churn_text(row, "step"));
    cJSON *summary = cJSON_AddObjectToObject(document, "summary");
    cJSON_AddNumberToObject(summary, "changed", (double)bisecting->count);
    cJSON_AddNumberToObject(summary, "needed", found ? (double)count : 0);
    cJSON_AddNumberToObject(summary, "trials", bisecting->trials);
    cJSON *files = cJSON_AddArrayToObject(document, "files");
    FILE *out = churn->cli.out;
    if (!found)
        fprintf(
            out,
            "all %zu changed files together do not make %s a false skip: something else does\n",
            bisecting->count, bisecting->package);
    else
        fprintf(out, "%s is a false skip when of %zu changed files of step %.10s %s:\n",
                bisecting->package, bisecting->count, churn_text(row, "step"),
                count == 1 ? "this one changes" : "these change together");
    for (size_t i = 0; found && i < count; i++) {
        fprintf(out, "    %s\n", bisecting->files[i]);
        cJSON_AddItemToArray(files, cJSON_CreateString(bisecting->files[i]));
    }
    churn->cli.statuses[COOK_EXIT_FINDINGS] = true;
    cook_cli_add_statuses(&churn->cli, document);
    enum cook_status status = cook_cli_write_json(&churn->cli, document, error);
    cJSON_Delete(document);
    return status;
}

static void finish(struct bisecting *bisecting)
{
    const int fds[] = { bisecting->before, bisecting->after, bisecting->trial };
    for (size_t i = 0; i < 3; i++)
        if (fds[i] >= 0)
            close(fds[i]);
    /* what is left of it is no reason to fail */
    (void)!cook_fs_remove_tree(bisecting->churn->work_fd, "bisect", NULL);
    churn_forget(bisecting->churn);
}

enum cook_status churn_bisect(struct churn *churn, struct cook_error *error)
{
    struct bisecting bisecting = { .churn = churn, .before = -1, .after = -1, .trial = -1 };
    bool found = false;
    enum cook_status status = find_step(&bisecting, error);
    if (status == COOK_OK && !churn->cli.quiet)
        fprintf(churn->cli.out, "Bisect: finding %s of %s\n", bisecting.id, bisecting.package);
    (void)fflush(churn->cli.out);
    if (status == COOK_OK)
        status = prepare(&bisecting, error);
    size_t count = bisecting.count;
    if (status == COOK_OK && count)
        status = try_files(&bisecting, &found, bisecting.files, count, error);
    if (status == COOK_OK && found)
        status = minimise(&bisecting, bisecting.files, &count, error);
    if (status == COOK_OK)
        status = conclude(&bisecting, count, found, error);
    finish(&bisecting);
    return status;
}
