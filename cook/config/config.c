#include "cook/config/config.h"
#include "cook/base/alloc.h"
#include "cook/base/fs.h"
#include "cook/base/intern.h"
#include "cook/config/table.h"

#include <ctype.h>
#include <ini.h>
#include <inttypes.h>
#include <string.h>

#define FILE_LIMIT_BYTES (UINT64_C(4) * 1024 * 1024)
#define LINE_LIMIT_BYTES 8192

/* The layer below all files. Defaults that are not here stand at the place that reads them. */
static const char built_in_text[] =
    "[Incremental]\n"
    /* Standard classes declare all that they read, so their packages may be skipped. */
    "+ClassScriptPackageAllowList=/Script/Cook\n";

/*
 * The packaged inih takes its line limit from a variable, 200 by default, which would cut long
 * values without a word. Set before main() since other threads may be parsing later.
 */
__attribute__((constructor)) static void raise_inih_line_limit(void)
{
    if (ini_max_line < LINE_LIMIT_BYTES)
        ini_max_line = LINE_LIMIT_BYTES;
}

static enum cook_status out_of_memory(struct cook_error *error)
{
    return cook_error_set(error, COOK_E_NO_MEMORY, "%s", cook_status_text(COOK_E_NO_MEMORY));
}

/* One layer's text on its way through inih. */
struct layer {
    struct cook_config *config;
    const char *source;
    bool has_lines;   /* false for the built-in text */
    const char *text; /* not terminated */
    size_t size;
    size_t at;
    uint32_t line;       /* of the line handed out last, 1-based */
    const char *section; /* name as written: inih itself cuts it to 49 bytes */
    size_t section_length;
    uint32_t fault_line;
    const char *fault; /* NULL while all is well */
    bool short_of_memory;
};

static void set_fault(struct layer *layer, const char *reason)
{
    if (layer->fault)
        return;
    layer->fault = reason;
    layer->fault_line = layer->line;
}

/* Take the next line without its end and the blanks around it; false after the last. */
static bool take_line(struct layer *layer, const char **start, size_t *length)
{
    if (layer->at >= layer->size)
        return false;
    const char *line = layer->text + layer->at;
    size_t left = layer->size - layer->at;
    const char *newline = memchr(line, '\n', left);
    size_t size = newline ? (size_t)(newline - line) : left;
    layer->at += size + 1;
    layer->line++;
    while (size > 0 && isspace((unsigned char)line[size - 1]))
        size--;
    while (size > 0 && isspace((unsigned char)*line)) {
        line++;
        size--;
    }
    *start = line;
    *length = size;
    return true;
}

/*
 * inih's fgets. Handing out each line without its indentation keeps inih from reading an
 * indented
 * "+Key=value" as more text of the line before.
 */
static char *read_line(char *line, int size, void *user)
{
    struct layer *layer = user;
    const char *start;
    size_t length;
    if (!take_line(layer, &start, &length))
        return NULL;
    if (length > 0 && (*start == ';' || *start == '#'))
        length = 0; /* comments may be of any length */
    if (length >= (size_t)size) {
        set_fault(layer, "line too long");
        return NULL;
    }
    if (length > 0 && *start == '[') {
        const char *end = memchr(start, ']', length);
        layer->section = start + 1;
        layer->section_length = end ? (size_t)(end - start - 1) : 0;
    }
    memcpy(line, start, length);
    line[length] = '\0';
    return line;
}

/* inih's handler: nonzero goes on. Its section is the cut one, so the reader's is used. */
static int take_value(void *user, const char *cut_section, const char *key, const char *text)
{
    struct layer *layer = user;
    (void)cut_section;
    const char *name = *key == '+' || *key == '-' ? key + 1 : key;
    if (!*name)
        set_fault(layer, "empty key");
    else if (layer->section_length == 0)
        set_fault(layer, "key outside of a section");
    if (layer->fault || layer->short_of_memory)
        return 0;
    struct cook_config_section *section =
        cook_config_add_section(layer->config, layer->section, layer->section_length);
    struct cook_config_value value = { text, layer->source,
                                       layer->has_lines ? layer->line : 0 };
    enum cook_status status =
        section ? cook_config_merge(layer->config, section, key, value) : COOK_E_NO_MEMORY;
    if (status == COOK_E_LIMIT)
        set_fault(layer, "too many values of one key");
    layer->short_of_memory = status == COOK_E_NO_MEMORY;
    return status == COOK_OK;
}

static enum cook_status merge_text(struct cook_config *config, const char *name, bool has_lines,
                                   const char *text, size_t size, struct cook_error *error)
{
    struct layer layer = {
        .config = config, .has_lines = has_lines, .text = text, .size = size
    };
    if (size >= 3 && memcmp(text, "\xEF\xBB\xBF", 3) == 0)
        layer.at = 3; /* the byte order mark that some editors write */
    layer.source = cook_config_add_source(config, name);
    if (!layer.source)
        return out_of_memory(error);
    int first_fault = ini_parse_stream(read_line, &layer, take_value, &layer);
    if (layer.short_of_memory || first_fault < 0)
        return out_of_memory(error);
    if (first_fault > 0 && (!layer.fault || (uint32_t)first_fault < layer.fault_line)) {
        layer.fault = "expected '[Section]' or 'Key=Value'";
        layer.fault_line = (uint32_t)first_fault;
    }
    if (layer.fault)
        return cook_error_set(error, COOK_E_CONFIG, "%s:%" PRIu32 ": %s", name,
                              layer.fault_line, layer.fault);
    return COOK_OK;
}

static uint32_t line_at(const char *text, const char *at)
{
    uint32_t line = 1;
    for (; text < at; text++)
        line += *text == '\n';
    return line;
}

static enum cook_status merge_file(struct cook_config *config, int project_fd, const char *path,
                                   struct cook_error *error)
{
    struct cook_buf text = COOK_BUF_INIT;
    enum cook_status status =
        cook_fs_read(&text, NULL, project_fd, path, FILE_LIMIT_BYTES, error);
    if (status == COOK_E_LIMIT || status == COOK_E_INVALID) {
        if (error)
            error->status = COOK_E_CONFIG;
        status = COOK_E_CONFIG;
    }
    if (status != COOK_OK)
        goto done;
    const char *start = text.size ? (const char *)text.data : "";
    const char *nul = memchr(start, '\0', text.size);
    if (nul)
        status = cook_error_set(error, COOK_E_CONFIG, "%s:%" PRIu32 ": NUL byte", path,
                                line_at(start, nul));
    else
        status = merge_text(config, path, true, start, text.size, error);
done:
    cook_buf_finish(&text);
    return status;
}

static bool is_layer_name(const char *name, const char *prefix)
{
    size_t length = strlen(name);
    return strncmp(name, prefix, strlen(prefix)) == 0 && length > 4 &&
           strcmp(name + length - 4, ".ini") == 0;
}

/* Merge the files `prefix`*.ini of a folder, in order of name; an absent folder has none. */
static enum cook_status merge_folder(struct cook_config *config, struct cook_arena *scratch,
                                     int project_fd, const char *folder, const char *prefix,
                                     struct cook_error *error)
{
    struct cook_folder_entry *entries;
    size_t count;
    enum cook_status status =
        cook_fs_list(&entries, &count, scratch, project_fd, folder, error);
    if (status == COOK_E_NOT_FOUND)
        return COOK_OK;
    for (size_t i = 0; i < count && status == COOK_OK; i++) {
        if (entries[i].kind != COOK_FILE_REGULAR || !is_layer_name(entries[i].name, prefix))
            continue;
        char *path = cook_arena_printf(scratch, "%s/%s", folder, entries[i].name);
        status = path ? merge_file(config, project_fd, path, error) : out_of_memory(error);
    }
    return status;
}

/* The name becomes part of a path, so it must not climb out of Config/. */
static bool is_target_name(const char *target)
{
    return *target && *target != '.' && !strpbrk(target, "/\\");
}

static enum cook_status merge_target(struct cook_config *config, struct cook_arena *scratch,
                                     int project_fd, const char *target,
                                     struct cook_error *error)
{
    if (!target)
        return COOK_OK;
    if (!is_target_name(target))
        return cook_error_set(error, COOK_E_CONFIG, "'%s' cannot be the name of a target",
                              target);
    char *folder = cook_arena_printf(scratch, "Config/%s", target);
    if (!folder)
        return out_of_memory(error);
    return merge_folder(config, scratch, project_fd, folder, "", error);
}

static enum cook_status merge_project(struct cook_config *config, int project_fd,
                                      struct cook_error *error)
{
    enum cook_status status = merge_file(config, project_fd, "cook.ini", error);
    if (status == COOK_E_NOT_FOUND)
        cook_error_set(error, status, "no cook.ini in the project folder; run 'cook init'");
    return status;
}

/*
 * Length of the section in "Section.Key". Both may hold dots, as in
 * "/Script/Arena.Spawner.Speed" and "ConsoleVariables.r.Shadows": the longest section that a
 * file already has wins; without one, a script path goes up to its last dot and any other name
 * to its first.
 */
static size_t override_section_length(const struct cook_config *config, const char *name,
                                      size_t length)
{
    size_t first = 0, last = 0;
    for (size_t i = length; i-- > 1;) {
        if (name[i] != '.')
            continue;
        if (cook_intern_find_n(&config->section_names, name, i) != COOK_INTERN_NONE)
            return i;
        first = i;
        last = last ? last : i;
    }
    return *name == '/' ? last : first;
}

static enum cook_status merge_override(struct cook_config *config, struct cook_arena *scratch,
                                       const char *text, struct cook_error *error)
{
    const char *equals = strchr(text, '=');
    size_t name_length = equals ? (size_t)(equals - text) : 0;
    size_t section_length = override_section_length(config, text, name_length);
    size_t key_at = section_length + 1;
    bool marked = key_at < name_length && (text[key_at] == '+' || text[key_at] == '-');
    if (section_length == 0 || key_at + marked >= name_length)
        return cook_error_set(error, COOK_E_USAGE, "--ini '%s': expected 'Section.Key=Value'",
                              text);
    char *key = cook_arena_strndup(scratch, text + key_at, name_length - key_at);
    struct cook_config_section *section = cook_config_add_section(config, text, section_length);
    struct cook_config_value value = { .source = cook_config_add_source(config, "--ini") };
    if (!key || !section || !value.source)
        return out_of_memory(error);
    value.text = text + name_length + 1;
    enum cook_status status = cook_config_merge(config, section, key, value);
    if (status != COOK_OK)
        return cook_error_set(error, status, "--ini '%s': %s", text, cook_status_text(status));
    return COOK_OK;
}

static enum cook_status merge_overrides(struct cook_config *config, struct cook_arena *scratch,
                                        const struct cook_config_options *options,
                                        struct cook_error *error)
{
    enum cook_status status = COOK_OK;
    for (size_t i = 0; i < options->override_count && status == COOK_OK; i++)
        status = merge_override(config, scratch, options->overrides[i], error);
    return status;
}

static enum cook_status merge_layers(struct cook_config *config, struct cook_arena *scratch,
                                     const struct cook_config_options *options,
                                     struct cook_error *error)
{
    int fd = options->project_fd;
    enum cook_status status =
        merge_text(config, "built-in", false, built_in_text, sizeof(built_in_text) - 1, error);
    if (status == COOK_OK)
        status = merge_folder(config, scratch, fd, "Config", "Default", error);
    if (status == COOK_OK)
        status = merge_target(config, scratch, fd, options->target, error);
    if (status == COOK_OK)
        status = merge_project(config, fd, error);
    if (status == COOK_OK)
        status = merge_overrides(config, scratch, options, error);
    return status;
}

enum cook_status cook_config_load(struct cook_config **out,
                                  const struct cook_config_options *options,
                                  struct cook_error *error)
{
    struct cook_arena scratch = COOK_ARENA_INIT;
    *out = NULL;
    struct cook_config *config = cook_config_create();
    if (!config)
        return out_of_memory(error);
    enum cook_status status = merge_layers(config, &scratch, options, error);
    if (status == COOK_OK) {
        *out = config;
        config = NULL;
    }
    cook_config_destroy(config);
    cook_arena_finish(&scratch);
    return status;
}

enum cook_status cook_config_load_file(struct cook_config **out, int folder_fd, const char *path,
                                       struct cook_error *error)
{
    *out = NULL;
    struct cook_config *config = cook_config_create();
    if (!config)
        return out_of_memory(error);
    enum cook_status status = merge_file(config, folder_fd, path, error);
    if (status == COOK_OK) {
        *out = config;
        config = NULL;
    }
    cook_config_destroy(config);
    return status;
}
