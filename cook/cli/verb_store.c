/* cook store: what a store holds. Read-only but for `forget`, and `verify` that finds damage. */
#include <string.h>
#include <time.h>

#include <cjson/cJSON.h>

#include "cook/archive/cooked.h"
#include "cook/base/fs.h"
#include "cook/cli/cli.h"
#include "cook/store/details.h"
#include "cook/store/gc.h"
#include "cook/store/outputs.h"
#include "cook/plan/cook.h"

struct store_verb {
    struct cook_cli cli;
    struct cook_project project;
    struct cook_store *store;
    struct cook_arena arena;
    int exit_status;
    int dry_run;
    double days; /* of gc; negative: as configured */
};

static const char *op_text(enum cook_op op)
{
    switch (op) {
    case COOK_OP_COOKED:
        return "cooked";
    case COOK_OP_FAILED:
        return "failed";
    case COOK_OP_FORGOTTEN:
        return "forgotten";
    case COOK_OP_HEALED:
        return "healed";
    case COOK_OP_COLLECTED:
        return "collected";
    case COOK_OP_UNKNOWN:
        break;
    }
    return "unknown";
}

static enum cook_status show_stats(struct store_verb *verb, const char *const *arguments,
                                   struct cook_error *error)
{
    (void)arguments;
    struct cook_store_stats stats;
    enum cook_status status = cook_store_stats(verb->store, &stats, error);
    if (status != COOK_OK)
        return status;
    const struct {
        const char *name;
        uint64_t value;
    } rows[] = {
        { "packages", stats.packages },         { "results", stats.results },
        { "files", stats.files },               { "folders", stats.folders },
        { "dependencies", stats.deps },         { "dependency_sets", stats.sets },
        { "bundles", stats.bundles },           { "cooks", stats.cooks },
        { "operations", stats.ops },            { "blobs", stats.blobs },
        { "blob_bytes", stats.blob_bytes },     { "segments", stats.segments },
        { "segment_bytes", stats.segment_bytes }, { "database_bytes", stats.db_bytes },
        { "index_bytes", stats.index_bytes },
    };
    cJSON *document = cJSON_CreateObject();
    cJSON_AddStringToObject(document, "schema", "cookproof/store-stats/1");
    cJSON *summary = cJSON_AddObjectToObject(document, "summary");
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        cJSON_AddNumberToObject(summary, rows[i].name, (double)rows[i].value);
        fprintf(verb->cli.out, "%-18s %14llu\n", rows[i].name, (unsigned long long)rows[i].value);
    }
    status = cook_cli_write_json(&verb->cli, document, error);
    cJSON_Delete(document);
    return status;
}

static enum cook_status show_log(struct store_verb *verb, const char *const *arguments,
                                 struct cook_error *error)
{
    (void)arguments;
    struct cook_store_op *ops;
    size_t count;
    enum cook_status status = cook_store_log(verb->store, &ops, &count, 100, &verb->arena, error);
    for (size_t i = 0; status == COOK_OK && i < count; i++)
        fprintf(verb->cli.out, "%8u  cook %-4u %-10s %s\n", ops[i].sequence, ops[i].cook,
                op_text(ops[i].op), ops[i].package);
    return status;
}

/* The newest finished cook's manifest. */
static enum cook_status latest_manifest(struct store_verb *verb,
                                        struct cook_manifest_entry **entries, size_t *count,
                                        struct cook_hash *outputs, struct cook_error *error)
{
    struct cook_store_cook *cooks;
    size_t cook_count;
    enum cook_status status =
        cook_store_cooks(verb->store, &cooks, &cook_count, 50, &verb->arena, error);
    for (size_t i = 0; status == COOK_OK && i < cook_count; i++)
        if (!cook_hash_is_zero(cooks[i].manifest)) {
            *outputs = cooks[i].outputs;
            return cook_store_manifest(verb->store, entries, count, cooks[i].id, &verb->arena,
                                       error);
        }
    return status == COOK_OK ? cook_error_set(error, COOK_E_NOT_FOUND,
                                              "no finished cook is kept; run: cook full")
                             : status;
}

static void list_line(const struct store_verb *verb, struct cook_hash hash, uint64_t size_bytes,
                      const char *folder, const char *between, const char *name)
{
    char text[COOK_HASH_TEXT_SIZE];
    cook_hash_to_text(hash, text);
    fprintf(verb->cli.out, "%s %10llu %s%s%s\n", text, (unsigned long long)size_bytes, folder,
            between, name);
}

/* Additional files lie beside their package when it is staged. */
static enum cook_status list_files(struct store_verb *verb, const char *package,
                                   struct cook_error *error)
{
    struct cook_state *state = cook_store_state(verb->store);
    struct cook_details details;
    uint32_t id = cook_state_find_package(state, package);
    enum cook_status status = id == COOK_ID_NONE
                                  ? COOK_E_NOT_FOUND
                                  : cook_details_of(&details, state, id, &verb->arena);
    if (status != COOK_OK)
        return cook_error_set(error, COOK_E_DAMAGED, "the details of %s are damaged", package);
    for (size_t i = 0; i < details.file_count; i++)
        list_line(verb, details.files[i].hash, details.files[i].size_bytes, package, ".files/",
                  details.files[i].name);
    return COOK_OK;
}

static enum cook_status list_artifacts(struct store_verb *verb, struct cook_hash hash,
                                       struct cook_error *error)
{
    struct cook_outputs outputs;
    enum cook_status status =
        cook_store_outputs(verb->store, &outputs, hash, &verb->arena, error);
    for (size_t i = 0; status == COOK_OK && i < outputs.artifact_count; i++)
        for (size_t k = 0; k < outputs.artifacts[i].file_count; k++)
            list_line(verb, outputs.artifacts[i].files[k].hash,
                      outputs.artifacts[i].files[k].size_bytes, "Artifacts", "/",
                      outputs.artifacts[i].files[k].name);
    return status;
}

static enum cook_status list(struct store_verb *verb, const char *const *arguments,
                             struct cook_error *error)
{
    (void)arguments;
    struct cook_manifest_entry *entries;
    size_t count;
    struct cook_hash outputs;
    enum cook_status status = latest_manifest(verb, &entries, &count, &outputs, error);
    for (size_t i = 0; status == COOK_OK && i < count; i++) {
        list_line(verb, entries[i].bytes, entries[i].size_bytes, entries[i].package, "", "");
        status = list_files(verb, entries[i].package, error);
    }
    return status == COOK_OK ? list_artifacts(verb, outputs, error) : status;
}

static enum cook_status cat(struct store_verb *verb, const char *const *arguments,
                            struct cook_error *error)
{
    struct cook_state *state = cook_store_state(verb->store);
    if (!arguments[0])
        return cook_error_set(error, COOK_E_USAGE, "'cook store cat' needs a package");
    uint32_t package = cook_state_find_package(state, arguments[0]);
    if (package == COOK_ID_NONE || !(state->packages[package].flags & COOK_PACKAGE_HAS_RESULT))
        return cook_error_set(error, COOK_E_NOT_FOUND, "no cooked package is named %s",
                              arguments[0]);
    struct cook_buf bytes = COOK_BUF_INIT;
    enum cook_status status =
        cook_store_get_blob(verb->store, &bytes, state->results[package].bytes, error);
    if (status == COOK_OK)
        status = cook_fs_write_all(1, bytes.data, bytes.size, error);
    cook_buf_finish(&bytes);
    return status;
}

/* Recook a package next time. */
static enum cook_status force(struct store_verb *verb, uint32_t package, struct cook_error *error)
{
    struct cook_state *state = cook_store_state(verb->store);
    cook_state_touch(state, COOK_TABLE_packages, package);
    state->packages[package].flags |= COOK_PACKAGE_FORCED;
    return cook_store_append_op(verb->store, package, COOK_OP_FORGOTTEN, error);
}

/*
 * Verify once more as the writer, which drops damaged blobs: a recook may give these very bytes.
 * The results that are hit are forgotten, and `*count` of them counted.
 */
static enum cook_status forget_damaged(struct store_verb *verb, size_t *count,
                                       struct cook_error *error)
{
    struct cook_store_fault *faults;
    size_t fault_count = 0;
    *count = 0;
    cook_store_close(verb->store);
    enum cook_status status = cook_store_open(&verb->store, verb->project.fd, verb->project.target,
                                              COOK_STORE_WRITE, error);
    if (status == COOK_OK)
        status = cook_store_verify(verb->store, &faults, &fault_count, &verb->arena, error);
    struct cook_state *state = status == COOK_OK ? cook_store_state(verb->store) : NULL;
    for (size_t i = 0; status == COOK_OK && i < fault_count; i++) {
        uint32_t package = faults[i].package;
        if (package == COOK_ID_NONE || (state->packages[package].flags & COOK_PACKAGE_FORCED))
            continue;
        status = force(verb, package, error);
        ++*count;
    }
    if (status == COOK_OK)
        cook_forget_manifest(state); /* it may have been one of the blobs */
    return status == COOK_OK ? cook_store_write_index(verb->store, error) : status;
}

static enum cook_status verify(struct store_verb *verb, const char *const *arguments,
                               struct cook_error *error)
{
    (void)arguments;
    struct cook_store_fault *faults;
    size_t count;
    enum cook_status status =
        cook_store_verify(verb->store, &faults, &count, &verb->arena, error);
    if (status != COOK_OK)
        return status;
    const struct cook_state *state = cook_store_state(verb->store);
    for (size_t i = 0; i < count; i++) {
        bool hits = faults[i].package != COOK_ID_NONE;
        fprintf(verb->cli.out, "%s%s%s\n", faults[i].what, hits ? "; hits " : "",
                hits ? cook_state_text(state, state->packages[faults[i].package].name) : "");
    }
    if (count == 0) {
        fprintf(verb->cli.out, "all sound\n");
        return COOK_OK;
    }
    verb->exit_status = COOK_EXIT_ENVIRONMENT;
    fprintf(verb->cli.out, "%zu %s\n", count, count == 1 ? "fault" : "faults");
    size_t forgotten;
    status = forget_damaged(verb, &forgotten, error);
    if (status == COOK_OK && forgotten == 0)
        fprintf(verb->cli.out, "no result is hit; to mend the rest: cook incremental\n");
    else if (status == COOK_OK)
        fprintf(verb->cli.out, "to recook %zu damaged %s: cook incremental\n", forgotten,
                forgotten == 1 ? "result" : "results");
    return status;
}

static enum cook_status forget(struct store_verb *verb, const char *const *arguments,
                               struct cook_error *error)
{
    struct cook_state *state = cook_store_state(verb->store);
    enum cook_status status = COOK_OK;
    if (!arguments[0])
        return cook_error_set(error, COOK_E_USAGE, "'cook store forget' needs a package");
    for (size_t i = 0; status == COOK_OK && arguments[i]; i++) {
        uint32_t package = cook_state_find_package(state, arguments[i]);
        if (package == COOK_ID_NONE)
            return cook_error_set(error, COOK_E_NOT_FOUND, "no package is named %s", arguments[i]);
        status = force(verb, package, error);
    }
    return status == COOK_OK ? cook_store_write_index(verb->store, error) : status;
}

/* ---- gc ---- */

static double keep_days(const struct store_verb *verb)
{
    if (verb->days >= 0)
        return verb->days;
    return (double)cook_config_i64(verb->project.config, "Store", "KeepUnreachedDays",
                                   COOK_STORE_KEEP_UNREACHED_DAYS);
}

static void print_gc(const struct store_verb *verb, const struct cook_store_gc_result *result)
{
    FILE *out = verb->cli.out;
    const char *did = verb->dry_run ? "would remove" : "removed";
    for (size_t i = 0; i < result->package_count && !verb->cli.quiet; i++)
        fprintf(out, "%s the result of %s\n", did, result->packages[i]);
    fprintf(out, "%s %zu unreached results, %zu dependencies, %zu blobs of %llu bytes", did,
            result->package_count, result->deps, result->blobs,
            (unsigned long long)result->blob_bytes);
    if (!verb->dry_run)
        fprintf(out, "; segments are %llu bytes smaller", (unsigned long long)result->freed_bytes);
    fputc('\n', out);
    if (result->waiting)
        fprintf(out, "%zu more results are unreached, but not for %g days yet\n", result->waiting,
                keep_days(verb));
}

static enum cook_status write_gc(struct store_verb *verb, const struct cook_store_gc_result *result,
                                 struct cook_error *error)
{
    cJSON *document = cJSON_CreateObject();
    cJSON_AddStringToObject(document, "schema", "cookproof/store-gc/1");
    cJSON_AddBoolToObject(document, "dry_run", verb->dry_run != 0);
    cJSON *summary = cJSON_AddObjectToObject(document, "summary");
    const struct {
        const char *name;
        double value;
    } rows[] = {
        { "results", (double)result->package_count }, { "waiting", (double)result->waiting },
        { "dependencies", (double)result->deps },     { "dependency_sets", (double)result->sets },
        { "bundles", (double)result->bundles },       { "blobs", (double)result->blobs },
        { "blob_bytes", (double)result->blob_bytes }, { "segments", (double)result->segments },
        { "freed_bytes", (double)result->freed_bytes },
    };
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
        cJSON_AddNumberToObject(summary, rows[i].name, rows[i].value);
    cJSON *packages = cJSON_AddArrayToObject(document, "packages");
    for (size_t i = 0; i < result->package_count; i++)
        cJSON_AddItemToArray(packages, cJSON_CreateString(result->packages[i]));
    enum cook_status status = cook_cli_write_json(&verb->cli, document, error);
    cJSON_Delete(document);
    return status;
}

static enum cook_status gc(struct store_verb *verb, const char *const *arguments,
                           struct cook_error *error)
{
    struct cook_store_gc_result result;
    struct timespec now;
    (void)arguments;
    (void)clock_gettime(CLOCK_REALTIME, &now);
    struct cook_store_gc_options options = {
        .now_ns = (int64_t)now.tv_sec * 1000000000 + now.tv_nsec,
        .keep_ns = (int64_t)(keep_days(verb) * 86400e9),
        .dry_run = verb->dry_run != 0,
    };
    enum cook_status status = cook_store_gc(verb->store, &result, &options, &verb->arena, error);
    if (status != COOK_OK)
        return status;
    print_gc(verb, &result);
    return write_gc(verb, &result, error);
}

static const struct {
    const char *name;
    enum cook_store_mode mode;
    enum cook_status (*run)(struct store_verb *verb, const char *const *arguments,
                            struct cook_error *error);
} commands[] = {
    { "stats", COOK_STORE_READ, show_stats }, { "log", COOK_STORE_READ, show_log },
    { "list", COOK_STORE_READ, list },        { "cat", COOK_STORE_READ, cat },
    { "verify", COOK_STORE_READ, verify },    { "forget", COOK_STORE_WRITE, forget },
    { "gc", COOK_STORE_WRITE, gc },
};

static enum cook_status run(struct store_verb *verb, struct cook_error *error)
{
    static const char *const none[] = { NULL };
    const char *const *arguments = verb->cli.arguments ? verb->cli.arguments : none;
    size_t count = sizeof(commands) / sizeof(commands[0]);
    size_t i = 0;
    while (i < count && (!arguments[0] || strcmp(commands[i].name, arguments[0]) != 0))
        i++;
    if (i == count)
        return cook_error_set(error, COOK_E_USAGE,
                              "'cook store' takes stats, log, list, cat, verify, forget or gc%s%s%s",
                              arguments[0] ? ", not '" : "", arguments[0] ? arguments[0] : "",
                              arguments[0] ? "'" : "");
    enum cook_status status = cook_project_open(&verb->project, &verb->cli.run.project, error);
    if (status == COOK_OK)
        status = cook_store_open(&verb->store, verb->project.fd, verb->project.target,
                                 verb->dry_run && commands[i].run == gc ? COOK_STORE_READ
                                                                       : commands[i].mode, error);
    return status == COOK_OK ? commands[i].run(verb, arguments + 1, error) : status;
}

int cook_verb_store(int argc, const char **argv)
{
    struct store_verb verb = { .days = -1 };
    struct cook_error error = COOK_ERROR_INIT;
    struct poptOption own[] = {
        { "days", 0, POPT_ARG_DOUBLE, &verb.days, 0,
          "gc: remove results that no cook reached for so long", "N" },
        { "dry-run", 0, POPT_ARG_NONE, &verb.dry_run, 0, "gc: say what would be removed", NULL },
        POPT_TABLEEND
    };
    int exit_status =
        cook_cli_begin(&verb.cli, "store", "stats|log|list|cat PACKAGE|verify|forget PACKAGE...|gc",
                       COOK_CLI_PROJECT, own, argc, argv);
    if (exit_status < 0) {
        exit_status =
            run(&verb, &error) == COOK_OK ? verb.exit_status : cook_cli_error(&verb.cli, &error);
        cook_store_close(verb.store);
        cook_project_finish(&verb.project);
    }
    cook_arena_finish(&verb.arena);
    cook_cli_end(&verb.cli);
    return exit_status;
}
