#include "cook/config/config.h"
#include "cook/base/alloc.h"
#include "cook/base/intern.h"
#include "cook/config/table.h"

#include <string.h>

#define ENCODING_VERSION 1

static enum cook_status out_of_memory(struct cook_error *error)
{
    return cook_error_set(error, COOK_E_NO_MEMORY, "%s", cook_status_text(COOK_E_NO_MEMORY));
}

/*
 * Encoding, all in the terms of buf.h: version; sources; sections, each a name and its keys,
 * each a name and its values, each a text, a source number and a line.
 */
static void encode_entry(const struct cook_config *config,
                         const struct cook_config_entry *entry, struct cook_buf *out)
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
        const struct cook_config_section *section = &config->sections[i];
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

/* A text in the scratch arena. Tells short memory from bad input, which the reader does not. */
static const char *read_text(struct decoder *d)
{
    struct cook_reader_buf again = d->in;
    const char *text = cook_read_string(&d->in, &d->scratch);
    if (d->in.failed && !again.failed) {
        size_t size;
        const uint8_t *bytes = cook_read_bytes(&again, &size);
        d->short_of_memory |= bytes && !memchr(bytes, 0, size);
    }
    return text;
}

static void decode_sources(struct decoder *d)
{
    size_t count = cook_read_count(&d->in, 1);
    for (size_t i = 0; i < count && !d->in.failed; i++) {
        const char *name = read_text(d);
        if (d->in.failed)
            return;
        if (cook_intern_find(&d->config->sources, name) != COOK_INTERN_NONE)
            refuse(d);
        else if (!cook_config_add_source(d->config, name))
            run_short_of_memory(d);
    }
}

static void decode_value(struct decoder *d, struct cook_config_entry *entry)
{
    const char *text = read_text(d);
    uint64_t source = cook_read_varint(&d->in);
    uint64_t line = cook_read_varint(&d->in);
    if (d->in.failed)
        return;
    if (source >= d->config->sources.count || line > UINT32_MAX) {
        refuse(d);
        return;
    }
    struct cook_config_value value = { text, d->config->sources.texts[source], (uint32_t)line };
    enum cook_status status = cook_config_append(d->config, entry, value);
    if (status == COOK_E_NO_MEMORY)
        run_short_of_memory(d);
    else if (status != COOK_OK)
        refuse(d);
}

static void decode_key(struct decoder *d, struct cook_config_section *section)
{
    const char *name = read_text(d);
    size_t count = cook_read_count(&d->in, 3);
    if (d->in.failed)
        return;
    if (!*name || cook_intern_find(&section->keys, name) != COOK_INTERN_NONE) {
        refuse(d);
        return;
    }
    struct cook_config_entry *entry = cook_config_add_entry(section, name);
    if (!entry)
        run_short_of_memory(d);
    for (size_t i = 0; i < count && !d->in.failed; i++)
        decode_value(d, entry);
}

static void decode_section(struct decoder *d)
{
    const char *name = read_text(d);
    size_t count = cook_read_count(&d->in, 2);
    if (d->in.failed)
        return;
    if (!*name || cook_intern_find(&d->config->section_names, name) != COOK_INTERN_NONE) {
        refuse(d);
        return;
    }
    struct cook_config_section *section =
        cook_config_add_section(d->config, name, strlen(name));
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
    d.config = cook_config_create();
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
