#include <string.h>

#include "cook/base/fs.h"
#include "cook/cli/recording.h"
#include "validate/churn.h"

static const cJSON *rows_of(const struct churn *churn)
{
    return cJSON_GetObjectItemCaseSensitive(churn->state, "rows");
}

static const char *short_name(const cJSON *row, struct cook_arena *arena)
{
    const char *text = cook_arena_printf(arena, "%.10s", churn_text(row, "step"));
    return text ? text : "";
}

static double sum(const struct churn *churn, const char *key)
{
    const cJSON *row;
    double total = 0;
    cJSON_ArrayForEach(row, rows_of(churn)) total += churn_number(row, key);
    return total;
}

/* ---- findings, each once, with the step that brought it ---- */

static bool has_finding(const cJSON *list, const char *id)
{
    const cJSON *item;
    cJSON_ArrayForEach(item, list)
    {
        if (strcmp(churn_text(item, "id"), id) == 0)
            return true;
    }
    return false;
}

static cJSON *collect_findings(const struct churn *churn)
{
    cJSON *list = cJSON_CreateArray();
    const cJSON *row, *finding;
    cJSON_ArrayForEach(row, rows_of(churn))
        cJSON_ArrayForEach(finding, cJSON_GetObjectItemCaseSensitive(row, "findings"))
    {
        if (has_finding(list, churn_text(finding, "id")))
            continue;
        cJSON *copy = cJSON_Duplicate(finding, true);
        cJSON_DeleteItemFromObjectCaseSensitive(copy, "state");
        cJSON_AddStringToObject(copy, "introduced", churn_text(row, "step"));
        cJSON_AddStringToObject(copy, "subject", churn_text(row, "subject"));
        cJSON_AddItemToArray(list, copy);
    }
    return list;
}

/* ---- text ---- */

static void print_row(FILE *out, const struct churn *churn, const cJSON *row,
                      struct cook_arena *arena)
{
    const cJSON *compared = cJSON_GetObjectItemCaseSensitive(row, "compare");
    if (!cJSON_IsTrue(cJSON_GetObjectItemCaseSensitive(row, "built"))) {
        fprintf(out, "%-10s  the build command failed: not cooked; see %s/build.log\n",
                short_name(row, arena), churn->work);
        return;
    }
    fprintf(out, "%-10s %7.0f %9.0f %6.0f %6.0f %9.0f %7.1f %9.1f", short_name(row, arena),
            churn_number(row, "cooked"), churn_number(row, "false_recooks"),
            churn_number(row, "false_skips") + churn_number(row, "both"),
            churn_number(row, "indeterminate") + churn_number(row, "both"),
            churn_number(row, "failed"), churn_number(row, "cook_seconds"),
            churn_number(row, "validate_seconds"));
    if (churn->compare)
        fprintf(out, " %7.0f",
                churn_number(compared, "added") + churn_number(compared, "modified") +
                    churn_number(compared, "deleted"));
    const char *subject = churn_text(row, "subject");
    fprintf(out, "%s%.50s\n", *subject ? "  " : "", subject);
}

static const char *verdict_words(const cJSON *finding)
{
    static const char *const texts[][2] = { { "false_skip", "false skip" },
                                            { "indeterminate", "unstable result" },
                                            { "both", "false skip and unstable result" },
                                            { "vanished_replay", "vanished replay" } };
    for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++)
        if (strcmp(churn_text(finding, "verdict"), texts[i][0]) == 0)
            return texts[i][1];
    return "finding";
}

/* One step and one cause is one thing to look at, however many packages it hit. */
static bool same_group(const cJSON *a, const cJSON *b)
{
    static const char *const keys[] = { "introduced", "verdict", "what" };
    for (size_t i = 0; i < sizeof(keys) / sizeof(keys[0]); i++)
        if (strcmp(churn_text(a, keys[i]), churn_text(b, keys[i])) != 0)
            return false;
    return true;
}

#define MAX_NAMED 5

static void print_group(FILE *out, const struct churn *churn, const cJSON *findings,
                        const cJSON *first)
{
    const cJSON *other;
    unsigned count = 0;
    for (const cJSON *before = findings->child; before != first; before = before->next)
        if (same_group(before, first))
            return;
    cJSON_ArrayForEach(other, findings) count += same_group(other, first);
    fprintf(out, "\n%.10s brought %u %s%s: %s\n    %s\n", churn_text(first, "introduced"),
            count, verdict_words(first), count == 1 ? "" : "s", churn_text(first, "subject"),
            churn_text(first, "what"));
    unsigned named = 0;
    cJSON_ArrayForEach(other, findings)
    {
        if (same_group(other, first) && named++ < MAX_NAMED)
            fprintf(out, "    %s  [%s]\n", churn_text(other, "package"),
                    churn_text(other, "id"));
    }
    if (count > MAX_NAMED)
        fprintf(out, "    and %u more\n", count - MAX_NAMED);
    fprintf(out, "    which file it was: cook churn%s%s --bisect %s\n",
            churn->work_option ? " --work " : "", churn->work_option ? churn->work_option : "",
            churn_text(first, "id"));
}

static void print_text(struct churn *churn, const cJSON *findings)
{
    FILE *out = churn->cli.out;
    struct cook_arena arena = COOK_ARENA_INIT;
    const cJSON *row, *finding;
    fprintf(out, "%-10s %7s %9s %6s %6s %9s %7s %9s%s\n", "step", "cooked", "same bytes",
            "stale", "noisy", "failed", "cook s", "validate s",
            churn->compare ? "  differ" : "");
    cJSON_ArrayForEach(row, rows_of(churn)) print_row(out, churn, row, &arena);
    cJSON_ArrayForEach(finding, findings) print_group(out, churn, findings, finding);
    fprintf(out,
            "\n%d steps, cooked %.0f (same bytes again %.0f), false skips %.0f, indeterminate "
            "%.0f\n",
            cJSON_GetArraySize(rows_of(churn)), sum(churn, "cooked"),
            sum(churn, "false_recooks"), sum(churn, "false_skips") + sum(churn, "both"),
            sum(churn, "indeterminate") + sum(churn, "both"));
    cook_arena_finish(&arena);
}

/* ---- the document ---- */

static cJSON *make_document(struct churn *churn, cJSON *findings,
                            const struct cook_recording *recording)
{
    static const char *const counts[] = { "cooked",          "recooked", "false_recooks",
                                          "false_skips",     "both",     "indeterminate",
                                          "vanished_replays" };
    cJSON *document = cJSON_CreateObject();
    cJSON_AddStringToObject(document, "schema", CHURN_SCHEMA);
    cJSON_AddStringToObject(document, "source", churn_text(churn->state, "source"));
    cJSON_AddStringToObject(document, "range", churn_text(churn->state, "range"));
    cook_recording_stamp(recording, document);
    cJSON *summary = cJSON_AddObjectToObject(document, "summary");
    cJSON_AddNumberToObject(summary, "steps", cJSON_GetArraySize(rows_of(churn)));
    for (size_t i = 0; i < sizeof(counts) / sizeof(counts[0]); i++)
        cJSON_AddNumberToObject(summary, counts[i], sum(churn, counts[i]));
    cJSON_AddNumberToObject(summary, "seconds",
                            sum(churn, "cook_seconds") + sum(churn, "validate_seconds"));
    cook_cli_add_statuses(&churn->cli, document);
    cJSON_AddItemToObject(document, "steps", cJSON_Duplicate(rows_of(churn), true));
    cJSON_AddItemToObject(document, "introduced", findings);
    return document;
}

enum cook_status churn_report(struct churn *churn, struct cook_error *error)
{
    struct cook_project project = { .fd = -1 };
    struct cook_project_options options = churn->cli.run.project;
    cJSON *findings = collect_findings(churn);
    options.folder = churn->project;
    enum cook_status status = cook_project_open(&project, &options, error);
    if (status != COOK_OK) {
        cJSON_Delete(findings);
        cook_project_finish(&project);
        return status;
    }
    struct cook_recording recording = { .cli = &churn->cli,
                                        .project = &project,
                                        .seconds = sum(churn, "cook_seconds") +
                                                   sum(churn, "validate_seconds") };
    bool found = cJSON_GetArraySize(findings) != 0;
    const cJSON *row;
    cJSON_ArrayForEach(row, rows_of(churn))
    {
        const cJSON *compared = cJSON_GetObjectItemCaseSensitive(row, "compare");
        found |= churn_number(compared, "added") + churn_number(compared, "modified") +
                     churn_number(compared, "deleted") >
                 0;
    }
    churn->cli.statuses[COOK_EXIT_FINDINGS] = found;
    churn->cli.statuses[COOK_EXIT_FAILED_PACKAGES] = sum(churn, "failed") > 0;
    status = cook_fs_now(&recording.started_ns, project.fd, error);
    recording.started_ns -= (int64_t)(recording.seconds * 1e9);
    cook_recording_begin(&recording, NULL, 0);
    print_text(churn, findings);
    cJSON *document = make_document(churn, findings, &recording);
    if (status == COOK_OK)
        status = cook_recording_end(&recording, document, error);
    if (status == COOK_OK)
        status = cook_cli_write_json(&churn->cli, document, error);
    cJSON_Delete(document);
    cook_project_finish(&project);
    return status;
}
