#include "cook/config/table.h"
#include "cook/base/alloc.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

struct cook_config *cook_config_create(void)
{
    return cook_calloc(1, sizeof(struct cook_config));
}

static void section_finish(struct cook_config_section *section)
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
    cook_intern_finish(&config->texts);
    cook_free(config);
}

const char *cook_config_section_name(const struct cook_config *config, size_t index)
{
    return index < config->section_names.count
               ? cook_intern_text(&config->section_names, (uint32_t)index)
               : NULL;
}

const char *cook_config_key_name(const struct cook_config *config, const char *section,
                                 size_t index)
{
    uint32_t id = cook_intern_find(&config->section_names, section);
    if (id == COOK_INTERN_NONE || index >= config->sections[id].keys.count)
        return NULL;
    return cook_intern_text(&config->sections[id].keys, (uint32_t)index);
}

struct cook_config_section *cook_config_add_section(struct cook_config *config,
                                                    const char *name, size_t length)
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

struct cook_config_entry *cook_config_add_entry(struct cook_config_section *section,
                                                const char *key)
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

const char *cook_config_add_source(struct cook_config *config, const char *name)
{
    uint32_t id = cook_intern_add(&config->sources, name);
    return id == COOK_INTERN_NONE ? NULL : cook_intern_text(&config->sources, id);
}

enum cook_status cook_config_append(struct cook_config *config, struct cook_config_entry *entry,
                                    struct cook_config_value value)
{
    if (entry->count >= COOK_CONFIG_VALUE_LIMIT)
        return COOK_E_LIMIT;
    uint32_t text = cook_intern_add(&config->texts, value.text);
    if (text == COOK_INTERN_NONE ||
        !cook_grow(&entry->values, &entry->capacity, entry->count + 1, sizeof(*entry->values)))
        return COOK_E_NO_MEMORY;
    value.text = cook_intern_text(&config->texts, text);
    entry->values[entry->count++] = value;
    return COOK_OK;
}

/* Index of the value with that text, or the count. */
static size_t find_value(const struct cook_config *config,
                         const struct cook_config_entry *entry, const char *text)
{
    uint32_t id = cook_intern_find(&config->texts, text);
    if (id == COOK_INTERN_NONE)
        return entry->count;
    const char *wanted = cook_intern_text(&config->texts, id);
    size_t i = 0;
    while (i < entry->count && entry->values[i].text != wanted)
        i++;
    return i;
}

static void remove_value(struct cook_config_entry *entry, size_t at)
{
    if (at == entry->count)
        return;
    entry->count--;
    memmove(&entry->values[at], &entry->values[at + 1],
            (entry->count - at) * sizeof(*entry->values));
}

enum cook_status cook_config_merge(struct cook_config *config,
                                   struct cook_config_section *section, const char *key,
                                   struct cook_config_value value)
{
    int mode = *key == '+' || *key == '-' ? *key++ : '=';
    struct cook_config_entry *entry = cook_config_add_entry(section, key);
    if (!entry)
        return COOK_E_NO_MEMORY;
    if (mode == '=') {
        entry->count = 0;
        return cook_config_append(config, entry, value);
    }
    size_t at = find_value(config, entry, value.text);
    if (mode == '-')
        remove_value(entry, at);
    else if (at == entry->count)
        return cook_config_append(config, entry, value);
    return COOK_OK;
}

size_t cook_config_values(const struct cook_config *config, const char *section,
                          const char *key, const struct cook_config_value **values)
{
    *values = NULL;
    uint32_t section_id = cook_intern_find(&config->section_names, section);
    if (section_id == COOK_INTERN_NONE)
        return 0;
    const struct cook_config_section *found = &config->sections[section_id];
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
