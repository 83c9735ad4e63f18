/*
 * The merged state of a config: sections of keys of values. Private to this folder: config.c
 * fills it from the layers, encode.c from a message. Everything is added, never taken away, but
 * for single values; a failed addition leaves the table as it was.
 */
#ifndef COOK_CONFIG_TABLE_H
#define COOK_CONFIG_TABLE_H

#include "cook/base/intern.h"
#include "cook/config/config.h"

/* Values of one key. Each "+Key" looks at all earlier ones, so their number must be bounded. */
#define COOK_CONFIG_VALUE_LIMIT 10000

struct cook_config_entry {
    struct cook_config_value *values; /* owned */
    size_t count;
    size_t capacity;
};

struct cook_config_section {
    struct cook_intern keys;
    struct cook_config_entry *entries; /* owned, by key id */
    size_t capacity;
};

struct cook_config {
    struct cook_intern texts; /* of the values: equal texts are one pointer */
    struct cook_intern sources;
    struct cook_intern section_names;
    struct cook_config_section *sections; /* owned, by section id */
    size_t section_capacity;
};

/* An empty config, to be destroyed by cook_config_destroy(); NULL when memory is short. */
struct cook_config *cook_config_create(void);
/* The section or key of that name, added when new; NULL when memory is short. */
struct cook_config_section *cook_config_add_section(struct cook_config *config, const char *name,
                                                    size_t length);
struct cook_config_entry *cook_config_add_entry(struct cook_config_section *section,
                                                const char *key);
/* A source name that lives as long as the config; NULL when memory is short. */
const char *cook_config_add_source(struct cook_config *config, const char *name);
/*
 * Add a value behind the others; `value.text` is copied, `value.source` must live on.
 * COOK_E_NO_MEMORY, or COOK_E_LIMIT at COOK_CONFIG_VALUE_LIMIT.
 */
enum cook_status cook_config_append(struct cook_config *config, struct cook_config_entry *entry,
                                    struct cook_config_value value) COOK_CHECK_RESULT;
/* Merge one line: `key` may be "Key", "+Key" or "-Key"; fails as cook_config_append() does. */
enum cook_status cook_config_merge(struct cook_config *config,
                                   struct cook_config_section *section, const char *key,
                                   struct cook_config_value value) COOK_CHECK_RESULT;

#endif
