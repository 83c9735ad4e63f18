#include "cook/config/owners.h"

#include <string.h>

#include "cook/base/fs.h"
#include "cook/base/path.h"

#define MAX_BYTES (UINT64_C(1) << 20)

static bool is_blank(char c)
{
    return c == ' ' || c == '\t' || c == '\r';
}

/* The next word of a line; NULL at its end, or where a comment begins. */
static const char *next_word(const char **at, const char *end, size_t *length)
{
    const char *start = *at;
    while (start < end && is_blank(*start))
        start++;
    const char *stop = start;
    while (stop < end && !is_blank(*stop))
        stop++;
    *at = stop;
    *length = (size_t)(stop - start);
    return *length && *start != '#' ? start : NULL;
}

static enum cook_status add_rule(struct cook_owners *owners, const char *line, const char *end,
                                 unsigned number, struct cook_error *error)
{
    size_t length;
    const char *pattern = next_word(&line, end, &length);
    if (!pattern)
        return COOK_OK;
    if (pattern[0] == '!' || memchr(pattern, '\0', length))
        return cook_error_set(error, COOK_E_MALFORMED, "%s:%u: %s", COOK_OWNERS_FILE, number,
                              pattern[0] == '!' ? "a pattern cannot be negated; write it without owners"
                                                : "a pattern cannot hold a zero byte");
    bool below = pattern[length - 1] == '/';
    struct cook_buf names = COOK_BUF_INIT;
    struct cook_owners_rule *rule = &owners->rules[owners->count];
    rule->pattern = cook_arena_printf(&owners->arena, "%.*s%s", (int)length, pattern, below ? "*" : "");
    const char *word;
    while ((word = next_word(&line, end, &length)))
        cook_buf_printf(&names, "%s%.*s", names.size ? " " : "", (int)length, word);
    rule->owners = names.failed ? NULL : cook_arena_strdup(&owners->arena, cook_buf_text(&names));
    cook_buf_finish(&names);
    if (!rule->pattern || !rule->owners)
        return cook_error_no_memory(error);
    owners->count++;
    return COOK_OK;
}

enum cook_status cook_owners_parse(struct cook_owners *owners, const char *text, size_t size,
                                   struct cook_error *error)
{
    size_t lines = 1;
    enum cook_status status = COOK_OK;
    *owners = (struct cook_owners){ .arena = COOK_ARENA_INIT };
    for (size_t i = 0; i < size; i++)
        lines += text[i] == '\n';
    owners->rules = cook_arena_alloc(&owners->arena, lines * sizeof(*owners->rules));
    if (!owners->rules)
        return cook_error_no_memory(error);
    const char *end = text + size;
    for (unsigned number = 1; status == COOK_OK && text < end; number++) {
        const char *stop = memchr(text, '\n', (size_t)(end - text));
        status = add_rule(owners, text, stop ? stop : end, number, error);
        text = stop ? stop + 1 : end;
    }
    return status;
}

enum cook_status cook_owners_load(struct cook_owners *owners, int project_fd,
                                  struct cook_error *error)
{
    struct cook_buf text = COOK_BUF_INIT;
    *owners = (struct cook_owners){ .arena = COOK_ARENA_INIT };
    enum cook_status status =
        cook_fs_read(&text, NULL, project_fd, COOK_OWNERS_FILE, MAX_BYTES, error);
    if (status == COOK_OK)
        status = cook_owners_parse(owners, (const char *)text.data, text.size, error);
    else if (status == COOK_E_NOT_FOUND)
        status = COOK_OK;
    cook_buf_finish(&text);
    return status;
}

void cook_owners_finish(struct cook_owners *owners)
{
    cook_arena_finish(&owners->arena);
    *owners = (struct cook_owners){ .arena = COOK_ARENA_INIT };
}

static bool rule_matches(const struct cook_owners_rule *rule, const char *package,
                         const char *const *classes, size_t class_count)
{
    if (package && cook_glob_match(rule->pattern, package))
        return true;
    for (size_t i = 0; i < class_count; i++)
        if (cook_glob_match(rule->pattern, classes[i]))
            return true;
    return false;
}

const char *cook_owners_of(const struct cook_owners *owners, const char *package,
                           const char *const *classes, size_t class_count)
{
    for (size_t i = owners->count; i-- > 0;)
        if (rule_matches(&owners->rules[i], package, classes, class_count))
            return owners->rules[i].owners;
    return "";
}
