/*
 * Shader's transform on plain data: GLSL text to SPIR-V for Vulkan 1.1, through shaderc, which
 * shader_compile.c alone sees. Includes are read through a callback. Optimised for performance
 * and stripped, unless debug information is wanted. Thread-safe: each call has a compiler of
 * its own.
 *
 * Files are named by *include paths*: "./Lit.frag" and "../Common/fog.glsl" are relative to the
 * folder of the shader's own file, "Shaders/fog.glsl" to the project; as cook_read_file() has
 * it.
 */
#ifndef COOK_CLASSES_SHADER_COMPILE_H
#define COOK_CLASSES_SHADER_COMPILE_H

#include <cook/context.h>
#include <cook/standard.h>

#include "cook/base/buf.h"
#include "cook/base/error.h"

#define COOK_SHADER_MAX_INCLUDE_DEPTH 64
#define COOK_SHADER_MAX_INCLUDES      4096
#define COOK_SHADER_MAX_TEXT_BYTES    ((size_t)64 << 20) /* with all includes */

/* Read an include; statuses as cook_read_file(). The bytes must live until the compile ends. */
typedef enum cook_status (*cook_shader_read)(void *user, const char *path,
                                             struct cook_bytes *bytes);

struct cook_shader_input {
    const char *name; /* include path of the shader's own file */
    struct cook_string text;
    enum cook_shader_stage stage;      /* not NONE */
    const struct cook_string *defines; /* "NAME=VALUE"; "NAME" alone is 1; later ones win */
    size_t define_count;
    bool debug_info;
    cook_shader_read read;
    void *user;
};

struct cook_shader_output {
    struct cook_bytes spirv; /* owned: cook_free(); empty unless COOK_OK */
    struct cook_buf log;     /* errors and warnings, for cook_shader_log_next() */
};

/*
 * Compile. COOK_E_FAILED when the text has errors (see `log`), COOK_E_INVALID for a define that
 * is no NAME=VALUE, COOK_E_LIMIT, COOK_E_NO_MEMORY; `error` gets a summary. `*out` is set in
 * every case and must be finished.
 */
enum cook_status cook_shader_compile(struct cook_shader_output *out,
                                     const struct cook_shader_input *input,
                                     struct cook_error *error) COOK_CHECK_RESULT;
void cook_shader_output_finish(struct cook_shader_output *output);
/* "shaderc 2023.2.1, glslang 12.0.0, SPIRV-Tools v2023.1" in two parts; constant text. */
const char *cook_shader_compiler_version(void);
const char *cook_shader_optimizer_version(void);

/* ---- include paths (shader_include.c) ---- */

/*
 * The include path of `requested` as written in the file `from`: relative to that file. In
 * `arena`; NULL when it would leave the project, is absolute, or holds a backslash or control
 * character.
 */
char *cook_shader_include_path(struct cook_arena *arena, const char *from,
                               const char *requested);
/* For people: "./a.glsl" of "Content/Shaders/Lit.frag" is "Content/Shaders/a.glsl". */
char *cook_shader_display_path(struct cook_arena *arena, const char *source, const char *path);

/* ---- the compiler's log (shader_log.c) ---- */

struct cook_shader_message {
    enum cook_severity severity;
    char path[256]; /* include path, cut; "" when the compiler names no file */
    uint32_t line;  /* 0: none */
    const char *text;
    size_t text_size;
};
/* The next message of a log at `*cursor` (moved on), or false at its end. */
bool cook_shader_log_next(struct cook_shader_message *message, const char **cursor);

#endif
