#include "cook/config/config.h"

#include <ctype.h>
#include <errno.h>
#include <ini.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "cook/base/alloc.h"
#include "cook/base/fs.h"
#include "cook/base/intern.h"

#define FILE_LIMIT_BYTES (UINT64_C(4) * 1024 * 1024)
#define LINE_LIMIT_BYTES 8192
#define ENCODING_VERSION 1

/* The layer below all files. Every default that is not here stands at the place that reads it.
 */
static const char built_in_text[] =
    "[Incremental]\n"
    /* Standard classes declare all that they read, so their packages may be skipped. */
    "+ClassScriptPackageAllowList=/Script/Cook\n";

struct entry {
    struct cook_config_value *values; /* owned */
    size_t count;
    size_t capacity;
};

struct section {
    struct cook_intern keys;
    struct entry *entries; /* owned, by key id */
    size_t capacity;
};

struct cook_config {
    struct cook_arena arena; /* value texts */
    struct cook_intern sources;
    struct cook_intern section_names;
    struct section *sections; /* owned, by section id */
    size_t section_capacity;
};

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

/* The section of that name, added when new; NULL when memory is short. */
static struct section *add_section(struct cook_config *config, const char *name, size_t length)
{
    uint32_t id = cook_intern_find_n(&config->section_names, name, length);
    if (id != COOK_INTERN_NONE)
        return &config->sections[id];
    if (!cook_grow(&config->sections, &config->section_capacity,
                   config->section_names.count + 1, sizeof(*config->sections)))
        return NULL;
    id = cook_intern_add_n(&config->section_names, name, length);
    if (id == COOK_INTERN_NONE)
        return NULL;
    memset(&config->sections[id], 0, sizeof(config->sections[id]));
    return &config->sections[id];
}

static struct entry *add_entry(struct section *section, const char *key)
{
    uint32_t id = cook_intern_find(&section->keys, key);
    if (id != COOK_INTERN_NONE)
        return &section->entries[id];
    if (!cook_grow(&section->entries, &section->capacity, section->keys.count + 1,
                   sizeof(*section->entries)))
        return NULL;
    id = cook_intern_add(&section->keys, key);
    if (id == COOK_INTERN_NONE)
        return NULL;
    memset(&section->entries[id], 0, sizeof(section->entries[id]));
    return &section->entries[id];
}

static size_t find_value(const struct entry *entry, const char *text)
{
    size_t i = 0;
    while (i < entry->count && strcmp(entry->values[i].text, text) != 0)
        i++;
    return i;
}

static void remove_value(struct entry *entry, const char *text)
{
    size_t at = find_value(entry, text);
    if (at == entry->count)
        return;
    entry->count--;
    memmove(&entry->values[at], &entry->values[at + 1],
            (entry->count - at) * sizeof(*entry->values));
}

static bool append_value(struct cook_config *config, struct entry *entry, const char *text,
                         const char *source, uint32_t line)
{
    char *copy = cook_arena_strdup(&config->arena, text);
    if (!copy ||
        !cook_grow(&entry->values, &entry->capacity, entry->count + 1, sizeof(*entry->values)))
        return false;
    entry->values[entry->count++] =
        (struct cook_config_value){ .text = copy, .source = source, .line = line };
    return true;
}

/* Merge one "Key=", "+Key=" or "-Key=" line into the section; false when memory is short. */
static bool merge(struct cook_config *config, struct section *section, const char *key,
                  const char *text, const char *source, uint32_t line)
{
    char mode = *key == '+' || *key == '-' ? *key++ : '=';
    struct entry *entry = add_entry(section, key);
    if (!entry)
        return false;
    if (mode == '-') {
        remove_value(entry, text);
        return true;
    }
    if (mode == '=')
        entry->count = 0;
    else if (find_value(entry, text) < entry->count)
        return true;
    return append_value(config, entry, text, source, line);
}

/* A name that the config keeps for all values of one layer; NULL when memory is short. */
static const char *add_source(struct cook_config *config, const char *name)
{
    uint32_t id = cook_intern_add(&config->sources, name);
    return id == COOK_INTERN_NONE ? NULL : cook_intern_text(&config->sources, id);
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
    struct section *section = add_section(layer->config, layer->section, layer->section_length);
    uint32_t line = layer->has_lines ? layer->line : 0;
    if (!section || !merge(layer->config, section, key, text, layer->source, line))
        layer->short_of_memory = true;
    return !layer->short_of_memory;
}

static enum cook_status merge_text(struct cook_config *config, const char *name, bool has_lines,
                                   const char *text, size_t size, struct cook_error *error)
{
    struct layer layer = {
        .config = config, .has_lines = has_lines, .text = text, .size = size
    };
    if (size >= 3 && memcmp(text, "\xEF\xBB\xBF", 3) == 0)
        layer.at = 3; /* the byte order mark that some editors write */
    layer.source = add_source(config, name);
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
    struct section *section = add_section(config, text, section_length);
    const char *source = add_source(config, "--ini");
    if (!key || !section || !source || !merge(config, section, key, equals + 1, source, 0))
        return out_of_memory(error);
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
    struct cook_config *config = cook_calloc(1, sizeof(*config));
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

static void section_finish(struct section *section)
{
    for (size_t i = 0; i < section->keys.count; i++)
        cook_free(section->entries[i].values);
    cook_free(section->entries);
    cook_intern_finish(&section->keys);
}

void cook_config_destroy(struct cook_config *config)
{
    if (!config)
        return;
    for (size_t i = 0; i < config->section_names.count; i++)
        section_finish(&config->sections[i]);
    cook_free(config->sections);
    cook_intern_finish(&config->section_names);
    cook_intern_finish(&config->sources);
    cook_arena_finish(&config->arena);
    cook_free(config);
}

size_t cook_config_values(const struct cook_config *config, const char *section,
                          const char *key, const struct cook_config_value **values)
{
    *values = NULL;
    uint32_t section_id = cook_intern_find(&config->section_names, section);
    if (section_id == COOK_INTERN_NONE)
        return 0;
    const struct section *found = &config->sections[section_id];
    uint32_t key_id = cook_intern_find(&found->keys, key);
    if (key_id == COOK_INTERN_NONE || found->entries[key_id].count == 0)
        return 0;
    *values = found->entries[key_id].values;
    return found->entries[key_id].count;
}

const char *cook_config_string(const struct cook_config *config, const char *section,
                               const char *key, const char *fallback)
{
    const struct cook_config_value *values;
    size_t count = cook_config_values(config, section, key, &values);
    return count ? values[count - 1].text : fallback;
}

bool cook_config_bool(const struct cook_config *config, const char *section, const char *key,
                      bool fallback)
{
    static const char *const words[] = { "false", "true", "no", "yes", "off", "on", "0", "1" };
    const char *text = cook_config_string(config, section, key, "");
    for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++) {
        if (strcasecmp(text, words[i]) == 0)
            return i % 2 == 1;
    }
    return fallback;
}

int64_t cook_config_i64(const struct cook_config *config, const char *section, const char *key,
                        int64_t fallback)
{
    const char *text = cook_config_string(config, section, key, "");
    char *end;
    errno = 0;
    long long number = strtoll(text, &end, 10);
    return *text && *end == '\0' && errno == 0 ? number : fallback;
}

struct cook_hash cook_config_hash(const struct cook_config *config, const char *section,
                                  const char *key)
{
    const struct cook_config_value *values;
    size_t count = cook_config_values(config, section, key, &values);
    if (count == 0)
        return (struct cook_hash){ 0, 0 };
    struct cook_hasher hasher;
    cook_hasher_init(&hasher);
    cook_hasher_update_u64(&hasher, count);
    for (size_t i = 0; i < count; i++)
        cook_hasher_update_string(&hasher, values[i].text);
    return cook_hasher_digest(&hasher);
}

/*
 * Encoding, all in the terms of buf.h: version; sources; sections, each a name and its keys,
 * each a name and its values, each a text, a source number and a line.
 */
static void encode_entry(const struct cook_config *config, const struct entry *entry,
                         struct cook_buf *out)
{
    cook_buf_put_varint(out, entry->count);
    for (size_t i = 0; i < entry->count; i++) {
        cook_buf_put_string(out, entry->values[i].text);
        cook_buf_put_varint(out, cook_intern_find(&config->sources, entry->values[i].source));
        cook_buf_put_varint(out, entry->values[i].line);
    }
}

void cook_config_encode(const struct cook_config *config, struct cook_buf *out)
{
    cook_buf_put_u8(out, ENCODING_VERSION);
    cook_buf_put_varint(out, config->sources.count);
    for (size_t i = 0; i < config->sources.count; i++)
        cook_buf_put_string(out, config->sources.texts[i]);
    cook_buf_put_varint(out, config->section_names.count);
    for (size_t i = 0; i < config->section_names.count; i++) {
        const struct section *section = &config->sections[i];
        cook_buf_put_string(out, config->section_names.texts[i]);
        cook_buf_put_varint(out, section->keys.count);
        for (size_t k = 0; k < section->keys.count; k++) {
            cook_buf_put_string(out, section->keys.texts[k]);
            encode_entry(config, &section->entries[k], out);
        }
    }
}

/* What decoding reads from; the arena holds names that the tables copy. */
struct decoder {
    struct cook_reader_buf in;
    struct cook_arena scratch;
    struct cook_config *config;
    bool short_of_memory;
};

/* Stop at the first fault: the reader gives only zeros and empty texts from then on. */
static void refuse(struct decoder *d)
{
    d->in.failed = true;
}

static void run_short_of_memory(struct decoder *d)
{
    d->short_of_memory = true;
    d->in.failed = true;
}

static void decode_sources(struct decoder *d)
{
    size_t count = cook_read_count(&d->in, 1);
    for (size_t i = 0; i < count && !d->in.failed; i++) {
        const char *name = cook_read_string(&d->in, &d->scratch);
        if (d->in.failed)
            return;
        if (cook_intern_find(&d->config->sources, name) != COOK_INTERN_NONE)
            refuse(d);
        else if (!add_source(d->config, name))
            run_short_of_memory(d);
    }
}

static void decode_value(struct decoder *d, struct entry *entry)
{
    const char *text = cook_read_string(&d->in, &d->scratch);
    uint64_t source = cook_read_varint(&d->in);
    uint64_t line = cook_read_varint(&d->in);
    if (d->in.failed)
        return;
    if (source >= d->config->sources.count || line > UINT32_MAX)
        refuse(d);
    else if (!append_value(d->config, entry, text, d->config->sources.texts[source],
                           (uint32_t)line))
        run_short_of_memory(d);
}

static void decode_key(struct decoder *d, struct section *section)
{
    const char *name = cook_read_string(&d->in, &d->scratch);
    size_t count = cook_read_count(&d->in, 3);
    if (d->in.failed)
        return;
    if (!*name || cook_intern_find(&section->keys, name) != COOK_INTERN_NONE) {
        refuse(d);
        return;
    }
    struct entry *entry = add_entry(section, name);
    if (!entry)
        run_short_of_memory(d);
    for (size_t i = 0; i < count && !d->in.failed; i++)
        decode_value(d, entry);
}

static void decode_section(struct decoder *d)
{
    const char *name = cook_read_string(&d->in, &d->scratch);
    size_t count = cook_read_count(&d->in, 2);
    if (d->in.failed)
        return;
    if (!*name || cook_intern_find(&d->config->section_names, name) != COOK_INTERN_NONE) {
        refuse(d);
        return;
    }
    struct section *section = add_section(d->config, name, strlen(name));
    if (!section)
        run_short_of_memory(d);
    for (size_t i = 0; i < count && !d->in.failed; i++)
        decode_key(d, section);
}

static void decode_all(struct decoder *d)
{
    if (cook_read_u8(&d->in) != ENCODING_VERSION)
        refuse(d);
    decode_sources(d);
    size_t count = cook_read_count(&d->in, 2);
    for (size_t i = 0; i < count && !d->in.failed; i++)
        decode_section(d);
}

enum cook_status cook_config_decode(struct cook_config **out, const void *bytes, size_t size,
                                    struct cook_error *error)
{
    struct decoder d = { .in = cook_read_init(bytes, size), .scratch = COOK_ARENA_INIT };
    enum cook_status status = COOK_OK;
    *out = NULL;
    d.config = cook_calloc(1, sizeof(*d.config));
    if (!d.config)
        return out_of_memory(error);
    decode_all(&d);
    if (d.short_of_memory) {
        status = out_of_memory(error);
    } else if (!cook_read_at_end(&d.in)) {
        status = cook_error_set(error, COOK_E_MALFORMED, "malformed encoded config");
    } else {
        *out = d.config;
        d.config = NULL;
    }
    cook_config_destroy(d.config);
    cook_arena_finish(&d.scratch);
    return status;
}
