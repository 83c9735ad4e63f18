/* Stopping in gdb at a write: the save archive appends each write to the package's bytes, so
 * the size that they have then tells which one it is. */
#include <fcntl.h>
#include <string.h>
#include <unistd.h>

#include "cook/base/fs.h"
#include "diffcook/print.h"
#include "validate/reproduce.h"

static const struct diff_difference *first_write(const struct diff_result *diff)
{
    for (uint32_t i = 0; i < diff->count; i++)
        if (diff->differences[i].consequence_of < 0 &&
            diff->differences[i].new_offset != DIFF_NO_OFFSET &&
            diff->differences[i].new_stack != COOK_STACK_NONE)
            return &diff->differences[i];
    return NULL;
}

/* The write that covers an offset: where it begins; for a bulk payload which one, else
 * UINT32_MAX. */
static uint64_t find_write(const struct reproduce_version *version, uint64_t offset, bool bulk,
                           uint32_t *bulk_number)
{
    uint64_t at = 0;
    uint32_t payloads = 0;
    *bulk_number = UINT32_MAX;
    for (size_t i = 0; i < version->tokens.count; i++) {
        const struct cook_token *token = &version->tokens.tokens[i];
        const char *path = cook_intern_text(&version->tokens.paths, token->path);
        size_t length = strlen(path);
        bool payload = length > 5 && strcmp(path + length - 5, "#bulk") == 0;
        if (offset >= at && offset < at + token->size) {
            if (bulk && payload)
                *bulk_number = payloads;
            return at;
        }
        payloads += payload;
        at += token->size;
    }
    return offset;
}

/* Class code's innermost function at the write; "" where all frames are the SDK's. */
static const char *class_function(struct reproduce *reproduce,
                                  struct cook_symbolizer *symbolizer,
                                  const struct diff_difference *difference)
{
    struct cook_symbol_frame frames[DIFF_MAX_FRAMES];
    struct diff_symbols symbols = { .symbolizer = symbolizer,
                                    .new_stacks = &reproduce->recook.stacks,
                                    .saved = &reproduce->saved };
    size_t count =
        diff_symbol_frames(&symbols, true, difference->new_stack, frames, DIFF_MAX_FRAMES);
    size_t skip = diff_skip_sdk_frames(frames, &count);
    bool sdk = skip >= count || !frames[skip].function ||
               (frames[skip].module && strncmp(frames[skip].module, "libcook.so", 10) == 0);
    const char *name = sdk ? "" : cook_arena_strdup(&reproduce->arena, frames[skip].function);
    return name ? name : "";
}

static enum cook_status write_commands(struct reproduce *reproduce, const char *function,
                                       const struct diff_difference *difference, bool batch,
                                       struct cook_error *error)
{
    struct cook_buf text = COOK_BUF_INIT;
    uint32_t bulk;
    bool is_bulk = strcmp(difference->section, "bulk") == 0;
    uint64_t offset = find_write(&reproduce->recook, difference->new_offset, is_bulk, &bulk);
    cook_buf_printf(&text, "set confirm off\nset pagination off\nset breakpoint pending on\n"
                           "set debuginfod enabled off\nset print thread-events off\n"
                           "handle SIGUSR2 nostop noprint pass\n");
    if (bulk != UINT32_MAX)
        cook_buf_printf(&text,
                        "break cook_write_bulk if archive->phase == COOK_PHASE_WRITE && "
                        "archive->bulk->count == %u\n",
                        bulk);
    else
        cook_buf_printf(&text,
                        "break cook_archive_put if archive->phase == COOK_PHASE_WRITE && "
                        "archive->result->bytes.size == %llu\n",
                        (unsigned long long)offset);
    cook_buf_printf(&text, "run\n");
    if (batch)
        cook_buf_printf(&text, "backtrace 8\n");
    cook_buf_printf(&text, "echo \\n%s: the write of this stack differs\\n",
                    reproduce->package);
    if (*function)
        cook_buf_printf(&text, "\nframe function %s\n", function);
    if (*function && batch)
        cook_buf_printf(&text, "info locals\n");
    enum cook_status status = text.failed ? cook_error_no_memory(error)
                                          : cook_fs_write(reproduce->work_fd, "stop.gdb",
                                                          text.data, text.size, false, error);
    cook_buf_finish(&text);
    return status;
}

enum cook_status reproduce_debug(struct reproduce *reproduce,
                                 struct cook_symbolizer *symbolizer, struct cook_error *error)
{
    const struct diff_difference *difference = first_write(&reproduce->diff);
    bool batch = !isatty(STDIN_FILENO);
    struct reproduce_version unused = { 0 };
    if (!difference || reproduce->lacking)
        return cook_error_set(error, COOK_E_USAGE,
                              "no write of the recook differs, so there is nowhere to stop");
    const char *function = class_function(reproduce, symbolizer, difference);
    enum cook_status status = write_commands(reproduce, function, difference, batch, error);
    const char *prefix =
        cook_arena_printf(&reproduce->arena, "gdb -q%s -x \"%s/stop.gdb\" --args",
                          batch ? " -batch" : "", reproduce->work);
    if (status == COOK_OK && !prefix)
        status = cook_error_no_memory(error);
    if (status != COOK_OK)
        return status;
    cook_run_close(&reproduce->run);
    status = reproduce_start(reproduce, prefix, error);
    if (status == COOK_OK)
        status = reproduce_cook(reproduce, &unused, error);
    cook_token_map_finish(&unused.tokens);
    cook_free(unused.bytes);
    return status;
}
