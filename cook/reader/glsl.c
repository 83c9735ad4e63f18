/* Shader reader: a GLSL file becomes one Shader that holds its text and its stage. */
#include <stdbool.h>
#include <string.h>

#include <cook/context.h>
#include <cook/standard.h>

#include "cook/object/reflect.h"
#include "cook/reader/asset_scan.h"
#include "cook/reader/glsl_stage.h"
#include "cook/reader/name.h"
#include "cook/reader/readers.h"

#define SHADER_CLASS   "/Script/Cook.Shader"
#define MAX_TEXT_BYTES ((size_t)16 << 20)

/* The compiler takes no byte order mark. */
static const char *shader_text(const struct cook_source *source)
{
    const char *text = (const char *)source->data;
    return strncmp(text, "\xef\xbb\xbf", 3) == 0 ? text + 3 : text;
}

static enum cook_status check_text(enum cook_shader_stage *stage, uint32_t *line,
                                   const struct cook_source *source, struct cook_error *error)
{
    *line = 0;
    *stage = COOK_SHADER_STAGE_NONE;
    if (source->size > MAX_TEXT_BYTES) {
        return cook_error_set(error, COOK_E_LIMIT, "shader text of %zu bytes is too long",
                              source->size);
    }
    const char *text = source->size > 0 ? shader_text(source) : "";
    if (source->size > 0 && memchr(source->data, 0, source->size) != NULL) {
        return cook_error_set(error, COOK_E_MALFORMED, "shader text holds a NUL byte");
    }
    return cook_glsl_stage(stage, line, source->path, text, error);
}

static enum cook_status scan_shader(struct cook_scan *scan, const struct cook_source *source)
{
    struct cook_error error = COOK_ERROR_INIT;
    enum cook_shader_stage stage;
    uint32_t line;
    char name[256];
    if (check_text(&stage, &line, source, &error) != COOK_OK) {
        return cook_scan_fail(scan, line, "%s", error.message);
    }
    cook_scan_object(scan, cook_file_object_name(name, source->path), SHADER_CLASS, NULL);
    cook_asset_scan_side(scan, source);
    return COOK_OK;
}

static enum cook_status load_shader(struct cook_context *context, struct cook_loader *loader,
                                    const struct cook_source *source)
{
    struct cook_error error = COOK_ERROR_INIT;
    enum cook_shader_stage stage;
    uint32_t line;
    char name[256];
    if (check_text(&stage, &line, source, &error) != COOK_OK) {
        return cook_load_fail(loader, line, "%s", error.message);
    }
    struct cook_shader *shader =
        cook_load_object(loader, SHADER_CLASS, cook_file_object_name(name, source->path), NULL);
    if (shader == NULL) {
        return COOK_E_FAILED;
    }
    shader->stage = (int32_t)stage;
    if (source->size > 0) {
        shader->text = cook_make_string(context, shader_text(source));
        if (shader->text.data == NULL && *shader_text(source) != '\0') {
            return COOK_E_NO_MEMORY;
        }
    }
    return cook_reflect_load_side(loader, source);
}

static const char *const extensions[] = { ".vert", ".frag", ".comp", ".glsl", NULL };

const struct cook_reader cook_reader_glsl = {
    .name = "glsl",
    .version = 2,
    .extensions = extensions,
    .scan = scan_shader,
    .load = load_shader,
};
