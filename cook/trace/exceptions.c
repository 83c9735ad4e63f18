#include "cook/trace/exceptions.h"

#include <ctype.h>
#include <string.h>

#include "cook/base/path.h"
#include "cook/config/config.h"

static bool is_date(const char *text)
{
    static const char form[] = "dddd-dd-dd";
    if (strlen(text) != sizeof(form) - 1)
        return false;
    for (size_t i = 0; form[i]; i++)
        if (form[i] == 'd' ? !isdigit((unsigned char)text[i]) : text[i] != form[i])
            return false;
    return true;
}

static const struct cook_config_value *value_of(const struct cook_config *config,
                                                const char *section, const char *key)
{
    const struct cook_config_value *values;
    size_t count = cook_config_values(config, section, key, &values);
    return count ? &values[count - 1] : NULL;
}

static enum cook_status read_text(const char **out, struct cook_arena *arena,
                                  const struct cook_config *config, const char *section,
                                  const char *key, struct cook_error *error)
{
    const struct cook_config_value *value = value_of(config, section, key);
    if (!value || !*value->text)
        return cook_error_set(error, COOK_E_CONFIG,
                              COOK_TRACE_EXCEPTIONS_FILE ": [%s] has no %s; an exception names "
                              "Reason, Owner and Expires", section, key);
    *out = cook_arena_strdup(arena, value->text);
    return *out ? COOK_OK : cook_error_set(error, COOK_E_NO_MEMORY, "out of memory");
}

static enum cook_status read_one(struct cook_trace_exception *exception, struct cook_arena *arena,
                                 const struct cook_config *config, const char *section,
                                 const char *today, struct cook_error *error)
{
    const struct cook_config_value *kind = value_of(config, section, "Kind");
    exception->pattern = cook_arena_strdup(arena, section);
    if (!exception->pattern)
        return cook_error_set(error, COOK_E_NO_MEMORY, "out of memory");
    if (kind)
        exception->kind = cook_input_kind_of(kind->text);
    if (kind && exception->kind == COOK_INPUT_UNKNOWN)
        return cook_error_set(error, COOK_E_CONFIG,
                              "%s:%u: Kind=%s is none of file, directory, stat, link, process, "
                              "environment, clock, random, host", kind->source, kind->line,
                              kind->text);
    enum cook_status status =
        read_text(&exception->reason, arena, config, section, "Reason", error);
    if (status == COOK_OK)
        status = read_text(&exception->owner, arena, config, section, "Owner", error);
    if (status == COOK_OK)
        status = read_text(&exception->expires, arena, config, section, "Expires", error);
    if (status != COOK_OK)
        return status;
    if (!is_date(exception->expires)) {
        const struct cook_config_value *at = value_of(config, section, "Expires");
        return cook_error_set(error, COOK_E_CONFIG, "%s:%u: Expires=%s is no date like 2027-03-31",
                              at->source, at->line, at->text);
    }
    exception->expired = strcmp(exception->expires, today) < 0;
    return COOK_OK;
}

enum cook_status cook_trace_exceptions_load(struct cook_trace_exceptions *exceptions,
                                            int project_fd, const char *today,
                                            struct cook_error *error)
{
    struct cook_config *config;
    *exceptions = (struct cook_trace_exceptions){ .arena = COOK_ARENA_INIT };
    enum cook_status status =
        cook_config_load_file(&config, project_fd, COOK_TRACE_EXCEPTIONS_FILE, error);
    if (status == COOK_E_NOT_FOUND)
        return COOK_OK;
    size_t count = 0;
    while (status == COOK_OK && cook_config_section_name(config, count))
        count++;
    exceptions->items = cook_arena_alloc(&exceptions->arena,
                                         (count + 1) * sizeof(*exceptions->items));
    if (status == COOK_OK && !exceptions->items)
        status = cook_error_set(error, COOK_E_NO_MEMORY, "out of memory");
    for (size_t i = 0; status == COOK_OK && i < count; i++) {
        status = read_one(&exceptions->items[i], &exceptions->arena, config,
                          cook_config_section_name(config, i), today, error);
        exceptions->count += status == COOK_OK;
    }
    cook_config_destroy(config);
    return status;
}

void cook_trace_exceptions_finish(struct cook_trace_exceptions *exceptions)
{
    cook_arena_finish(&exceptions->arena);
    *exceptions = (struct cook_trace_exceptions){ .arena = COOK_ARENA_INIT };
}

const struct cook_trace_exception *
cook_trace_exceptions_match(struct cook_trace_exceptions *exceptions, enum cook_input_kind kind,
                            const char *key)
{
    const struct cook_trace_exception *found = NULL;
    for (size_t i = 0; i < exceptions->count; i++) {
        struct cook_trace_exception *exception = &exceptions->items[i];
        if ((exception->kind && exception->kind != kind) ||
            !cook_glob_match(exception->pattern, key))
            continue;
        if (exception->expired) {
            exception->matches++;
        } else if (!found) {
            exception->matches++;
            found = exception;
        }
    }
    return found;
}
