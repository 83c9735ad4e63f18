/* cook resave: write into assets what an editor would have recorded when it saved them. */
#include <stdlib.h>
#include <string.h>

#include <cjson/cJSON.h>

#include "cook/base/fs.h"
#include "cook/base/path.h"
#include "cook/cli/cli.h"
#include "cook/plan/dispatch.h"
#include "cook/reader/asset_edit.h"
#include "cook/worker/session.h"

#define MAX_ASSET_BYTES (UINT64_C(64) << 20)

enum outcome { OUTCOME_NONE, OUTCOME_CHANGED, OUTCOME_UNCHANGED, OUTCOME_FAILED };
static const char *const outcome_texts[] = { "", "resaved", "unchanged", "failed" };

struct verb {
    struct cook_cli cli;
    struct cook_run run;
    struct cook_arena arena;
    int all, check;
    uint8_t *wanted;       /* by package */
    enum outcome *outcomes; /* by package */
    const char **messages;  /* by package: lines, or NULL */
    size_t counts[4];
};

static const char *name_of(const struct verb *verb, uint32_t package)
{
    return cook_state_text(verb->run.state, verb->run.state->packages[package].name);
}

/* ---- one package ---- */

static void fail(struct verb *verb, uint32_t package, const char *reason)
{
    verb->outcomes[package] = OUTCOME_FAILED;
    const char *before = verb->messages[package];
    verb->messages[package] = before ? cook_arena_printf(&verb->arena, "%s%s\n", before, reason)
                                     : cook_arena_printf(&verb->arena, "%s\n", reason);
}

static enum cook_status rewrite(struct verb *verb, uint32_t package, const char *registry,
                                struct cook_error *error)
{
    struct cook_buf before = COOK_BUF_INIT, after = COOK_BUF_INIT;
    char *path = cook_state_file_path(verb->run.state, verb->run.state->packages[package].file,
                                      &verb->arena);
    int fd = verb->run.project.fd;
    if (!path)
        return cook_error_no_memory(error);
    enum cook_status status = cook_fs_read(&before, NULL, fd, path, MAX_ASSET_BYTES, error);
    if (status == COOK_OK)
        status = cook_asset_set_member(&after, (const char *)before.data, before.size, "registry",
                                       registry, error);
    bool same = status == COOK_OK && before.size == after.size &&
                memcmp(before.data, after.data, after.size) == 0;
    if (status == COOK_OK && !same && !verb->check)
        status = cook_fs_write(fd, path, after.data, after.size, true, error);
    if (status == COOK_OK)
        verb->outcomes[package] = same ? OUTCOME_UNCHANGED : OUTCOME_CHANGED;
    else if (status == COOK_E_MALFORMED) {
        fail(verb, package, cook_arena_printf(&verb->arena, "%s:%s", path, error->message));
        status = COOK_OK;
    }
    cook_buf_finish(&before);
    cook_buf_finish(&after);
    return status;
}

static void take_messages(struct verb *verb, uint32_t package, const struct cook_result *result)
{
    struct cook_messages messages = { 0 };
    struct cook_reader_buf in = cook_read_init(result->messages, result->messages_size);
    if (cook_messages_decode(&messages, &in) == COOK_OK)
        for (size_t i = 0; i < messages.count; i++)
            if (messages.items[i].severity == COOK_SEVERITY_ERROR)
                fail(verb, package, messages.items[i].text);
    cook_messages_finish(&messages);
    if (verb->outcomes[package] != OUTCOME_FAILED)
        fail(verb, package, "it could not be loaded");
}

static enum cook_status on_frame(void *user, unsigned worker, uint32_t package,
                                 enum cook_frame_type type, const struct cook_buf *payload,
                                 struct cook_error *error)
{
    struct verb *verb = user;
    struct cook_result result;
    struct cook_arena arena = COOK_ARENA_INIT;
    (void)worker;
    if (type != COOK_FRAME_RESULT)
        return COOK_OK;
    enum cook_status status =
        cook_dispatch_result(&result, &verb->run, package, payload, &arena, error);
    if (status == COOK_OK && !result.ok) {
        take_messages(verb, package, &result);
    } else if (status == COOK_OK) {
        char *registry = cook_arena_strndup(&arena, (const char *)result.bytes, result.size);
        status = registry ? rewrite(verb, package, registry, error) : cook_error_no_memory(error);
    }
    cook_arena_finish(&arena);
    return status;
}

static enum cook_status on_lost(void *user, uint32_t package, const char *reason,
                                struct cook_error *error)
{
    (void)error;
    fail(user, package, reason);
    return COOK_OK;
}

/* ---- which packages ---- */

static bool is_asset(const struct verb *verb, uint32_t package)
{
    const struct cook_state *state = verb->run.state;
    const struct cook_state_package *row = &state->packages[package];
    if (!(row->flags & COOK_PACKAGE_PRESENT) || row->file == COOK_ID_NONE)
        return false;
    const char *file = cook_state_text(state, state->files[row->file].name);
    return strcmp(cook_path_extension(file), ".asset") == 0;
}

static enum cook_status select_one(struct verb *verb, const char *text, struct cook_error *error)
{
    bool glob = strpbrk(text, "*?") != NULL;
    size_t found = 0, others = 0;
    for (uint32_t i = 0; i < verb->run.state->packages_count; i++) {
        if (!(verb->run.state->packages[i].flags & COOK_PACKAGE_PRESENT) ||
            !(glob ? cook_glob_match(text, name_of(verb, i)) : strcmp(text, name_of(verb, i)) == 0))
            continue;
        found += is_asset(verb, i);
        others += !is_asset(verb, i);
        verb->wanted[i] |= is_asset(verb, i);
    }
    if (found)
        return COOK_OK;
    return cook_error_set(error, COOK_E_USAGE,
                          others ? "%s is no .asset: only those hold what an editor records"
                                 : "no package is named %s", text);
}

static enum cook_status select_packages(struct verb *verb, struct cook_error *error)
{
    size_t count = (size_t)verb->run.state->packages_count + 1;
    verb->wanted = cook_arena_alloc(&verb->arena, count);
    verb->outcomes = cook_arena_alloc(&verb->arena, count * sizeof(*verb->outcomes));
    verb->messages = cook_arena_alloc(&verb->arena, count * sizeof(*verb->messages));
    if (!verb->wanted || !verb->outcomes || !verb->messages)
        return cook_error_no_memory(error);
    const char **arguments = verb->cli.arguments;
    bool any = arguments && arguments[0];
    if (any == (verb->all != 0))
        return cook_error_set(error, COOK_E_USAGE,
                              "cook resave takes packages (or globs), or --all");
    enum cook_status status = verb->all ? select_one(verb, "/*", error) : COOK_OK;
    for (size_t i = 0; any && status == COOK_OK && arguments[i]; i++)
        status = select_one(verb, arguments[i], error);
    return status;
}

/* ---- the verb ---- */

static enum cook_status dispatch(struct verb *verb, struct cook_error *error)
{
    const struct cook_dispatch_operations operations = { .type = COOK_FRAME_COOK,
                                                         .resave = true,
                                                         .on_frame = on_frame,
                                                         .on_lost = on_lost,
                                                         .user = verb };
    struct cook_dispatch *dispatch;
    enum cook_status status = cook_run_share_registry(&verb->run, error);
    if (status == COOK_OK)
        status = cook_dispatch_create(&dispatch, &verb->run, &operations, error);
    if (status != COOK_OK)
        return status;
    for (uint32_t i = 0; status == COOK_OK && i < verb->run.state->packages_count; i++)
        if (verb->wanted[i])
            status = cook_dispatch_add(dispatch, i, error);
    if (status == COOK_OK)
        status = cook_dispatch_run(dispatch, error);
    cook_dispatch_destroy(dispatch);
    return status;
}

static void print_lines(struct verb *verb, uint32_t package)
{
    const char *text = verb->messages[package];
    while (text && *text) {
        size_t length = strcspn(text, "\n");
        char *line = cook_arena_strndup(&verb->arena, text, length);
        cook_cli_message(&verb->cli, "error", name_of(verb, package), line ? line : "");
        text += length + (text[length] == '\n');
    }
}

static enum cook_status report(struct verb *verb, struct cook_error *error)
{
    struct cook_state *state = verb->run.state;
    cJSON *document = cJSON_CreateObject();
    cJSON_AddStringToObject(document, "schema", "cookproof/resave/1");
    cJSON *packages = cJSON_CreateArray();
    for (uint32_t k = 0; k < state->order_packages; k++) {
        uint32_t i = state->package_order[k];
        enum outcome outcome = verb->wanted[i] ? verb->outcomes[i] : OUTCOME_NONE;
        if (outcome == OUTCOME_NONE)
            continue;
        verb->counts[outcome]++;
        print_lines(verb, i);
        if (outcome == OUTCOME_CHANGED && !verb->cli.quiet)
            fprintf(verb->cli.out, "%s %s\n", verb->check ? "would resave" : "resaved",
                    name_of(verb, i));
        cJSON *package = cJSON_CreateObject();
        cJSON_AddStringToObject(package, "name", name_of(verb, i));
        cJSON_AddStringToObject(package, "result", outcome_texts[outcome]);
        cJSON_AddItemToArray(packages, package);
    }
    cJSON *summary = cJSON_AddObjectToObject(document, "summary");
    for (int i = OUTCOME_CHANGED; i <= OUTCOME_FAILED; i++)
        cJSON_AddNumberToObject(summary, outcome_texts[i], (double)verb->counts[i]);
    verb->cli.statuses[COOK_EXIT_FINDINGS] = verb->check && verb->counts[OUTCOME_CHANGED];
    verb->cli.statuses[COOK_EXIT_FAILED_PACKAGES] = verb->counts[OUTCOME_FAILED] != 0;
    cook_cli_add_statuses(&verb->cli, document);
    cJSON_AddItemToObject(document, "packages", packages);
    fprintf(verb->cli.out, "%s %zu, unchanged %zu, failed %zu\n",
            verb->check ? "would resave" : "resaved", verb->counts[OUTCOME_CHANGED],
            verb->counts[OUTCOME_UNCHANGED], verb->counts[OUTCOME_FAILED]);
    enum cook_status status = cook_cli_write_json(&verb->cli, document, error);
    cJSON_Delete(document);
    return status;
}

static enum cook_status run(struct verb *verb, struct cook_error *error)
{
    verb->cli.run.mode = COOK_STORE_READ_OR_EMPTY;
    enum cook_status status = cook_run_open(&verb->run, &verb->cli.run, error);
    if (status == COOK_OK)
        status = cook_run_refresh(&verb->run, error);
    if (status == COOK_OK)
        status = cook_state_sort(verb->run.state, error);
    if (status == COOK_OK)
        status = select_packages(verb, error);
    if (status == COOK_OK)
        status = dispatch(verb, error);
    return status == COOK_OK ? report(verb, error) : status;
}

int cook_verb_resave(int argc, const char **argv)
{
    struct verb verb = { 0 };
    struct cook_error error = COOK_ERROR_INIT;
    struct poptOption own[] = {
        { "all", 0, POPT_ARG_NONE, &verb.all, 0, "all assets of the project", NULL },
        { "check", 0, POPT_ARG_NONE, &verb.check, 0,
          "write nothing; exit status 1 when an asset is not as an editor would save it", NULL },
        POPT_TABLEEND
    };
    int exit_status = cook_cli_begin(&verb.cli, "resave", "PACKAGE...|--all",
                                     COOK_CLI_PROJECT | COOK_CLI_COOKING, own, argc, argv);
    if (exit_status < 0)
        exit_status = cook_cli_finish(&verb.cli, run(&verb, &error), &error);
    cook_run_close(&verb.run);
    cook_arena_finish(&verb.arena);
    cook_cli_end(&verb.cli);
    return exit_status;
}
