/* Text, and the frame of the document. */
#include "report.h"

#include <inttypes.h>

#include <cjson/cJSON.h>

#include "entries.h"
#include "groups.h"
#include "texture.h"
#include "value.h"

#define SHOWN_ENTRIES 20 /* of one artifact file, as text */

struct report {
    const struct diff_comparison *comparison;
    const struct diff_report_options *options;
    struct diff_report_outcome *outcome;
    cJSON *packages; /* NULL: no document */
    size_t opened;
    struct diff_groups groups;
};

/* ---- text ---- */

static void print_referrers(FILE *out, const struct diff_entry *entry)
{
    for (size_t i = 0; i < entry->referrer_count; i++)
        fprintf(out, "    %s by %s\n",
                entry->change == DIFF_ADDED ? "now referred to" : "was referred to",
                entry->referrers[i]);
}

static void print_sizes(FILE *out, enum diff_change change, uint64_t old_bytes,
                        uint64_t new_bytes)
{
    if (change == DIFF_MODIFIED && old_bytes != new_bytes)
        fprintf(out, " (%" PRIu64 " -> %" PRIu64 " bytes)\n", old_bytes, new_bytes);
    else
        fprintf(out, " (%" PRIu64 " bytes)\n", change == DIFF_DELETED ? old_bytes : new_bytes);
}

static void print_head(FILE *out, const struct diff_entry *entry)
{
    fprintf(out, "%s %s", diff_change_text(entry->change), entry->name);
    print_sizes(out, entry->change, entry->old_bytes, entry->new_bytes);
    print_referrers(out, entry);
}

static void print_output_entry(FILE *out, const struct diff_output_entry *entry)
{
    struct cook_arena arena = COOK_ARENA_INIT;
    const char *key = diff_clean_text(entry->key, &arena);
    const char *old = entry->old && entry->old[0] ? diff_clean_text(entry->old, &arena) : NULL;
    const char *new = entry->new && entry->new[0] ? diff_clean_text(entry->new, &arena) : NULL;
    fprintf(out, "    %s %s%s%s%s%s\n", diff_change_text(entry->change), key ? key : "",
            old || new ? ": " : "", old ? old : "", old && new ? " -> " : "", new ? new : "");
    cook_arena_finish(&arena);
}

static void print_outputs(FILE *out, const struct diff_comparison *comparison)
{
    for (size_t i = 0; i < comparison->output_count; i++) {
        const struct diff_output *output = &comparison->outputs[i];
        fprintf(out, "%s %s of artifact %s", diff_change_text(output->change), output->file,
                output->artifact);
        print_sizes(out, output->change, output->old_bytes, output->new_bytes);
        size_t shown = output->entry_count < SHOWN_ENTRIES ? output->entry_count : SHOWN_ENTRIES;
        for (size_t k = 0; k < shown; k++)
            print_output_entry(out, &output->entries[k]);
        if (output->entry_count + output->dropped_entries > shown)
            fprintf(out, "    and %zu more entries; --json lists up to %d\n",
                    output->entry_count + output->dropped_entries - shown, DIFF_ENTRIES_MAX);
    }
}

static void print_detail(FILE *out, const struct diff_detail *detail)
{
    const char *what = detail->part == DIFF_PART_REFERENCES ? " reference"
                       : detail->part == DIFF_PART_MESSAGES ? ":"
                                                            : "";
    fprintf(out, "    %s %s%s %s", diff_change_text(detail->change), detail->kind, what,
            detail->text);
    if (detail->property)
        fprintf(out, ", in %s", detail->property);
    else if (detail->looked_for)
        fprintf(out, ", declared and not written");
    fputc('\n', out);
}

/* What else would be shipped otherwise; packages and artifacts are named above. */
static void print_staged(FILE *out, const struct diff_comparison *comparison)
{
    size_t counts[DIFF_DELETED + 1] = { 0 };
    for (size_t i = 0; i < comparison->staged_count; i++)
        counts[comparison->staged[i].change]++;
    if (comparison->unstaged)
        fprintf(out, "staged output not compared: %s\n", comparison->unstaged);
    if (!comparison->staged_count)
        return;
    fprintf(out, "staged output: added %zu, modified %zu, deleted %zu\n", counts[DIFF_ADDED],
            counts[DIFF_MODIFIED], counts[DIFF_DELETED]);
    size_t shown = 0;
    size_t left = counts[DIFF_ADDED] + counts[DIFF_DELETED];
    for (size_t i = 0; i < comparison->staged_count && shown < SHOWN_ENTRIES; i++)
        if (comparison->staged[i].change != DIFF_MODIFIED) {
            fprintf(out, "    %s %s\n", diff_change_text(comparison->staged[i].change),
                    comparison->staged[i].path);
            shown++;
        }
    if (left > shown)
        fprintf(out, "    and %zu more; --json lists all\n", left - shown);
}

static void print_package(FILE *out, const struct diff_entry *entry,
                          const struct diff_package *package, const char *note,
                          const struct diff_print_options *print)
{
    if (package->problem)
        fprintf(out, "    cannot be compared: %s\n", package->problem);
    if (package->result.by_offset)
        fprintf(out, "    compared by offset: what was written is not known\n");
    diff_print_text(out, &package->result, print);
    for (size_t i = 0; i < package->detail_count; i++)
        print_detail(out, &package->details[i]);
    if (note)
        fprintf(out, "    %s\n", note);
    if (entry->parts & DIFF_PART_BYTES || package->detail_count)
        fputc('\n', out);
}

static void print_counts(FILE *out, const struct diff_comparison *comparison,
                         const struct diff_report_outcome *outcome)
{
    fprintf(out, "added %zu, modified %zu, deleted %zu, identical %zu", comparison->added,
            comparison->modified, comparison->deleted, comparison->identical);
    if (outcome->same_meaning)
        fprintf(out, "; of the modified, same meaning in other bytes %zu",
                outcome->same_meaning);
    if (outcome->references_added || outcome->references_deleted)
        fprintf(out, "; runtime references added %zu, deleted %zu", outcome->references_added,
                outcome->references_deleted);
    if (comparison->output_count)
        fprintf(out, "; artifact files %zu", comparison->output_count);
    fputc('\n', out);
}

static void print_summary(const struct report *report)
{
    const struct diff_comparison *comparison = report->comparison;
    FILE *out = report->options->out;
    if (report->options->pictures)
        fprintf(out, "pictures written: %zu%s%s\n", report->outcome->pictures,
                report->outcome->pictures ? ", in " : "",
                report->outcome->pictures ? report->options->pictures : "");
    if (report->outcome->not_compared)
        fprintf(out, "%ss named only, beyond --limit: %zu\n", report->options->noun,
                report->outcome->not_compared);
    if (comparison->unknown && !report->options->stat)
        fprintf(
            out,
            "packages compared by bytes alone: %zu (references and messages are kept of the "
            "latest results only)\n",
            comparison->unknown);
    if (comparison->uncompared)
        fprintf(out, "not compared, links to folders and files of other kinds: %zu\n",
                comparison->uncompared);
    if (!report->options->quiet || diff_report_has_findings(comparison))
        print_counts(out, comparison, report->outcome);
}

/* ---- entries ---- */

static enum cook_status add_json(struct report *report, const struct diff_entry *entry,
                                 const struct diff_package *package, const char *note,
                                 const struct diff_print_options *print,
                                 struct cook_error *error)
{
    if (!report->packages)
        return COOK_OK;
    cJSON *json = diff_entry_to_json(entry, package, note, print);
    if (json && cJSON_AddItemToArray(report->packages, json))
        return COOK_OK;
    cJSON_Delete(json);
    return cook_error_no_memory(error);
}

/* Whether nothing but bytes differs, and these say the same. */
static bool says_the_same(const struct diff_entry *entry, const struct diff_package *package)
{
    const struct diff_result *result = &package->result;
    return entry->parts == DIFF_PART_BYTES && !package->problem && result->root_count &&
           result->same_meaning_count == result->root_count + result->dropped_differences;
}

static enum cook_status write_pictures(struct report *report, const struct diff_entry *entry,
                                       const struct diff_package *package,
                                       struct cook_error *error)
{
    const struct diff_version old = diff_content_version(&package->old);
    const struct diff_version new = diff_content_version(&package->new);
    struct cook_intern paths = COOK_INTERN_INIT;
    enum cook_status status = diff_texture_write(&paths, report->options->pictures, entry->name,
                                                 &package->result, &old, &new, error);
    report->outcome->pictures += paths.count;
    cook_intern_finish(&paths);
    return status;
}

static enum cook_status report_modified(struct report *report, const struct diff_entry *entry,
                                        struct cook_error *error)
{
    const struct diff_report_options *options = report->options;
    const char *note = NULL;
    const struct diff_version *recooked =
        options->recooked ? options->recooked(options->user, entry, &note) : NULL;
    struct diff_symbols symbols = { .symbolizer = options->symbolizer,
                                    .new_stacks = recooked ? recooked->stack_set : NULL,
                                    .old_store = report->comparison->cooks[0].store,
                                    .new_store = report->comparison->cooks[1].store };
    struct diff_print_options print = { .frames = diff_symbol_frames,
                                        .user = &symbols,
                                        .indent = 4 };
    struct diff_package package;
    enum cook_status status =
        diff_package_open(&package, report->comparison, entry, recooked, error);
    report->outcome->problems += status == COOK_OK && package.problem;
    if (status == COOK_OK && says_the_same(entry, &package))
        report->outcome->same_meaning++;
    if (status == COOK_OK &&
        !diff_groups_add(&report->groups, entry->name, &package.result, &print))
        status = cook_error_no_memory(error);
    if (status == COOK_OK && options->pictures)
        status = write_pictures(report, entry, &package, error);
    for (size_t i = 0; status == COOK_OK && i < package.detail_count; i++) {
        bool reference = package.details[i].part == DIFF_PART_REFERENCES;
        report->outcome->references_added += reference && package.details[i].change == DIFF_ADDED;
        report->outcome->references_deleted += reference && package.details[i].change == DIFF_DELETED;
    }
    if (status == COOK_OK && options->out)
        print_package(options->out, entry, &package, note, &print);
    if (status == COOK_OK)
        status = add_json(report, entry, &package, note, &print, error);
    diff_package_finish(&package);
    return status;
}

static enum cook_status report_entry(struct report *report, const struct diff_entry *entry,
                                     struct cook_error *error)
{
    const struct diff_report_options *options = report->options;
    if (options->out && !options->stat)
        print_head(options->out, entry);
    if (options->stat)
        return add_json(report, entry, NULL, NULL, NULL, error);
    if (entry->change != DIFF_MODIFIED)
        return add_json(report, entry, NULL, NULL, NULL, error);
    if (options->limit && report->opened == options->limit) {
        report->outcome->not_compared++;
        return add_json(report, entry, NULL, NULL, NULL, error);
    }
    report->opened++;
    return report_modified(report, entry, error);
}

static bool add_summary(const struct report *report, cJSON *document)
{
    const struct diff_comparison *comparison = report->comparison;
    cJSON *summary = cJSON_AddObjectToObject(document, "summary");
    return summary && cJSON_AddNumberToObject(summary, "added", (double)comparison->added) &&
           cJSON_AddNumberToObject(summary, "modified", (double)comparison->modified) &&
           cJSON_AddNumberToObject(summary, "deleted", (double)comparison->deleted) &&
           cJSON_AddNumberToObject(summary, "identical", (double)comparison->identical) &&
           cJSON_AddNumberToObject(summary, "not_compared",
                                   (double)report->outcome->not_compared) &&
           cJSON_AddNumberToObject(summary, "unreadable", (double)report->outcome->problems) &&
           cJSON_AddNumberToObject(summary, "bytes_only", (double)comparison->unknown) &&
           cJSON_AddNumberToObject(summary, "same_meaning",
                                   (double)report->outcome->same_meaning) &&
           cJSON_AddNumberToObject(summary, "references_added",
                                   (double)report->outcome->references_added) &&
           cJSON_AddNumberToObject(summary, "references_deleted",
                                   (double)report->outcome->references_deleted) &&
           cJSON_AddNumberToObject(summary, "artifact_files", (double)comparison->output_count) &&
           cJSON_AddNumberToObject(summary, "staged_files", (double)comparison->staged_count);
}

static bool add_list(cJSON *document, const char *key, cJSON *list)
{
    if (list && cJSON_AddItemToObject(document, key, list))
        return true;
    cJSON_Delete(list);
    return false;
}

bool diff_report_has_findings(const struct diff_comparison *comparison)
{
    return comparison->count || comparison->output_count;
}

enum cook_status diff_report_write(struct diff_report_outcome *outcome,
                                   const struct diff_comparison *comparison,
                                   const struct diff_report_options *options,
                                   struct cJSON *document, struct cook_error *error)
{
    *outcome = (struct diff_report_outcome){ 0 };
    struct report report = { comparison, options, outcome, NULL, 0, DIFF_GROUPS_INIT };
    if (document && !options->stat)
        report.packages = cJSON_CreateArray();
    if (document && !options->stat && !report.packages)
        return cook_error_no_memory(error);
    enum cook_status status = COOK_OK;
    for (size_t i = 0; status == COOK_OK && i < comparison->count; i++)
        status = report_entry(&report, &comparison->entries[i], error);
    if (status == COOK_OK && options->out && !options->stat)
        print_outputs(options->out, comparison);
    if (status == COOK_OK && options->out && !options->stat)
        print_staged(options->out, comparison);
    if (status == COOK_OK && options->out && !options->stat)
        diff_groups_print(options->out, &report.groups);
    if (status == COOK_OK && options->out)
        print_summary(&report);
    bool room = !document || add_summary(&report, document);
    if (report.packages)
        room = add_list(document, "packages", report.packages) &&
               add_list(document, "artifacts", diff_outputs_to_json(comparison)) &&
               add_list(document, "staged", diff_staged_to_json(comparison)) &&
               add_list(document, "groups", diff_groups_to_json(&report.groups)) && room;
    diff_groups_finish(&report.groups);
    return status == COOK_OK && !room ? cook_error_no_memory(error) : status;
}
