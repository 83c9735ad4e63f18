/* The document of a determinism check: cookproof/determinism/1. */
#include <cjson/cJSON.h>

#include "cook/cli/recording.h"
#include "diffcook/print.h"
#include "validate/determinism.h"
#include "validate/noise.h"
#include "validate/validate.h"

static cJSON *parts_json(uint32_t parts)
{
    static const struct {
        uint32_t bit;
        const char *text;
    } names[] = {
        { VALIDATE_BYTES, "bytes" },      { VALIDATE_DEPENDENCIES, "dependencies" },
        { VALIDATE_EDGES, "references" }, { VALIDATE_MESSAGES, "messages" },
        { VALIDATE_FILES, "files" },      { VALIDATE_ARTIFACTS, "artifacts" },
    };
    cJSON *list = cJSON_CreateArray();
    for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
        if (parts & names[i].bit)
            cJSON_AddItemToArray(list, cJSON_CreateString(names[i].text));
    return list;
}

/* The property that names a finding: of its first difference. */
static const char *finding_property(const struct determinism_finding *finding)
{
    if (finding->explained && finding->diff.count)
        return finding->diff.differences[0].property_normalized;
    return finding->parts & VALIDATE_BYTES ? "#bytes" : "#dependencies";
}

/* The stack of the cached read, or of the first write that differs. */
static cJSON *cause_stack(const struct determinism_finding *finding,
                          const struct diff_print_options *print)
{
    struct cook_symbol_frame frames[DIFF_MAX_FRAMES];
    const struct diff_symbols *symbols = print->user;
    size_t count = 0;
    cJSON *stack = cJSON_CreateArray();
    if (finding->cached)
        count = cook_symbolizer_stack(symbols->symbolizer, &finding->old.reads.stacks,
                                      finding->cached->stack, frames, DIFF_MAX_FRAMES);
    /* What was removed or moved away has no write in the new version. */
    for (uint32_t i = 0; finding->explained && i < finding->diff.count && !count; i++)
        count = diff_symbol_frames(print->user, true, finding->diff.differences[i].new_stack,
                                   frames, DIFF_MAX_FRAMES);
    for (size_t i = diff_skip_sdk_frames(frames, &count); i < count; i++)
        cJSON_AddItemToArray(stack, diff_frame_to_json(&frames[i]));
    return stack;
}

static void add_causes(cJSON *json, const struct determinism_finding *finding,
                       const struct diff_print_options *print)
{
    const struct validate_noise *noises[VALIDATE_MAX_NOISES];
    cJSON *causes = cJSON_AddArrayToObject(json, "causes");
    size_t count = finding->reproduced ? determinism_noises(noises, finding) : 0;
    for (size_t i = 0; i < count; i++) {
        cJSON *cause = cJSON_CreateObject();
        cJSON_AddStringToObject(cause, "kind", validate_cause_text(noises[i]->kind));
        cJSON_AddStringToObject(cause, "what", noises[i]->what);
        cJSON_AddStringToObject(cause, "confidence", validate_confidence_text(VALIDATE_VARIES));
        cJSON *evidence = cJSON_AddArrayToObject(cause, "evidence");
        for (unsigned k = 0; k < DETERMINISM_VARY_COUNT; k++)
            if (noises[i]->bits & finding->guilty & (1u << k))
                cJSON_AddItemToArray(evidence, cJSON_CreateString(determinism_vary_text(
                                                   (enum determinism_vary)k)));
        cJSON_AddItemToObject(cause, "stack", cause_stack(finding, print));
        cJSON_AddItemToArray(causes, cause);
    }
    if (count)
        cJSON_AddStringToObject(json, "fix", noises[0]->fix);
    else
        cJSON_AddNullToObject(json, "fix");
}

static cJSON *finding_json(const struct determinism *determinism, const struct cook_cli *cli,
                           const struct determinism_finding *finding,
                           const struct diff_print_options *print)
{
    const struct cook_state *state = determinism->run->state;
    struct cook_arena arena = COOK_ARENA_INIT;
    cJSON *json = cJSON_CreateObject();
    const char *package = cook_state_text(state, state->packages[finding->package].name);
    const char *property = finding_property(finding);
    char id[COOK_HISTORY_ID_SIZE];
    cook_recording_finding_id(id, determinism_verdict(finding), package, property);
    cJSON_AddStringToObject(json, "id", id);
    cJSON_AddStringToObject(json, "rule", determinism_verdict(finding));
    cJSON_AddStringToObject(json, "package", package);
    cJSON_AddStringToObject(json, "property", property);
    cJSON *classes = cJSON_AddArrayToObject(json, "classes");
    for (size_t i = 0; i < finding->class_count; i++)
        cJSON_AddItemToArray(classes, cJSON_CreateString(finding->classes[i]));
    cJSON_AddStringToObject(json, "verdict", determinism_verdict(finding));
    cJSON_AddStringToObject(json, "perturbation", determinism_guilty_text(finding, &arena));
    add_causes(json, finding, print);
    cJSON_AddItemToObject(json, "parts", parts_json(finding->parts));
    cJSON_AddItemToObject(json, "differences",
                          finding->explained ? diff_result_to_json(&finding->diff, print)
                                             : cJSON_CreateArray());
    cJSON_AddStringToObject(json, "detail", finding->detail);
    cJSON_AddStringToObject(json, "notes", finding->new.notes ? finding->new.notes : "");
    const char *line = determinism_reproduce_text(determinism, cli, finding, &arena);
    cJSON_AddStringToObject(json, "reproduce", line ? line : "");
    cook_arena_finish(&arena);
    return json;
}

static cJSON *summary_json(const struct determinism *determinism)
{
    size_t bytes = 0;
    size_t dependencies = 0;
    cJSON *summary = cJSON_CreateObject();
    for (size_t i = 0; i < determinism->finding_count; i++) {
        bytes += (determinism->findings[i]->parts & ~(uint32_t)VALIDATE_DEPENDENCIES) != 0;
        dependencies += (determinism->findings[i]->parts & VALIDATE_DEPENDENCIES) != 0;
    }
    cJSON_AddNumberToObject(summary, "packages", (double)determinism->list_count);
    cJSON_AddNumberToObject(summary, "deterministic",
                            (double)(determinism->list_count - determinism->finding_count));
    cJSON_AddNumberToObject(summary, "unstable_bytes", (double)bytes);
    cJSON_AddNumberToObject(summary, "unstable_dependencies", (double)dependencies);
    cJSON_AddNumberToObject(summary, "failed", (double)determinism->failed_count);
    cJSON_AddNumberToObject(summary, "rounds", (double)determinism->rounds + 1);
    cJSON_AddNumberToObject(summary, "seconds", determinism->seconds);
    return summary;
}

static void add_perturbations(cJSON *document, const struct determinism *determinism)
{
    cJSON *list = cJSON_AddArrayToObject(document, "perturbations");
    for (unsigned i = 0; i < DETERMINISM_VARY_COUNT; i++) {
        const char *reason = determinism->machine.reasons[i];
        cJSON *item = cJSON_CreateObject();
        cJSON_AddStringToObject(item, "name", determinism_vary_text((enum determinism_vary)i));
        cJSON_AddNumberToObject(item, "tried", determinism->tried[i]);
        if (reason)
            cJSON_AddStringToObject(item, "not_tried", reason);
        cJSON_AddItemToArray(list, item);
    }
}

static cJSON *make_document(const struct determinism *determinism, const struct cook_cli *cli,
                            const struct cook_recording *record, struct diff_symbols *symbols)
{
    struct diff_print_options print = { diff_symbol_frames, symbols, 0 };
    cJSON *document = cJSON_CreateObject();
    cJSON_AddStringToObject(document, "schema", "cookproof/determinism/1");
    cJSON_AddStringToObject(document, "project", determinism->run->project.name);
    cJSON_AddStringToObject(document, "target", determinism->run->project.target);
    cook_recording_stamp(record, document);
    cJSON_AddItemToObject(document, "summary", summary_json(determinism));
    cook_cli_add_statuses(cli, document);
    add_perturbations(document, determinism);
    cJSON *findings = cJSON_AddArrayToObject(document, "findings");
    for (size_t i = 0; i < determinism->finding_count; i++) {
        determinism_symbols(symbols, determinism, determinism->findings[i]);
        cJSON_AddItemToArray(findings,
                             finding_json(determinism, cli, determinism->findings[i], &print));
    }
    return document;
}

/* Known, when a check before found it: of the package's property, whatever the perturbation. */
static enum cook_status add_states(cJSON *document, struct cook_history *history,
                                   struct cook_error *error)
{
    enum cook_status status = COOK_OK;
    cJSON *finding;
    cJSON_ArrayForEach(finding, cJSON_GetObjectItemCaseSensitive(document, "findings"))
    {
        int64_t first_ns = 0;
        int64_t run;
        const cJSON *id = cJSON_GetObjectItemCaseSensitive(finding, "id");
        if (status == COOK_OK && cJSON_IsString(id))
            status = cook_history_first_seen(history, id->valuestring, &first_ns, &run, error);
        cJSON_AddStringToObject(finding, "state", first_ns ? "known" : "new");
    }
    return status;
}

enum cook_status determinism_record(const struct determinism *determinism,
                                    const struct cook_cli *cli, struct cook_error *error)
{
    const char *folders[] = { determinism->run->plugin_folder };
    struct cook_symbolizer_options options = { .folders = folders, .folder_count = 1 };
    struct diff_symbols symbols = { 0 };
    struct cook_recording record = { .cli = cli,
                                  .project = &determinism->run->project,
                                  .started_ns = determinism->run->started_ns,
                                  .seconds = determinism->seconds };
    cook_recording_begin(&record, determinism->run->pool,
                      cook_recording_patience_ms(determinism->seconds));
    enum cook_status status =
        cook_history_open(&record.history, determinism->run->project.fd, error);
    if (status == COOK_OK)
        status = cook_symbolizer_create(&symbols.symbolizer, &options, error);
    if (status == COOK_OK) {
        cJSON *document = make_document(determinism, cli, &record, &symbols);
        status = add_states(document, record.history, error);
        if (status == COOK_OK)
            status = cook_recording_end(&record, document, error);
        if (status == COOK_OK)
            status = cook_cli_write_json(cli, document, error);
        cJSON_Delete(document);
    }
    cook_symbolizer_destroy(symbols.symbolizer);
    cook_history_close(record.history);
    return status;
}
