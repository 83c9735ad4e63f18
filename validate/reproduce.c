/* The verb cook-reproduce. */
#include "validate/reproduce.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "diffcook/print.h"

static const char *text_of(const cJSON *object, const char *key)
{
    const cJSON *item = cJSON_GetObjectItemCaseSensitive(object, key);
    return cJSON_IsString(item) ? item->valuestring : "";
}

/* ---- comparing ---- */

/* A token map of the bundle; `*out` is NULL where there is none. */
static enum cook_status read_tokens(const struct cook_token_map **out,
                                    struct reproduce *reproduce, const char *entry,
                                    struct cook_token_map *map, struct cook_error *error)
{
    const struct cook_buf *bytes = cook_bundle_find(&reproduce->bundle, entry);
    *out = bytes ? map : NULL;
    return bytes ? cook_token_map_decode(map, bytes->data, bytes->size, error) : COOK_OK;
}

/* Both versions as the validation had them; the new one is replaced by the recook. */
static enum cook_status read_reported(struct diff_version versions[2],
                                      struct reproduce *reproduce, struct cook_error *error)
{
    const struct cook_buf *kept = cook_bundle_find(&reproduce->bundle, "result/kept.bytes");
    const struct cook_buf *new = cook_bundle_find(&reproduce->bundle, "result/new.bytes");
    const struct cook_buf *stacks = cook_bundle_find(&reproduce->bundle, "result/stacks.json");
    struct diff_saved *saved = &reproduce->saved;
    enum cook_status status = read_tokens(&versions[0].tokens, reproduce, "result/kept.tokens",
                                          &reproduce->kept_tokens, error);
    if (status == COOK_OK)
        status = read_tokens(&versions[1].tokens, reproduce, "result/new.tokens",
                             &reproduce->reported_tokens, error);
    if (status == COOK_OK && stacks)
        status = diff_saved_decode(saved, stacks->data, stacks->size, versions[0].tokens,
                                   versions[1].tokens, &reproduce->arena, error);
    versions[0].bytes = kept->data;
    versions[0].size = kept->size;
    versions[1].bytes = new ? new->data : NULL;
    versions[1].size = new ? new->size : 0;
    for (int i = 0; i < 2; i++) {
        versions[i].stacks = saved->ids[i];
        versions[i].stack_count = saved->id_counts[i];
    }
    return status;
}

static enum cook_status compare(struct reproduce *reproduce, struct cook_error *error)
{
    const struct cook_buf *new = cook_bundle_find(&reproduce->bundle, "result/new.bytes");
    const struct reproduce_version *recook = &reproduce->recook;
    struct diff_version versions[2] = { 0 };
    struct diff_options options = DIFF_OPTIONS_INIT;
    if (!cook_bundle_find(&reproduce->bundle, "result/kept.bytes") ||
        (reproduce->lacking ? !new : !recook->have))
        return COOK_OK;
    enum cook_status status = read_reported(versions, reproduce, error);
    if (recook->have)
        versions[1] = (struct diff_version){ .bytes = recook->bytes,
                                             .size = recook->size,
                                             .tokens = &recook->tokens,
                                             .stacks = recook->stack_ids,
                                             .stack_count = recook->stack_id_count,
                                             .stack_set = &recook->stacks };
    if (status == COOK_OK)
        status = diff_compare(&reproduce->diff, &versions[0], &versions[1], &options,
                              &reproduce->arena, error);
    reproduce->shown = status == COOK_OK && !reproduce->diff.identical;
    reproduce->reproduced = reproduce->shown && recook->have;
    reproduce->as_reported = recook->have && new && new->size == recook->size &&
                             memcmp(new->data, recook->bytes, recook->size) == 0;
    return status;
}

/* A finding that is not stable is shown by a second recook, in another worker. */
static enum cook_status cook_again(struct reproduce *reproduce, struct cook_error *error)
{
    const char *verdict = text_of(reproduce->finding, "verdict");
    if (strcmp(verdict, "indeterminate") != 0 && strcmp(verdict, "both") != 0)
        return COOK_OK;
    cook_pool_restart(reproduce->run.pool);
    return reproduce_cook(reproduce, &reproduce->again, error);
}

static bool recooks_differ(const struct reproduce *reproduce)
{
    const struct reproduce_version *a = &reproduce->recook;
    const struct reproduce_version *b = &reproduce->again;
    return a->have && b->have &&
           (a->size != b->size || memcmp(a->bytes, b->bytes, a->size) != 0);
}

/* ---- output ---- */

static const char *conclusion(struct reproduce *reproduce)
{
    if (reproduce->lacking)
        return cook_arena_printf(
            &reproduce->arena, "not cooked here: %s%s", reproduce->lacking,
            reproduce->shown ? "; this is what the finding was found by" : "");
    if (reproduce->recook.failure)
        return reproduce->recook.failure;
    if (!cook_bundle_find(&reproduce->bundle, "result/kept.bytes"))
        return "the finding is not about the package's bytes; what it is about stands above";
    if (recooks_differ(reproduce))
        return "reproduced: cooks of the same inputs differ";
    if (reproduce->as_reported)
        return "reproduced: the recook gives what the finding was found by, byte for byte";
    if (reproduce->reproduced)
        return "reproduced in part: the recook differs from the kept result, and from the one "
               "that "
               "was reported";
    return "not reproduced: the recook gives the kept result";
}

static struct diff_symbols symbols_of(const struct reproduce *reproduce,
                                      struct cook_symbolizer *symbolizer)
{
    return (struct diff_symbols){ .symbolizer = symbolizer,
                                  .new_stacks = reproduce->recook.have
                                                    ? &reproduce->recook.stacks
                                                    : NULL,
                                  .saved = &reproduce->saved };
}

static void print_text(struct reproduce *reproduce, struct cook_symbolizer *symbolizer)
{
    FILE *out = reproduce->cli.out;
    struct diff_symbols symbols = symbols_of(reproduce, symbolizer);
    struct diff_print_options print = { diff_symbol_frames, &symbols, 4 };
    const cJSON *item;
    cJSON_ArrayForEach(item, cJSON_GetObjectItemCaseSensitive(
                                 reproduce->head, "left_out")) if (cJSON_IsString(item) &&
                                                                   !reproduce->cli.quiet)
        fprintf(reproduce->cli.err, "not in the bundle: %s\n", item->valuestring);
    if (reproduce->shown)
        diff_print_text(out, &reproduce->diff, &print);
    if (!cook_bundle_find(&reproduce->bundle, "result/kept.bytes"))
        fprintf(out, "    %s", text_of(reproduce->finding, "detail"));
    const char *end = conclusion(reproduce);
    fprintf(out, "%s\n", end ? end : "out of memory");
    if (reproduce->reproduced && !reproduce->debug)
        fprintf(out, "stop at the write: cook reproduce --debug %s\n",
                reproduce->cli.arguments[0]);
    (void)fflush(out);
}

static enum cook_status write_json(struct reproduce *reproduce,
                                   struct cook_symbolizer *symbolizer, struct cook_error *error)
{
    struct diff_symbols symbols = symbols_of(reproduce, symbolizer);
    struct diff_print_options print = { diff_symbol_frames, &symbols, 0 };
    cJSON *document = cJSON_CreateObject();
    cJSON_AddStringToObject(document, "schema", "cookproof/reproduce/1");
    cJSON_AddStringToObject(document, "finding", reproduce->id);
    cJSON_AddStringToObject(document, "package", reproduce->package);
    cJSON *summary = cJSON_AddObjectToObject(document, "summary");
    cJSON_AddBoolToObject(summary, "cooked", reproduce->lacking == NULL);
    cJSON_AddBoolToObject(summary, "reproduced", reproduce->reproduced);
    cJSON_AddBoolToObject(summary, "as_reported", reproduce->as_reported);
    cJSON_AddBoolToObject(summary, "recooks_differ", recooks_differ(reproduce));
    cook_cli_add_statuses(&reproduce->cli, document);
    cJSON_AddItemToObject(document, "differences",
                          reproduce->shown ? diff_result_to_json(&reproduce->diff, &print)
                                           : cJSON_CreateArray());
    enum cook_status status = cook_cli_write_json(&reproduce->cli, document, error);
    cJSON_Delete(document);
    return status;
}

static enum cook_status show(struct reproduce *reproduce, struct cook_error *error)
{
    struct cook_symbolizer *symbolizer;
    const char *folders[] = { reproduce->run.plugin_folder };
    struct cook_symbolizer_options options = { .folders = folders,
                                               .folder_count = folders[0] ? 1 : 0 };
    enum cook_status status = cook_symbolizer_create(&symbolizer, &options, error);
    if (status != COOK_OK)
        return status;
    print_text(reproduce, symbolizer);
    status = write_json(reproduce, symbolizer, error);
    if (status == COOK_OK && reproduce->debug)
        status = reproduce_debug(reproduce, symbolizer, error);
    cook_symbolizer_destroy(symbolizer);
    return status;
}

/* ---- the verb ---- */

static enum cook_status run(struct reproduce *reproduce, struct cook_error *error)
{
    const char *const *arguments = reproduce->cli.arguments;
    if (!arguments || !arguments[0] || arguments[1])
        return cook_error_set(error, COOK_E_USAGE,
                              "cook reproduce takes the id of a finding, or a bundle");
    enum cook_status status = reproduce_open(reproduce, arguments[0], error);
    if (status == COOK_OK && !reproduce->cli.quiet)
        fprintf(reproduce->cli.out, "Reproduce: %s %s for %s\n", reproduce->id,
                reproduce->package, reproduce->target);
    (void)fflush(reproduce->cli.out);
    if (status == COOK_OK && !reproduce->lacking)
        status = reproduce_start(reproduce, NULL, error);
    if (status == COOK_OK && !reproduce->lacking)
        status = reproduce_cook(reproduce, &reproduce->recook, error);
    if (status == COOK_OK)
        status = compare(reproduce, error);
    if (status == COOK_OK && !reproduce->lacking)
        status = cook_again(reproduce, error);
    if (status != COOK_OK)
        return status;
    reproduce->cli.statuses[COOK_EXIT_FINDINGS] =
        reproduce->shown || recooks_differ(reproduce);
    reproduce->cli.statuses[COOK_EXIT_FAILED_PACKAGES] = reproduce->recook.failure != NULL;
    return show(reproduce, error);
}

static void finish_version(struct reproduce_version *version)
{
    cook_token_map_finish(&version->tokens);
    cook_free(version->bytes);
}

int reproduce_verb(int argc, const char **argv)
{
    struct reproduce reproduce = { .work_fd = -1, .bundle = COOK_BUNDLE_INIT };
    struct cook_error error = COOK_ERROR_INIT;
    struct poptOption own[] = {
        { "debug", 0, POPT_ARG_NONE, &reproduce.debug, 0,
          "start the cook in gdb, and stop at the write that differs", NULL },
        { "worker-prefix", 0, POPT_ARG_STRING, &reproduce.cli.worker_prefix, 0,
          "put a debugger or valgrind in front of the worker", "'gdb --args'" },
        { "folder", 0, POPT_ARG_STRING, &reproduce.folder, 0,
          "unpack the bundle here, and leave it (default: a temporary folder)", "DIR" },
        POPT_TABLEEND
    };
    cook_token_map_init(&reproduce.kept_tokens);
    cook_token_map_init(&reproduce.reported_tokens);
    cook_token_map_init(&reproduce.recook.tokens);
    cook_token_map_init(&reproduce.again.tokens);
    int exit_status = cook_cli_begin(&reproduce.cli, "reproduce", "[OPTION...] ID|BUNDLE",
                                     COOK_CLI_PROJECT, own, argc, argv);
    if (exit_status < 0)
        exit_status = cook_cli_finish(&reproduce.cli, run(&reproduce, &error), &error);
    finish_version(&reproduce.recook);
    finish_version(&reproduce.again);
    cook_token_map_finish(&reproduce.kept_tokens);
    cook_token_map_finish(&reproduce.reported_tokens);
    reproduce_close(&reproduce);
    free(reproduce.folder);
    cook_cli_end(&reproduce.cli);
    return exit_status;
}
