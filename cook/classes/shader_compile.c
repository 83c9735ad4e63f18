#include "cook/classes/shader_compile.h"

#include <pthread.h>
#include <string.h>

#include <glslang/build_info.h>
#include <shaderc/shaderc.h>
#include <spirv-tools/libspirv.h>

#include "cook/base/alloc.h"
#include "cook/base/path.h"

#define TEXT_OF(x)  TEXT_OF_(x)
#define TEXT_OF_(x) #x

const char *cook_shader_compiler_version(void)
{
    return "shaderc " COOK_SHADERC_VERSION
           ", glslang " TEXT_OF(GLSLANG_VERSION_MAJOR) "." TEXT_OF(
               GLSLANG_VERSION_MINOR) "." TEXT_OF(GLSLANG_VERSION_PATCH);
}

const char *cook_shader_optimizer_version(void)
{
    return spvSoftwareVersionString();
}

/*
 * The one state in this folder that outlives a call, and not ours: while any compiler is alive
 * the library keeps its tables of built-in functions, which cost 105 ms to make against 0.6 ms
 * for a small shader. The handle made here is never used to compile and never released.
 */
static pthread_once_t tables_once = PTHREAD_ONCE_INIT;
static shaderc_compiler_t tables_holder;

static void hold_tables(void)
{
    tables_holder = shaderc_compiler_initialize();
}

struct include_file {
    const char *path;
    struct cook_bytes bytes;
};

/* One compile's includes. */
struct includes {
    const struct cook_shader_input *input;
    struct cook_arena arena;
    struct include_file *files; /* owned; read so far */
    size_t file_count;
    size_t file_capacity;
    size_t include_count;
    size_t total_bytes;
    enum cook_status status; /* of a read that failed, other than for absence */
};

/* A result without a name is the library's sign of failure; its content is the reason. */
static shaderc_include_result *give(struct includes *includes, const char *name,
                                    const char *content, size_t size)
{
    shaderc_include_result *result = cook_arena_alloc(&includes->arena, sizeof(*result));

    if (result == NULL)
        return NULL;
    *result = (shaderc_include_result){
        .source_name = name,
        .source_name_length = strlen(name),
        .content = content,
        .content_length = size,
    };
    return result;
}

static shaderc_include_result *refuse(struct includes *includes, const char *reason)
{
    return give(includes, "", reason, strlen(reason));
}

static const struct include_file *find_file(const struct includes *includes, const char *path)
{
    for (size_t i = 0; i < includes->file_count; i++) {
        if (strcmp(includes->files[i].path, path) == 0)
            return &includes->files[i];
    }
    return NULL;
}

/* The file at `path`, read at most once a compile. NULL in `*out` unless COOK_OK. */
static enum cook_status load_file(const struct include_file **out, struct includes *includes,
                                  const char *path)
{
    struct cook_bytes bytes = { NULL, 0 };

    *out = find_file(includes, path);
    if (*out != NULL)
        return COOK_OK;
    enum cook_status status = includes->input->read(includes->input->user, path, &bytes);
    if (status != COOK_OK)
        return status;
    if (!cook_grow(&includes->files, &includes->file_capacity, includes->file_count + 1,
                   sizeof(*includes->files)))
        return COOK_E_NO_MEMORY;
    struct include_file *file = &includes->files[includes->file_count++];
    *file = (struct include_file){ path, bytes };
    *out = file;
    return COOK_OK;
}

/*
 * Called for `#include "x"` with the relative type, and again with the standard type when that
 * failed; for `#include <x>` with the standard type alone.
 */
static shaderc_include_result *resolve(void *user, const char *requested, int type,
                                       const char *requesting, size_t depth)
{
    struct includes *includes = user;
    const struct include_file *file = NULL;
    bool relative = type == (int)shaderc_include_type_relative;

    if (depth > COOK_SHADER_MAX_INCLUDE_DEPTH ||
        ++includes->include_count > COOK_SHADER_MAX_INCLUDES)
        return refuse(includes, "includes go too deep, or there are too many");
    const char *path =
        cook_shader_include_path(&includes->arena, relative ? requesting : "", requested);
    if (path == NULL)
        return refuse(includes, "no path within the project");
    enum cook_status status = load_file(&file, includes, path);
    if (status != COOK_OK) {
        /* Another file must not stand in for one that is there and cannot be read. */
        if (status != COOK_E_NOT_FOUND && status != COOK_E_INVALID)
            includes->status = status;
        return refuse(includes, cook_status_text(status));
    }
    if (file->bytes.size > COOK_SHADER_MAX_TEXT_BYTES - includes->total_bytes)
        return refuse(includes, "the shader with its includes is too large");
    includes->total_bytes += file->bytes.size;
    return give(includes, file->path,
                file->bytes.size != 0 ? (const char *)file->bytes.data : "", file->bytes.size);
}

static void release_include(void *user, shaderc_include_result *result)
{
    (void)user; /* the arena owns it */
    (void)result;
}

static bool is_identifier(const char *text, size_t size)
{
    for (size_t i = 0; i < size; i++) {
        char c = text[i];
        bool letter = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
        if (!letter && !(i > 0 && c >= '0' && c <= '9'))
            return false;
    }
    return size != 0;
}

static enum cook_status add_define(shaderc_compile_options_t options, struct cook_string define,
                                   struct cook_error *error)
{
    const char *text = define.data != NULL ? define.data : "";
    const char *equals = memchr(text, '=', define.size);
    size_t name_size = equals != NULL ? (size_t)(equals - text) : define.size;

    if (!is_identifier(text, name_size) || memchr(text, '\n', define.size) != NULL)
        return cook_error_set(error, COOK_E_INVALID,
                              "define '%s' is not of the form NAME=VALUE", text);
    if (equals != NULL)
        shaderc_compile_options_add_macro_definition(options, text, name_size, equals + 1,
                                                     define.size - name_size - 1);
    else
        shaderc_compile_options_add_macro_definition(options, text, name_size, "1", 1);
    return COOK_OK;
}

static enum cook_status set_options(shaderc_compile_options_t options,
                                    struct includes *includes, struct cook_error *error)
{
    const struct cook_shader_input *input = includes->input;

    shaderc_compile_options_set_source_language(options, shaderc_source_language_glsl);
    shaderc_compile_options_set_target_env(options, shaderc_target_env_vulkan,
                                           shaderc_env_version_vulkan_1_1);
    shaderc_compile_options_set_optimization_level(options,
                                                   shaderc_optimization_level_performance);
    if (input->debug_info)
        shaderc_compile_options_set_generate_debug_info(options);
    shaderc_compile_options_set_include_callbacks(options, resolve, release_include, includes);
    for (size_t i = 0; i < input->define_count; i++) {
        enum cook_status status = add_define(options, input->defines[i], error);
        if (status != COOK_OK)
            return status;
    }
    return COOK_OK;
}

static shaderc_shader_kind shader_kind(enum cook_shader_stage stage)
{
    if (stage == COOK_SHADER_STAGE_VERTEX)
        return shaderc_vertex_shader;
    return stage == COOK_SHADER_STAGE_COMPUTE ? shaderc_compute_shader
                                              : shaderc_fragment_shader;
}

static enum cook_status take_result(struct cook_shader_output *out,
                                    const shaderc_compilation_result_t result,
                                    struct cook_error *error)
{
    const char *log = shaderc_result_get_error_message(result);

    cook_buf_put(&out->log, log, strlen(log));
    if (out->log.failed)
        return cook_error_set(error, COOK_E_NO_MEMORY, "out of memory for the compiler's log");
    if (shaderc_result_get_compilation_status(result) != shaderc_compilation_status_success)
        return cook_error_set(error, COOK_E_FAILED, "the shader does not compile: errors: %zu",
                              shaderc_result_get_num_errors(result));
    size_t size = shaderc_result_get_length(result);
    out->spirv.data = cook_malloc(size);
    if (out->spirv.data == NULL)
        return cook_error_set(error, COOK_E_NO_MEMORY, "out of memory for SPIR-V");
    memcpy(out->spirv.data, shaderc_result_get_bytes(result), size);
    out->spirv.size = size;
    return COOK_OK;
}

static enum cook_status compile(struct cook_shader_output *out, struct includes *includes,
                                shaderc_compiler_t compiler, shaderc_compile_options_t options,
                                struct cook_error *error)
{
    const struct cook_shader_input *input = includes->input;
    const char *text = input->text.data != NULL ? input->text.data : "";

    if (compiler == NULL || options == NULL)
        return cook_error_set(error, COOK_E_NO_MEMORY, "the shader compiler does not start");
    enum cook_status status = set_options(options, includes, error);
    if (status != COOK_OK)
        return status;
    shaderc_compilation_result_t result =
        shaderc_compile_into_spv(compiler, text, input->text.size, shader_kind(input->stage),
                                 input->name, "main", options);
    if (result == NULL)
        return cook_error_set(error, COOK_E_NO_MEMORY, "the shader compiler gives no result");
    if (includes->status != COOK_OK)
        status = cook_error_set(error, includes->status, "an include cannot be read: %s",
                                cook_status_text(includes->status));
    else
        status = take_result(out, result, error);
    shaderc_result_release(result);
    return status;
}

enum cook_status cook_shader_compile(struct cook_shader_output *out,
                                     const struct cook_shader_input *input,
                                     struct cook_error *error)
{
    struct includes includes = { .input = input, .total_bytes = input->text.size };

    *out = (struct cook_shader_output){ { NULL, 0 }, COOK_BUF_INIT };
    if (input->text.size > COOK_SHADER_MAX_TEXT_BYTES)
        return cook_error_set(error, COOK_E_LIMIT, "the shader's text is too large");
    pthread_once(&tables_once, hold_tables);
    shaderc_compiler_t compiler = tables_holder != NULL ? shaderc_compiler_initialize() : NULL;
    shaderc_compile_options_t options = shaderc_compile_options_initialize();
    enum cook_status status = compile(out, &includes, compiler, options, error);
    shaderc_compile_options_release(options);
    shaderc_compiler_release(compiler);
    cook_arena_finish(&includes.arena);
    cook_free(includes.files);
    return status;
}

void cook_shader_output_finish(struct cook_shader_output *output)
{
    cook_free(output->spirv.data);
    cook_buf_finish(&output->log);
    *output = (struct cook_shader_output){ { NULL, 0 }, COOK_BUF_INIT };
}
