#include "cook/cli/lint.h"

#include <string.h>
#include <time.h>

#include <cjson/cJSON.h>

#include "cook/store/history_inputs.h"

enum cook_status cook_cli_lint(struct cook_lint *lint, struct cook_run *run,
                               struct cook_error *error)
{
    char today[16] = "";
    time_t seconds = (time_t)(run->started_ns / 1000000000);
    struct tm utc;
    if (gmtime_r(&seconds, &utc))
        (void)strftime(today, sizeof(today), "%Y-%m-%d", &utc);
    struct cook_lint_options options = { .plugin_folder = run->plugin_folder,
                                         .project_fd = run->project.fd,
                                         .today = today };
    *lint = (struct cook_lint){ .arena = COOK_ARENA_INIT };
    return cook_lint_make(lint, cook_pool_traced(run->pool), &options, error);
}

/* ---- text ---- */

static void print_packages(FILE *out, const struct cook_lint_input *input)
{
    size_t count = input->package_count;
    bool at_load = count && !*input->packages[0];
    count -= at_load;
    if (count == 1)
        fprintf(out, " for %s", input->packages[at_load]);
    else if (count)
        fprintf(out, " for %zu packages", count);
    if (at_load)
        fprintf(out, "%s outside of packages, such as while plugins were loaded",
                count ? " and" : "");
}

static const char *verb_of(enum cook_input_kind kind)
{
    switch ((int)kind) {
    case COOK_INPUT_DIRECTORY:
        return "listed";
    case COOK_INPUT_STAT:
        return "looked at";
    case COOK_INPUT_PROCESS:
        return "started";
    default:
        return "read";
    }
}

static void print_input(FILE *out, const struct cook_lint_input *input)
{
    fprintf(out, "undeclared %s %s", cook_input_kind_text(input->kind), input->key);
    if (*input->function)
        fprintf(out, ", %s by %s", verb_of(input->kind), input->function);
    if (*input->file)
        fprintf(out, " (%s:%u)", input->file, input->line);
    if (*input->program)
        fprintf(out, " through %s", input->program);
    print_packages(out, input);
    fprintf(out, "; %s\n", cook_lint_advice(input->kind));
}

static void print_exceptions(const struct cook_cli *cli, const struct cook_lint *lint, bool whole)
{
    for (size_t i = 0; i < lint->exceptions.count; i++) {
        const struct cook_trace_exception *exception = &lint->exceptions.items[i];
        if (exception->expired)
            fprintf(cli->out,
                    "exception [%s] expired on %s (owner %s: %s); it no longer counts: remove it "
                    "from " COOK_TRACE_EXCEPTIONS_FILE ", or set a new date\n",
                    exception->pattern, exception->expires, exception->owner, exception->reason);
        else if (whole && !exception->matches)
            fprintf(cli->out,
                    "exception [%s] matches nothing any more (owner %s); remove it from "
                    COOK_TRACE_EXCEPTIONS_FILE "\n",
                    exception->pattern, exception->owner);
    }
}

void cook_cli_print_partial(const struct cook_cli *cli, const struct cook_run *run)
{
    const struct cook_traced *traced = cook_pool_traced(run->pool);
    char text[128];
    if (!traced)
        return;
    if (cook_traced_partial(traced))
        cook_cli_message(cli, "warning", "tracing is partial", cook_traced_partial(traced));
    if (cook_traced_dropped(traced)) {
        (void)snprintf(text, sizeof(text), "%llu sightings beyond the limits were dropped",
                       (unsigned long long)cook_traced_dropped(traced));
        cook_cli_message(cli, "warning", "tracing is partial", text);
    }
}

void cook_cli_print_lint(const struct cook_cli *cli, const struct cook_lint *lint,
                         const struct cook_run *run, bool whole)
{
    cook_cli_print_partial(cli, run);
    for (size_t i = 0; i < lint->count; i++)
        if (!lint->inputs[i].exception)
            print_input(cli->out, &lint->inputs[i]);
    print_exceptions(cli, lint, whole);
    if (!cli->quiet || lint->finding_count)
        fprintf(cli->out, "undeclared inputs %zu, excepted %zu\n", lint->finding_count,
                lint->count - lint->finding_count);
}

/* ---- history ---- */

enum cook_status cook_cli_record_lint(const struct cook_lint *lint, const struct cook_run *run,
                                      struct cook_history *history, int64_t run_id,
                                      struct cook_error *error)
{
    size_t count = 0;
    for (size_t i = 0; i < lint->count; i++)
        count += lint->inputs[i].package_count;
    if (!count || !run_id)
        return COOK_OK;
    struct cook_history_input *rows = cook_calloc(count, sizeof(*rows));
    if (!rows)
        return cook_error_set(error, COOK_E_NO_MEMORY, "out of memory");
    size_t used = 0;
    for (size_t i = 0; i < lint->count; i++) {
        const struct cook_lint_input *input = &lint->inputs[i];
        for (size_t k = 0; k < input->package_count; k++)
            rows[used++] = (struct cook_history_input){ .package = input->packages[k],
                                                        .kind = cook_input_kind_text(input->kind),
                                                        .key = input->key,
                                                        .value = input->value,
                                                        .text = input->text,
                                                        .function = input->function,
                                                        .file = input->file,
                                                        .line = input->line };
    }
    enum cook_status status = cook_history_add_inputs(history, run_id, run->project.target, rows,
                                                      used, error);
    cook_free(rows);
    return status;
}

/* ---- document ---- */

static cJSON *frame_json(const struct cook_symbol_frame *frame)
{
    cJSON *json = cJSON_CreateObject();
    if (frame->function)
        cJSON_AddStringToObject(json, "function", frame->function);
    else
        cJSON_AddNullToObject(json, "function");
    if (frame->file)
        cJSON_AddStringToObject(json, "file", frame->file);
    else
        cJSON_AddNullToObject(json, "file");
    cJSON_AddNumberToObject(json, "line", frame->line);
    cJSON_AddStringToObject(json, "module", frame->module);
    cJSON_AddStringToObject(json, "build_id", frame->build_id);
    cJSON_AddNumberToObject(json, "offset", (double)frame->offset);
    cJSON_AddBoolToObject(json, "inlined", frame->inlined);
    return json;
}

static cJSON *exception_json(const struct cook_trace_exception *exception)
{
    cJSON *json = cJSON_CreateObject();
    cJSON_AddStringToObject(json, "pattern", exception->pattern);
    cJSON_AddStringToObject(json, "kind",
                            exception->kind ? cook_input_kind_text(exception->kind) : "");
    cJSON_AddStringToObject(json, "reason", exception->reason);
    cJSON_AddStringToObject(json, "owner", exception->owner);
    cJSON_AddStringToObject(json, "expires", exception->expires);
    return json;
}

static cJSON *input_json(const struct cook_lint_input *input)
{
    cJSON *json = cJSON_CreateObject();
    cJSON_AddStringToObject(json, "kind", cook_input_kind_text(input->kind));
    cJSON_AddStringToObject(json, "key", input->key);
    cJSON_AddStringToObject(json, "value", input->text);
    cJSON_AddBoolToObject(json, "absent", input->absent);
    cJSON_AddBoolToObject(json, "hidden", input->hidden);
    cJSON_AddStringToObject(json, "program", input->program);
    cJSON_AddStringToObject(json, "function", input->function);
    cJSON_AddStringToObject(json, "file", input->file);
    cJSON_AddNumberToObject(json, "line", input->line);
    cJSON *stack = cJSON_AddArrayToObject(json, "stack");
    for (size_t i = 0; i < input->frame_count; i++)
        cJSON_AddItemToArray(stack, frame_json(&input->frames[i]));
    bool at_load = input->package_count && !*input->packages[0];
    cJSON_AddBoolToObject(json, "outside_packages", at_load);
    cJSON *packages = cJSON_AddArrayToObject(json, "packages");
    for (size_t i = at_load; i < input->package_count; i++)
        cJSON_AddItemToArray(packages, cJSON_CreateString(input->packages[i]));
    cJSON_AddItemToObject(json, "exception",
                          input->exception ? exception_json(input->exception)
                                           : cJSON_CreateNull());
    cJSON_AddStringToObject(json, "fix", cook_lint_advice(input->kind));
    return json;
}

static cJSON *tracing_json(const struct cook_traced *traced)
{
    cJSON *json = cJSON_CreateObject();
    const char *partial = cook_traced_partial(traced);
    cJSON_AddBoolToObject(json, "complete", !partial && !cook_traced_dropped(traced));
    if (partial)
        cJSON_AddStringToObject(json, "partial", partial);
    else
        cJSON_AddNullToObject(json, "partial");
    cJSON_AddNumberToObject(json, "dropped", (double)cook_traced_dropped(traced));
    return json;
}

void cook_cli_add_lint(cJSON *document, const struct cook_lint *lint, const struct cook_run *run,
                       bool whole)
{
    cJSON_AddItemToObject(document, "tracing", tracing_json(cook_pool_traced(run->pool)));
    cJSON *inputs = cJSON_AddArrayToObject(document, "inputs");
    for (size_t i = 0; i < lint->count; i++)
        cJSON_AddItemToArray(inputs, input_json(&lint->inputs[i]));
    cJSON *exceptions = cJSON_AddArrayToObject(document, "input_exceptions");
    for (size_t i = 0; i < lint->exceptions.count; i++) {
        const struct cook_trace_exception *exception = &lint->exceptions.items[i];
        cJSON *json = exception_json(exception);
        bool unused = whole && !exception->matches;
        cJSON_AddStringToObject(json, "state", exception->expired ? "expired"
                                               : unused           ? "unused"
                                                                  : "used");
        cJSON_AddNumberToObject(json, "matches", (double)exception->matches);
        cJSON_AddItemToArray(exceptions, json);
    }
}
