/* cook stage: write the files of the latest cook, chunk by chunk. */
#include "cook/stage/verb.h"

#include <stdlib.h>
#include <time.h>

#include <cjson/cJSON.h>

#include "cook/cli/cli.h"
#include "cook/stage/stage.h"

struct stage_verb {
    struct cook_cli cli;
    struct cook_project project;
    struct cook_store *store;
    struct cook_stage stage;
    int loose;
    size_t deleted;
};

static void print_summary(const struct stage_verb *verb, const char *folder)
{
    if (verb->cli.quiet)
        return;
    for (size_t i = 0; i < verb->stage.chunk_count; i++) {
        const struct cook_stage_chunk *chunk = &verb->stage.chunks[i];
        fprintf(verb->cli.out, "chunk %u: %zu packages, %zu files, %llu bytes\n", chunk->chunk,
                chunk->package_count, chunk->file_count, (unsigned long long)chunk->size_bytes);
    }
    fprintf(verb->cli.out, "staged cook %u to %s, deleted %zu stale files\n", verb->stage.cook,
            folder, verb->deleted);
}

static enum cook_status write_document(const struct stage_verb *verb, struct cook_error *error)
{
    const struct cook_stage *stage = &verb->stage;
    double files = 0;
    double bytes = 0;
    struct cook_arena arena = COOK_ARENA_INIT;
    cJSON *document = cJSON_CreateObject();
    cJSON_AddStringToObject(document, "schema", "cookproof/stage/1");
    cJSON_AddStringToObject(document, "project", verb->project.name);
    cJSON_AddStringToObject(document, "target", verb->project.target);
    cJSON_AddNumberToObject(document, "cook", stage->cook);
    cJSON *summary = cJSON_AddObjectToObject(document, "summary");
    cJSON *chunks = cJSON_AddArrayToObject(document, "chunks");
    for (size_t i = 0; i < stage->chunk_count; i++) {
        const struct cook_stage_chunk *chunk = &stage->chunks[i];
        char *name = verb->loose ? cook_arena_printf(&arena, "chunk%u", chunk->chunk)
                                 : cook_stage_zip_name(chunk, &arena);
        cJSON *item = cJSON_CreateObject();
        cJSON_AddNumberToObject(item, "chunk", chunk->chunk);
        cJSON_AddStringToObject(item, "name", name ? name : "");
        cJSON_AddNumberToObject(item, "packages", (double)chunk->package_count);
        cJSON_AddNumberToObject(item, "files", (double)chunk->file_count);
        cJSON_AddNumberToObject(item, "bytes", (double)chunk->size_bytes);
        cJSON_AddItemToArray(chunks, item);
        files += (double)chunk->file_count;
        bytes += (double)chunk->size_bytes;
    }
    cJSON_AddNumberToObject(summary, "chunks", (double)stage->chunk_count);
    cJSON_AddNumberToObject(summary, "files", files);
    cJSON_AddNumberToObject(summary, "bytes", bytes);
    cJSON_AddNumberToObject(summary, "deleted", (double)verb->deleted);
    enum cook_status status = cook_cli_write_json(&verb->cli, document, error);
    cJSON_Delete(document);
    cook_arena_finish(&arena);
    return status;
}

static enum cook_status run(struct stage_verb *verb, struct cook_error *error)
{
    const char *const *arguments = verb->cli.arguments;
    if (!arguments || !arguments[0] || arguments[1])
        return cook_error_set(error, COOK_E_USAGE, "cook stage takes one folder to write to");
    enum cook_status status = cook_project_open(&verb->project, &verb->cli.run.project, error);
    if (status == COOK_OK)
        status = cook_store_open(&verb->store, verb->project.fd, verb->project.target,
                                 COOK_STORE_READ, error);
    if (status == COOK_OK)
        status = cook_stage_open(&verb->stage, verb->store, 0, error);
    if (status == COOK_OK)
        status = cook_stage_write(&verb->stage, arguments[0], verb->loose != 0, &verb->deleted,
                                  error);
    if (status != COOK_OK)
        return status;
    print_summary(verb, arguments[0]);
    return verb->cli.json_path ? write_document(verb, error) : COOK_OK;
}

int cook_verb_stage(int argc, const char **argv)
{
    struct stage_verb verb = { 0 };
    struct cook_error error = COOK_ERROR_INIT;
    struct poptOption own[] = { { "loose", 0, POPT_ARG_NONE, &verb.loose, 0,
                                  "write folders of files instead of zip files", NULL },
                                POPT_TABLEEND };
    /* A zip file holds local times: see zip.c. */
    (void)setenv("TZ", "UTC0", 1);
    tzset();
    int exit_status = cook_cli_begin(&verb.cli, "stage", "[OPTION...] OUT", COOK_CLI_PROJECT,
                                     own, argc, argv);
    if (exit_status < 0) {
        exit_status =
            run(&verb, &error) == COOK_OK ? COOK_EXIT_CLEAN : cook_cli_error(&verb.cli, &error);
        cook_stage_finish(&verb.stage);
        cook_store_close(verb.store);
        cook_project_finish(&verb.project);
    }
    cook_cli_end(&verb.cli);
    return exit_status;
}
