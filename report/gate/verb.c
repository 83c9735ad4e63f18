#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "cook/base/fs.h"
#include "report/gate/gate.h"

#define MAX_POLICY_BYTES (UINT64_C(4) << 20)

struct verb {
    struct cook_cli cli;
    struct cook_project project;
    struct gate_policy policy;
    struct gate_facts facts;
    struct gate_result results[GATE_RULE_COUNT];
    struct gate_build build;
    struct cook_arena arena;
    int64_t now;
    size_t errors, warnings;
    char *policy_path, *staged, *validation_path, *at, *reason, *owner, *expires;
};

static const char *const outcomes[] = { "passed", "failed", "waived", "missing", "off" };
static const char *const severities[] = { "off", "warning", "error" };

static bool is_bad(const struct gate_result *result)
{
    return result->outcome == GATE_FAILED || result->outcome == GATE_MISSING;
}

/* ---- text ---- */

static void print_result(const struct verb *verb, const struct gate_result *result)
{
    FILE *out = verb->cli.out;
    const struct gate_rule *rule = &gate_rules[result->rule];
    if (result->outcome == GATE_SKIPPED || (verb->cli.quiet && !is_bad(result)))
        return;
    fprintf(out, "%-8s %-20s %s", outcomes[result->outcome], rule->key, result->measured);
    if (result->waived)
        fprintf(out, " (%zu waived)", result->waived);
    if (result->outcome != GATE_MISSING)
        fprintf(out, ", limit %s", result->limit);
    if (is_bad(result))
        fprintf(out, "%s\n         %s; see: %s",
                result->severity == GATE_WARNING ? " (a warning)" : "", rule->says, result->more);
    fputc('\n', out);
}

static void print_waivers(struct verb *verb)
{
    for (size_t i = 0; i < verb->policy.waiver_count; i++) {
        const struct gate_waiver *waiver = &verb->policy.waivers[i];
        if (waiver->expired)
            fprintf(verb->cli.out, "expired  waiver '%s' of %s ended on %s: %s\n", waiver->name,
                    waiver->owner, waiver->expires, waiver->reason);
        else if (!waiver->used)
            fprintf(verb->cli.out, "unused   waiver '%s' of %s matches no finding; remove it\n",
                    waiver->name, waiver->owner);
    }
}

static void print_build(const struct verb *verb)
{
    FILE *out = verb->cli.out;
    const struct gate_build *build = &verb->build;
    if (!build->cook)
        fprintf(out, "failed   build                no kept cook made the %zu files of %s: %s\n",
                build->files, verb->staged, build->difference ? build->difference : "none is kept");
    else if (!build->validation_run)
        fprintf(out, "failed   build                cook %u (%s) made exactly these %zu files, but no "
                     "validation covered it\n", build->cook, build->kind, build->files);
    else
        fprintf(out, "passed   build                cook %u (%s) made exactly these %zu files; "
                     "validation %lld covered it\n", build->cook, build->kind, build->files,
                (long long)build->validation_run);
}

/* ---- document ---- */

static cJSON *result_json(const struct gate_result *result)
{
    const struct gate_rule *rule = &gate_rules[result->rule];
    cJSON *json = cJSON_CreateObject();
    cJSON_AddStringToObject(json, "rule", rule->key);
    cJSON_AddStringToObject(json, "says", rule->says);
    cJSON_AddStringToObject(json, "severity", severities[result->severity]);
    cJSON_AddStringToObject(json, "outcome", outcomes[result->outcome]);
    cJSON_AddStringToObject(json, "measured", result->measured);
    cJSON_AddStringToObject(json, "limit", result->limit);
    cJSON_AddNumberToObject(json, "waived", (double)result->waived);
    cJSON_AddStringToObject(json, "more", result->more);
    return json;
}

static cJSON *waiver_json(const struct gate_waiver *waiver)
{
    cJSON *json = cJSON_CreateObject();
    cJSON_AddStringToObject(json, "name", waiver->name);
    cJSON_AddStringToObject(json, "reason", waiver->reason);
    cJSON_AddStringToObject(json, "owner", waiver->owner);
    cJSON_AddStringToObject(json, "expires", waiver->expires);
    cJSON_AddStringToObject(json, "state", waiver->expired ? "expired"
                                           : waiver->used  ? "used"
                                                           : "unused");
    return json;
}

static enum cook_status write_document(struct verb *verb, struct cook_error *error)
{
    if (!verb->cli.json_path)
        return COOK_OK;
    cJSON *document = cJSON_CreateObject();
    cJSON_AddStringToObject(document, "schema", "cookproof/gate/1");
    cJSON_AddStringToObject(document, "project", verb->project.name);
    cJSON_AddStringToObject(document, "target", verb->project.target);
    cJSON *summary = cJSON_AddObjectToObject(document, "summary");
    cJSON_AddBoolToObject(summary, "passed", verb->errors == 0);
    cJSON_AddNumberToObject(summary, "errors", (double)verb->errors);
    cJSON_AddNumberToObject(summary, "warnings", (double)verb->warnings);
    cook_cli_add_statuses(&verb->cli, document);
    cJSON *rules = cJSON_AddArrayToObject(document, "rules");
    for (size_t i = 0; i < GATE_RULE_COUNT; i++)
        cJSON_AddItemToArray(rules, result_json(&verb->results[i]));
    cJSON *waivers = cJSON_AddArrayToObject(document, "waivers");
    for (size_t i = 0; i < verb->policy.waiver_count; i++)
        cJSON_AddItemToArray(waivers, waiver_json(&verb->policy.waivers[i]));
    if (verb->staged) {
        cJSON *build = cJSON_AddObjectToObject(document, "build");
        cJSON_AddNumberToObject(build, "cook", verb->build.cook);
        cJSON_AddNumberToObject(build, "files", (double)verb->build.files);
        cJSON_AddNumberToObject(build, "validation", (double)verb->build.validation_run);
        cJSON_AddStringToObject(build, "difference",
                                verb->build.difference && !verb->build.cook ? verb->build.difference
                                                                            : "");
    }
    enum cook_status status = cook_cli_write_json(&verb->cli, document, error);
    cJSON_Delete(document);
    return status;
}

/* ---- the verb ---- */

static void count(struct verb *verb)
{
    for (size_t i = 0; i < GATE_RULE_COUNT; i++)
        if (is_bad(&verb->results[i]))
            *(verb->results[i].severity == GATE_ERROR ? &verb->errors : &verb->warnings) += 1;
    if (verb->staged && (!verb->build.cook || !verb->build.validation_run))
        verb->errors++;
    for (size_t i = 0; i < verb->policy.waiver_count; i++)
        verb->warnings += verb->policy.waivers[i].expired || !verb->policy.waivers[i].used;
}

static enum cook_status judge(struct verb *verb, struct cook_error *error)
{
    FILE *out = verb->cli.out;
    enum cook_status status = gate_policy_load(&verb->policy, verb->policy_path, verb->now, error);
    if (status == COOK_OK)
        status = cook_project_open(&verb->project, &verb->cli.run.project, error);
    if (status == COOK_OK)
        status = gate_facts_load(&verb->facts, &verb->project, error);
    if (status == COOK_OK && verb->validation_path)
        status = gate_facts_replace(&verb->facts, verb->validation_path, error);
    if (status == COOK_OK && verb->staged)
        status = gate_build_find(&verb->build, &verb->project, verb->staged, &verb->arena, error);
    if (status != COOK_OK)
        return status;
    gate_measure(verb->results, &verb->policy, &verb->facts, verb->now);
    count(verb);
    verb->cli.statuses[COOK_EXIT_FINDINGS] = verb->errors > 0;
    if (!verb->cli.quiet)
        fprintf(out, "Gate: %s for %s by %s\n", verb->project.name, verb->project.target,
                verb->policy_path);
    for (size_t i = 0; i < GATE_RULE_COUNT; i++)
        print_result(verb, &verb->results[i]);
    if (verb->staged)
        print_build(verb);
    print_waivers(verb);
    fprintf(out, "gate %s: %zu error%s, %zu warning%s\n", verb->errors ? "failed" : "passed",
            verb->errors, verb->errors == 1 ? "" : "s", verb->warnings,
            verb->warnings == 1 ? "" : "s");
    return write_document(verb, error);
}

static enum cook_status init_policy(struct verb *verb, struct cook_error *error)
{
    struct cook_file_stat stat;
    struct cook_buf text = COOK_BUF_INIT;
    enum cook_status status = cook_fs_stat(&stat, AT_FDCWD, verb->policy_path, error);
    if (status != COOK_OK)
        return status;
    if (stat.kind != COOK_FILE_ABSENT)
        return cook_error_set(error, COOK_E_USAGE, "'%s' is there already", verb->policy_path);
    gate_policy_write(&text);
    status = text.failed ? cook_error_no_memory(error)
                         : cook_fs_write(AT_FDCWD, verb->policy_path, text.data, text.size, false,
                                         error);
    cook_buf_finish(&text);
    if (status == COOK_OK)
        fprintf(verb->cli.out, "wrote %s\nnext: cook gate --policy %s\n", verb->policy_path,
                verb->policy_path);
    return status;
}

static enum cook_status waive(struct verb *verb, const char *id, struct cook_error *error)
{
    struct cook_buf text = COOK_BUF_INIT;
    if (!id || !verb->reason || !verb->owner || !verb->expires)
        return cook_error_set(error, COOK_E_USAGE,
                              "cook gate waive ID --policy FILE --reason TEXT --owner NAME --expires DAY");
    struct gate_waiver waiver = { .name = id, .reason = verb->reason, .owner = verb->owner,
                                  .expires = verb->expires };
    enum cook_status status = gate_policy_load(&verb->policy, verb->policy_path, verb->now, error);
    if (status == COOK_OK)
        status = cook_fs_read(&text, NULL, AT_FDCWD, verb->policy_path, MAX_POLICY_BYTES, error);
    if (status == COOK_OK)
        status = gate_policy_waive(&text, &waiver, &verb->policy, error);
    if (status == COOK_OK)
        status = cook_fs_write(AT_FDCWD, verb->policy_path, text.data, text.size, false, error);
    cook_buf_finish(&text);
    if (status == COOK_OK)
        fprintf(verb->cli.out, "waived %s until %s in %s\n", id, verb->expires, verb->policy_path);
    return status == COOK_E_EXISTS ? COOK_E_USAGE : status;
}

static enum cook_status run(struct verb *verb, struct cook_error *error)
{
    static const char *const none[] = { NULL };
    const char *const *arguments = verb->cli.arguments ? verb->cli.arguments : none;
    if (!verb->policy_path)
        return cook_error_set(error, COOK_E_USAGE,
                              "name a policy: --policy FILE; cook gate init --policy FILE writes one");
    verb->now = verb->at ? gate_read_time(verb->at) : (int64_t)time(NULL);
    if (verb->now < 0)
        return cook_error_set(error, COOK_E_USAGE,
                              "--at takes 2026-12-31 or 2026-12-31T08:00:00Z, not '%s'", verb->at);
    if (!arguments[0])
        return judge(verb, error);
    if (strcmp(arguments[0], "init") == 0 && !arguments[1])
        return init_policy(verb, error);
    if (strcmp(arguments[0], "waive") == 0 && (!arguments[1] || !arguments[2]))
        return waive(verb, arguments[1], error);
    return cook_error_set(error, COOK_E_USAGE, "cook gate takes init or waive ID, not '%s'",
                          arguments[0]);
}

int gate_verb(int argc, const char **argv)
{
    struct verb verb = { .project = { .fd = -1 } };
    struct cook_error error = COOK_ERROR_INIT;
    struct poptOption own[] = {
        { "policy", 0, POPT_ARG_STRING, &verb.policy_path, 0, "the rules", "FILE" },
        { "build", 0, POPT_ARG_STRING, &verb.staged, 0,
          "find out which cook made exactly these staged files", "DIR" },
        { "validation", 0, POPT_ARG_STRING, &verb.validation_path, 0,
          "judge by this document of a validation, not by the newest in the history", "FILE" },
        { "at", 0, POPT_ARG_STRING, &verb.at, 0, "judge ages and expiries as of this time", "TIME" },
        { "reason", 0, POPT_ARG_STRING, &verb.reason, 0, "of a waiver", "TEXT" },
        { "owner", 0, POPT_ARG_STRING, &verb.owner, 0, "of a waiver", "NAME" },
        { "expires", 0, POPT_ARG_STRING, &verb.expires, 0, "last day of a waiver", "YYYY-MM-DD" },
        POPT_TABLEEND
    };
    int exit_status =
        cook_cli_begin(&verb.cli, "gate", "[init|waive ID]", COOK_CLI_PROJECT, own, argc, argv);
    if (exit_status < 0)
        exit_status = cook_cli_finish(&verb.cli, run(&verb, &error), &error);
    gate_facts_finish(&verb.facts);
    gate_policy_finish(&verb.policy);
    cook_project_finish(&verb.project);
    cook_arena_finish(&verb.arena);
    char *const texts[] = { verb.policy_path, verb.staged, verb.validation_path, verb.at, verb.reason, verb.owner,
                            verb.expires };
    for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++)
        free(texts[i]);
    cook_cli_end(&verb.cli);
    return exit_status;
}
