/*
 * Config layers: INI files merged in order, later wins, each value remembering the layer and line
 * it came from. Section and key names compare byte-wise. An array key takes "+Key=value" (append
 * unless present) and "-Key=value" (remove); a plain "Key=value" replaces all earlier values.
 * The parser is inih (config.c alone sees it). Immutable once loaded, then safe on any thread.
 */
#ifndef COOK_CONFIG_H
#define COOK_CONFIG_H

#include "cook/base/buf.h"
#include "cook/base/error.h"

struct cook_config;

struct cook_config_value {
    const char *text;   /* borrowed from the config */
    const char *source; /* file relative to the project, "built-in", or "--ini" */
    uint32_t line;      /* 1-based; 0 where there is no file */
};

struct cook_config_options {
    int project_fd;                /* open folder of the project */
    const char *target;            /* the Config/<Target>/ layer */
    const char *const *overrides;  /* "Section.Key=Value" (also Section.+Key=…), applied last */
    size_t override_count;
};

/*
 * Load the layers: built-in base, Config/Default*.ini (sorted), Config/<Target>/ *.ini (sorted),
 * cook.ini, overrides. COOK_E_CONFIG with "path:line: reason" for a malformed file,
 * COOK_E_NOT_FOUND when cook.ini is missing. `*out` is owned by the caller.
 */
enum cook_status cook_config_load(struct cook_config **out,
                                  const struct cook_config_options *options,
                                  struct cook_error *error) COOK_CHECK_RESULT;
/* Load one file as it stands, below `folder_fd`: a policy, say. COOK_E_NOT_FOUND when it is absent. */
enum cook_status cook_config_load_file(struct cook_config **out, int folder_fd, const char *path,
                                       struct cook_error *error) COOK_CHECK_RESULT;
void cook_config_destroy(struct cook_config *config);

/* The sections by index, in order of their first appearance; NULL beyond the last. Borrowed. */
const char *cook_config_section_name(const struct cook_config *config, size_t index);
/* The keys of a section likewise. */
const char *cook_config_key_name(const struct cook_config *config, const char *section,
                                 size_t index);

/* The values of a key, in order; 0 and NULL when it is not set. Borrowed from the config. */
size_t cook_config_values(const struct cook_config *config, const char *section, const char *key,
                          const struct cook_config_value **values);
/* The last value, or `fallback` when not set. */
const char *cook_config_string(const struct cook_config *config, const char *section,
                               const char *key, const char *fallback);
/* "true/false/yes/no/on/off/1/0" in any case; `fallback` when unset or not one of them. */
bool cook_config_bool(const struct cook_config *config, const char *section, const char *key,
                      bool fallback);
int64_t cook_config_i64(const struct cook_config *config, const char *section, const char *key,
                        int64_t fallback);
/* Hash of a key's values (order matters); zero hash when it is not set. */
struct cook_hash cook_config_hash(const struct cook_config *config, const char *section,
                                  const char *key);

/* The merged state for a worker, and back; decode treats its input as untrusted. */
void cook_config_encode(const struct cook_config *config, struct cook_buf *out);
enum cook_status cook_config_decode(struct cook_config **out, const void *bytes, size_t size,
                                    struct cook_error *error) COOK_CHECK_RESULT;

#endif
