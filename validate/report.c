#include "validate/report.h"

#include <string.h>

#include <cjson/cJSON.h>

#include "cook/cli/command.h"
#include "cook/cli/recording.h"
#include "cook/worker/session.h"
#include "diffcook/groups.h"
#include "validate/select.h"

static const char *package_name(const struct validate *validate,
                                const struct validate_finding *finding)
{
    const struct cook_state *state = validate->run->state;
    return cook_state_text(state, state->packages[finding->package].name);
}

/* ---- symbols ---- */

enum cook_status validate_symbols_init(struct validate_symbols *symbols,
                                       const struct validate *validate,
                                       struct cook_error *error)
{
    const char *folders[] = { validate->run->plugin_folder };
    struct cook_symbolizer_options options = { .folders = folders, .folder_count = 1 };
    *symbols = (struct validate_symbols){ 0 };
    enum cook_status status = cook_symbolizer_create(&symbols->symbolizer, &options, error);
    symbols->diff.symbolizer = symbols->symbolizer;
    symbols->diff.old_store = validate->run->store;
    symbols->print.frames = diff_symbol_frames;
    symbols->print.user = &symbols->diff;
    symbols->print.indent = 4;
    return status;
}

/* What a finding is grouped by: the function that made its first differing write. */
static char *finding_group(struct validate_symbols *symbols, const struct validate_finding *finding,
                           struct cook_arena *arena)
{
    struct cook_symbol_frame frames[DIFF_MAX_FRAMES];
    if (!finding->explained || finding->diff.count == 0 ||
        finding->diff.differences[0].new_stack == COOK_STACK_NONE)
        return NULL;
    size_t count = diff_symbol_frames(&symbols->diff, true, finding->diff.differences[0].new_stack,
                                      frames, DIFF_MAX_FRAMES);
    size_t skip = diff_skip_sdk_frames(frames, &count);
    return skip < count ? cook_symbol_text(&frames[skip], arena) : NULL;
}

/* ---- text ---- */

static char *reproduce_text(const struct cook_cli *cli,
                            const struct validate_finding *finding, struct cook_arena *arena)
{
    struct cook_buf text = COOK_BUF_INIT;
    cook_command_begin(&text, cli, "reproduce");
    cook_command_word(&text, finding->id);
    char *copy = cook_arena_strdup(arena, cook_buf_text(&text));
    cook_buf_finish(&text);
    return copy;
}

static void print_lines(FILE *out, const char *text)
{
    while (*text) {
        size_t length = strcspn(text, "\n");
        fprintf(out, "    %.*s\n", (int)length, text);
        text += length + (text[length] == '\n');
    }
}

/* What recooks disagree about; it stays different however well inputs are declared. */
static void print_unstable(FILE *out, const struct validate_finding *finding)
{
    if (finding->verdict == VALIDATE_FALSE_SKIP || finding->verdict == VALIDATE_VANISHED_REPLAY)
        return;
    if (finding->diff.identical)
        fprintf(out, "    one recook differed from the kept result, a later one did not\n");
    else if (finding->unstable.count == 0)
        fprintf(out, "    the recook among other packages differed from those in fresh workers: "
                     "state left by another package?\n");
    for (uint32_t i = 0; i < finding->unstable.count; i++)
        fprintf(out, "    recooks of the same inputs disagree about %s\n",
                cook_intern_text(&finding->unstable, i));
}

static void print_finding(struct validate *validate, const struct cook_cli *cli,
                          struct validate_symbols *symbols, const struct validate_finding *finding)
{
    struct cook_arena arena = COOK_ARENA_INIT;
    FILE *out = cli->out;
    static const char *const headings[] = { "unknown", "false skip", "indeterminate",
                                            "false skip and indeterminate", "vanished replay" };
    fprintf(out, "\n%s: %s (", headings[finding->verdict], package_name(validate, finding));
    for (size_t i = 0; i < finding->class_count; i++)
        fprintf(out, "%s%s", i ? ", " : "", finding->classes[i]);
    fprintf(out, ")  [%s, %s]\n", finding->id, validate_state_text(finding->state));
    if (*finding->reason)
        fprintf(out, "    %s\n", finding->reason);
    validate_print_causes(out, finding);
    symbols->diff.new_stacks = &finding->stacks;
    if (finding->explained && !finding->diff.identical)
        diff_print_text(out, &finding->diff, &symbols->print);
    for (uint32_t i = 0; i < finding->pictures.count; i++)
        fprintf(out, "    picture: %s\n", cook_intern_text(&finding->pictures, i));
    print_unstable(out, finding);
    print_lines(out, finding->detail);
    if (*finding->notes) {
        fprintf(out, "    notes of the class:\n");
        print_lines(out, finding->notes);
    }
    fprintf(out, "    reproduce: %s\n", reproduce_text(cli, finding, &arena));
    cook_arena_finish(&arena);
}

static void print_failures(const struct validate *validate, const struct cook_cli *cli)
{
    const struct cook_state *state = validate->run->state;
    for (size_t i = 0; i < validate->run->warning_count; i++)
        cook_cli_message(cli, "warning", "", validate->run->warnings[i]);
    for (size_t i = 0; i < validate->message_count; i++)
        cook_cli_message(cli, "error",
                         cook_state_text(state,
                                         state->packages[validate->messages[i].package].name),
                         validate->messages[i].text);
    for (size_t i = 0; i < validate->roots.missing_count; i++)
        fprintf(cli->err, "cook: %s\n", validate->roots.missing[i]);
}

static void print_inputs(const struct validate *validate, const struct cook_cli *cli)
{
    const struct cook_lint *lint = &validate->lint;
    if (validate->options.lint_inputs)
        cook_cli_print_lint(cli, lint, validate->run, validate_is_whole(validate));
    else if (!cli->quiet && lint->finding_count)
        fprintf(cli->out, "%zu undeclared input%s; list %s with --lint-inputs\n",
                lint->finding_count, lint->finding_count == 1 ? "" : "s",
                lint->finding_count == 1 ? "it" : "them");
}

/* Writes that differ in several packages. */
static bool gather_groups(struct diff_groups *groups, const struct validate *validate,
                          struct validate_symbols *symbols)
{
    for (size_t i = 0; i < validate->finding_count; i++) {
        const struct validate_finding *finding = validate->findings[i];
        symbols->diff.new_stacks = &finding->stacks;
        if (finding->explained && !diff_groups_add(groups, package_name(validate, finding),
                                                   &finding->diff, &symbols->print))
            return false;
    }
    return true;
}

/* A part was validated: which one, and what comes next. */
static void print_selection(const struct validate *validate, const struct cook_cli *cli)
{
    const struct validate_selection *selection = validate->options.selection;
    if (!selection || cli->quiet)
        return;
    if (selection->shards)
        fprintf(cli->out, "shard %u of %u: %zu of %zu packages; put all shards together with: "
                          "cook report merge\n", selection->shard, selection->shards,
                validate->candidate_count, validate->all_candidates);
    if (selection->seconds > 0 && validate->next)
        fprintf(cli->out, "out of time after %zu of %zu packages; the next validation goes on with: "
                          "--after %s\n", validate->candidate_count, validate->all_candidates,
                validate->next);
}

enum cook_status validate_print(struct validate *validate, const struct cook_cli *cli,
                                struct cook_error *error)
{
    struct validate_symbols symbols;
    print_failures(validate, cli);
    enum cook_status status = validate_symbols_init(&symbols, validate, error);
    if (status != COOK_OK)
        return status;
    struct diff_groups groups = DIFF_GROUPS_INIT;
    for (size_t i = 0; i < validate->finding_count; i++)
        print_finding(validate, cli, &symbols, validate->findings[i]);
    if (!gather_groups(&groups, validate, &symbols))
        status = cook_error_no_memory(error);
    diff_groups_print(cli->out, &groups);
    diff_groups_finish(&groups);
    cook_symbolizer_destroy(symbols.symbolizer);
    if (status != COOK_OK)
        return status;
    validate_print_earlier(cli->out, validate);
    if (validate->unexplained_count)
        fprintf(cli->out, "\n%zu further packages differ; they were not recooked a second time\n",
                validate->unexplained_count);
    if (validate->finding_count || validate->earlier_count)
        fputc('\n', cli->out);
    print_inputs(validate, cli);
    if (!cli->quiet || validate->finding_count)
        fprintf(cli->out,
                "validated %zu of %zu skippable, false skips %zu, indeterminate %zu, both %zu, "
                "vanished replays %zu, failed %zu; modified %zu %s\n",
                validate->validated_count, validate->skippable_count,
                validate->verdicts[VALIDATE_FALSE_SKIP],
                validate->verdicts[VALIDATE_INDETERMINATE], validate->verdicts[VALIDATE_BOTH],
                validate->verdicts[VALIDATE_VANISHED_REPLAY], validate->failed_count, validate->modified_count,
                validate->options.allow_write ? "(recooked)" : "(not validated)");
    print_selection(validate, cli);
    return COOK_OK;
}

/* ---- document ---- */

static cJSON *finding_json(struct validate *validate, const struct cook_cli *cli,
                           struct validate_symbols *symbols, const struct validate_finding *finding)
{
    struct cook_arena arena = COOK_ARENA_INIT;
    cJSON *json = cJSON_CreateObject();
    symbols->diff.new_stacks = &finding->stacks;
    cJSON_AddStringToObject(json, "id", finding->id);
    cJSON_AddStringToObject(json, "rule", validate_verdict_text(finding->verdict));
    cJSON_AddStringToObject(json, "package", package_name(validate, finding));
    cJSON_AddStringToObject(json, "property", validate_property(finding));
    cJSON *classes = cJSON_AddArrayToObject(json, "classes");
    for (size_t i = 0; i < finding->class_count; i++)
        cJSON_AddItemToArray(classes, cJSON_CreateString(finding->classes[i]));
    cJSON_AddStringToObject(json, "verdict", validate_verdict_text(finding->verdict));
    cJSON_AddStringToObject(json, "state", validate_state_text(finding->state));
    cJSON_AddStringToObject(json, "reason", finding->reason);
    cJSON_AddTrueToObject(json, "seen");
    char *group = finding_group(symbols, finding, &arena);
    if (group)
        cJSON_AddStringToObject(json, "group", group);
    else
        cJSON_AddNullToObject(json, "group");
    const char *owner = cook_owners_of(&validate->owners, package_name(validate, finding),
                                       finding->classes, finding->class_count);
    if (*owner)
        cJSON_AddStringToObject(json, "owner", owner);
    else
        cJSON_AddNullToObject(json, "owner");
    char stamp[COOK_RECORDING_TIME_SIZE];
    cook_recording_time(stamp, finding->first_seen_ns);
    cJSON_AddStringToObject(json, "first_seen", stamp);
    validate_causes_to_json(json, finding);
    cJSON *differences = finding->explained ? diff_result_to_json(&finding->diff, &symbols->print)
                                            : cJSON_CreateArray();
    cJSON_AddItemToObject(json, "differences", differences);
    cJSON_AddNumberToObject(json, "dropped_differences", (double)finding->diff.dropped_differences);
    cJSON *pictures =
        finding->pictures.count ? cJSON_AddArrayToObject(json, "pictures") : NULL;
    for (uint32_t i = 0; i < finding->pictures.count; i++)
        cJSON_AddItemToArray(pictures,
                             cJSON_CreateString(cook_intern_text(&finding->pictures, i)));
    cJSON *unstable = cJSON_AddArrayToObject(json, "unstable");
    for (uint32_t i = 0; i < finding->unstable.count; i++)
        cJSON_AddItemToArray(unstable,
                             cJSON_CreateString(cook_intern_text(&finding->unstable, i)));
    validate_kept_to_json(json, finding);
    cJSON_AddStringToObject(json, "detail", finding->detail);
    cJSON_AddStringToObject(json, "notes", finding->notes);
    cJSON_AddStringToObject(json, "reproduce", reproduce_text(cli, finding, &arena));
    cook_arena_finish(&arena);
    return json;
}

static cJSON *summary_json(const struct validate *validate)
{
    cJSON *summary = cJSON_CreateObject();
    cJSON_AddNumberToObject(summary, "packages", (double)validate->package_count);
    cJSON_AddNumberToObject(summary, "skippable", (double)validate->skippable_count);
    cJSON_AddNumberToObject(summary, "modified", (double)validate->modified_count);
    cJSON_AddNumberToObject(summary, "validated", (double)validate->validated_count);
    cJSON_AddNumberToObject(summary, "false_skips",
                            (double)validate->verdicts[VALIDATE_FALSE_SKIP]);
    cJSON_AddNumberToObject(summary, "indeterminate",
                            (double)validate->verdicts[VALIDATE_INDETERMINATE]);
    cJSON_AddNumberToObject(summary, "both", (double)validate->verdicts[VALIDATE_BOTH]);
    cJSON_AddNumberToObject(summary, "failed", (double)validate->failed_count);
    cJSON_AddNumberToObject(summary, "vanished_replays",
                            (double)validate->verdicts[VALIDATE_VANISHED_REPLAY]);
    for (unsigned i = VALIDATE_NEW; i < VALIDATE_STATE_COUNT; i++)
        cJSON_AddNumberToObject(summary, validate_state_text((enum validate_state)i),
                                (double)validate->states[i]);
    cJSON_AddNumberToObject(summary, "seconds", validate->seconds);
    return summary;
}

static cJSON *make_document(struct validate *validate, const struct cook_cli *cli,
                            const struct cook_recording *record, struct validate_symbols *symbols)
{
    cJSON *document = cJSON_CreateObject();
    cJSON_AddStringToObject(document, "schema", "cookproof/incremental-validate/1");
    cJSON_AddStringToObject(document, "project", validate->run->project.name);
    cJSON_AddStringToObject(document, "target", validate->run->project.target);
    cJSON_AddBoolToObject(document, "allow_write", validate->options.allow_write);
    cook_recording_stamp(record, document);
    cJSON_AddItemToObject(document, "summary", summary_json(validate));
    cook_cli_add_statuses(cli, document);
    cJSON *findings = cJSON_AddArrayToObject(document, "findings");
    for (size_t i = 0; i < validate->finding_count; i++)
        cJSON_AddItemToArray(findings,
                             finding_json(validate, cli, symbols, validate->findings[i]));
    for (size_t i = 0; i < validate->earlier_count; i++)
        cJSON_AddItemToArray(findings, validate_earlier_to_json(&validate->earlier[i]));
    struct diff_groups groups = DIFF_GROUPS_INIT;
    if (gather_groups(&groups, validate, symbols))
        cJSON_AddItemToObject(document, "groups", diff_groups_to_json(&groups));
    diff_groups_finish(&groups);
    validate_add_coverage(validate, document);
    if (cook_pool_traced(validate->run->pool))
        cook_cli_add_lint(document, &validate->lint, validate->run,
                          validate_is_whole(validate));
    return document;
}

/* ---- history ---- */

enum cook_status validate_record(struct validate *validate, const struct cook_cli *cli,
                                 struct cook_error *error)
{
    struct validate_symbols symbols = { 0 };
    struct cook_recording record = { .cli = cli,
                                  .project = &validate->run->project,
                                  .cook_id = validate->cook_id,
                                  .started_ns = validate->run->started_ns,
                                  .seconds = validate->seconds };
    cook_recording_begin(&record, validate->run->pool, cook_recording_patience_ms(validate->seconds));
    enum cook_status status =
        cook_history_open(&record.history, validate->run->project.fd, error);
    if (status == COOK_OK)
        status = validate_recall(validate, record.history, error);
    if (status == COOK_OK)
        status = validate_symbols_init(&symbols, validate, error);
    if (status == COOK_OK) {
        cJSON *document = make_document(validate, cli, &record, &symbols);
        status = cook_recording_end(&record, document, error);
        if (status == COOK_OK && cook_pool_traced(validate->run->pool))
            status = cook_cli_record_lint(&validate->lint, validate->run, record.history,
                                          record.run_id, error);
        if (status == COOK_OK)
            status = validate_keep_overlays(validate, &symbols, error);
        if (status == COOK_OK)
            status = cook_cli_write_json(cli, document, error);
        cJSON_Delete(document);
    }
    cook_symbolizer_destroy(symbols.symbolizer);
    cook_history_close(record.history);
    return status;
}
