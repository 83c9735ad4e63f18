#include "cook/reader/glsl_stage.h"

#include <stdbool.h>
#include <string.h>

#include "cook/base/path.h"

struct stage_name {
    const char *name;
    enum cook_shader_stage stage;
};

/* The words that shaderc's own pragma takes, and the short forms. */
static const struct stage_name stage_names[] = {
    { "vertex", COOK_SHADER_STAGE_VERTEX },     { "vert", COOK_SHADER_STAGE_VERTEX },
    { "fragment", COOK_SHADER_STAGE_FRAGMENT }, { "frag", COOK_SHADER_STAGE_FRAGMENT },
    { "compute", COOK_SHADER_STAGE_COMPUTE },   { "comp", COOK_SHADER_STAGE_COMPUTE },
};

static bool find_stage(enum cook_shader_stage *stage, const char *name, size_t length)
{
    for (size_t i = 0; i < sizeof(stage_names) / sizeof(stage_names[0]); i++) {
        if (strlen(stage_names[i].name) == length &&
            memcmp(stage_names[i].name, name, length) == 0) {
            *stage = stage_names[i].stage;
            return true;
        }
    }
    return false;
}

static const char *skip_blanks(const char *text)
{
    return text + strspn(text, " \t");
}

/* The text after `word` and blanks, or NULL when `text` does not start with it. */
static const char *after_word(const char *text, const char *word)
{
    size_t length = strlen(word);
    return strncmp(text, word, length) == 0 ? skip_blanks(text + length) : NULL;
}

/* "#pragma shader_stage(" up to the stage's name, or NULL when the line is something else. */
static const char *match_pragma(const char *line)
{
    const char *at = after_word(skip_blanks(line), "#");
    at = at != NULL ? after_word(at, "pragma") : NULL;
    at = at != NULL ? after_word(at, "shader_stage") : NULL;
    return at != NULL ? after_word(at, "(") : NULL;
}

/* Whether a block comment is open at the end of this line. */
static bool ends_in_comment(const char *line, size_t length, bool open)
{
    for (size_t i = 0; i + 1 < length; i++) {
        if (open && line[i] == '*' && line[i + 1] == '/') {
            open = false;
            i++;
        } else if (!open && line[i] == '/' && line[i + 1] == '/') {
            break;
        } else if (!open && line[i] == '/' && line[i + 1] == '*') {
            open = true;
            i++;
        }
    }
    return open;
}

static enum cook_status find_pragma(enum cook_shader_stage *stage, uint32_t *line,
                                    const char *text, struct cook_error *error)
{
    bool in_comment = false;
    for (*line = 1; *text != '\0'; (*line)++) {
        size_t length = strcspn(text, "\n");
        const char *name = in_comment ? NULL : match_pragma(text);
        if (name != NULL) {
            size_t name_length = strcspn(name, " \t)\r\n");
            if (!find_stage(stage, name, name_length)) {
                return cook_error_set(error, COOK_E_MALFORMED,
                                      "shader stage '%.*s' is not vertex, fragment or compute",
                                      (int)(name_length < 64 ? name_length : 64), name);
            }
            return COOK_OK;
        }
        in_comment = ends_in_comment(text, length, in_comment);
        text += length + (text[length] == '\n' ? 1 : 0);
    }
    return COOK_OK;
}

enum cook_status cook_glsl_stage(enum cook_shader_stage *stage, uint32_t *line,
                                 const char *path, const char *text, struct cook_error *error)
{
    *stage = COOK_SHADER_STAGE_NONE;
    *line = 0;
    const char *extension = cook_path_extension(path);
    if (*extension != '\0' && find_stage(stage, extension + 1, strlen(extension + 1))) {
        return COOK_OK;
    }
    return find_pragma(stage, line, text, error);
}
