#include "cook/classes/shader_compile.h"

#include <string.h>

/* Split "path:12" into its parts; without a number the whole is the path. */
static void set_place(struct cook_shader_message *message, const char *place, size_t size)
{
    const char *colon = memrchr(place, ':', size);
    uint64_t line = 0;
    bool numbered = colon != NULL && colon + 1 < place + size;

    for (const char *at = numbered ? colon + 1 : place + size; at < place + size; at++) {
        if (*at < '0' || *at > '9' || line > UINT32_MAX / 10) {
            numbered = false;
            break;
        }
        line = line * 10 + (uint64_t)(*at - '0');
    }
    if (numbered) {
        message->line = (uint32_t)line;
        size = (size_t)(colon - place);
    }
    if (size >= sizeof(message->path))
        size = sizeof(message->path) - 1;
    memcpy(message->path, place, size);
    message->path[size] = '\0';
}

/* Find ": error: " or ": warning: "; false when the line has neither. */
static bool split_line(struct cook_shader_message *message, const char *line, size_t size)
{
    static const struct {
        const char *text;
        enum cook_severity severity;
    } marks[] = {
        { ": error: ", COOK_SEVERITY_ERROR },
        { ": warning: ", COOK_SEVERITY_WARNING },
    };
    const char *first = NULL;
    size_t mark_size = 0;

    for (size_t i = 0; i < sizeof(marks) / sizeof(marks[0]); i++) {
        const char *found = memmem(line, size, marks[i].text, strlen(marks[i].text));
        if (found != NULL && (first == NULL || found < first)) {
            first = found;
            mark_size = strlen(marks[i].text);
            message->severity = marks[i].severity;
        }
    }
    if (first == NULL)
        return false;
    set_place(message, line, (size_t)(first - line));
    message->text = first + mark_size;
    message->text_size = size - (size_t)(message->text - line);
    return true;
}

bool cook_shader_log_next(struct cook_shader_message *message, const char **cursor)
{
    while (**cursor != '\0') {
        const char *line = *cursor;
        size_t size = strcspn(line, "\n");
        *cursor = line + size + (line[size] == '\n');
        if (size == 0)
            continue;
        *message = (struct cook_shader_message){ .severity = COOK_SEVERITY_ERROR };
        if (!split_line(message, line, size)) { /* the compiler's own words, without a place */
            message->text = line;
            message->text_size = size;
        }
        return true;
    }
    return false;
}
