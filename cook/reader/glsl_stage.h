/*
 * The stage of a GLSL file: by its extension, or for ".glsl" by `#pragma shader_stage(vertex)`.
 * Thread-safe; allocates nothing. The text is untrusted.
 */
#ifndef COOK_READER_GLSL_STAGE_H
#define COOK_READER_GLSL_STAGE_H

#include <stdint.h>

#include <cook/standard.h>

#include "cook/base/error.h"

/*
 * `*stage` is COOK_SHADER_STAGE_NONE for a ".glsl" file without the pragma (an include
 * library). `text` is NUL-terminated. COOK_E_MALFORMED with `*line` (1-based) for a pragma that
 * names no known stage.
 */
enum cook_status cook_glsl_stage(enum cook_shader_stage *stage, uint32_t *line,
                                 const char *path, const char *text,
                                 struct cook_error *error) COOK_CHECK_RESULT;

#endif
