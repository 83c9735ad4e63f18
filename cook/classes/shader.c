#include <inttypes.h>
#include <string.h>

#include "cook/base/alloc.h"
#include "cook/base/path.h"
#include "cook/classes/classes.h"
#include "cook/classes/shader_compile.h"

/* Bump when the cooked form, or how the compiler is called, changes. */
#define SHADER_VERSION 1u

#define SHADER_MAX_MESSAGES 64

static const struct cook_enum_entry stage_entries[] = {
    { "None", COOK_SHADER_STAGE_NONE },
    { "Vertex", COOK_SHADER_STAGE_VERTEX },
    { "Fragment", COOK_SHADER_STAGE_FRAGMENT },
    { "Compute", COOK_SHADER_STAGE_COMPUTE },
    { NULL, 0 },
};
static const struct cook_enum stage_enum = { "ShaderStage", stage_entries };

static const struct cook_property shader_properties[] = {
    COOK_PROPERTY_FLAGGED(struct cook_shader, text, "Text", COOK_PROPERTY_STRING,
                          COOK_PROPERTY_EDITOR_ONLY),
    COOK_PROPERTY_TYPED(struct cook_shader, stage, "Stage", COOK_PROPERTY_ENUM, "ShaderStage"),
    { "Defines", COOK_PROPERTY_ARRAY, (uint32_t)offsetof(struct cook_shader, defines),
      COOK_PROPERTY_EDITOR_ONLY, NULL, COOK_PROPERTY_STRING },
    COOK_PROPERTY_END,
};

static enum cook_status read_include(void *user, const char *path, struct cook_bytes *bytes)
{
    return cook_read_file(user, path, bytes);
}

/* The config's defines, then the shader's own, which win. `*out` is owned by the caller. */
static enum cook_status gather_defines(struct cook_string **out, size_t *count,
                                       struct cook_context *context,
                                       const struct cook_shader *self)
{
    const struct cook_string *own = self->defines.items;
    size_t config_count = 0;

    *out = NULL;
    *count = 0;
    if (cook_config(context, "Shader", "Define", &config_count) == NULL)
        config_count = 0;
    size_t total = config_count + self->defines.count;
    if (total == 0)
        return COOK_OK;
    struct cook_string *defines = cook_calloc(total, sizeof(*defines));
    if (defines == NULL)
        return COOK_E_NO_MEMORY;
    for (size_t i = 0; i < config_count; i++) {
        const char *text = cook_config_at(context, "Shader", "Define", i);
        defines[i] = (struct cook_string){ text, text != NULL ? strlen(text) : 0 };
    }
    for (size_t i = 0; i < self->defines.count; i++)
        defines[config_count + i] = own[i];
    *out = defines;
    *count = total;
    return COOK_OK;
}

static void log_message(struct cook_context *context, struct cook_arena *arena,
                        const struct cook_shader_message *message)
{
    const char *source = cook_source_path(context);
    const char *path = message->path[0] != '\0'
                           ? cook_shader_display_path(arena, source, message->path)
                           : source;
    int size = message->text_size < 2048 ? (int)message->text_size : 2048;

    if (path == NULL)
        path = source;
    if (message->line != 0)
        cook_log(context, message->severity, "%s:%" PRIu32 ": %.*s", path, message->line, size,
                 message->text);
    else
        cook_log(context, message->severity, "%s: %.*s", path, size, message->text);
}

static void log_messages(struct cook_context *context, struct cook_shader_output *output)
{
    struct cook_arena arena = COOK_ARENA_INIT;
    struct cook_shader_message message;
    const char *cursor = cook_buf_text(&output->log);
    int logged = 0;

    while (cook_shader_log_next(&message, &cursor)) {
        if (++logged > SHADER_MAX_MESSAGES) {
            cook_log(context, COOK_SEVERITY_INFO, "%s: further compiler messages left out",
                     cook_source_path(context));
            break;
        }
        log_message(context, &arena, &message);
    }
    cook_arena_finish(&arena);
}

/* Includes and messages are relative to the shader's own file. */
static char *own_name(struct cook_arena *arena, struct cook_context *context)
{
    return cook_arena_printf(arena, "./%s", cook_path_name(cook_source_path(context)));
}

static enum cook_status compile(struct cook_context *context, struct cook_shader *self,
                                const char *name, const struct cook_string *defines,
                                size_t define_count)
{
    struct cook_shader_output output;
    struct cook_error error = COOK_ERROR_INIT;
    struct cook_shader_input input = {
        .name = name,
        .text = self->text,
        .stage = (enum cook_shader_stage)self->stage,
        .defines = defines,
        .define_count = define_count,
        .debug_info = cook_config_flag(context, "Shader", "DebugInfo", false),
        .read = read_include,
        .user = context,
    };

    enum cook_status status = cook_shader_compile(&output, &input, &error);
    log_messages(context, &output);
    if (status == COOK_OK) {
        self->spirv = output.spirv; /* ownership moves; clear_cached frees */
        output.spirv = (struct cook_bytes){ NULL, 0 };
    } else {
        cook_log(context, COOK_SEVERITY_ERROR, "%s: %s", cook_object_inner_path(self),
                 error.message);
    }
    cook_shader_output_finish(&output);
    return status;
}

static enum cook_status shader_transform(struct cook_context *context, void *object)
{
    struct cook_arena arena = COOK_ARENA_INIT;
    struct cook_string *defines = NULL;
    size_t define_count = 0;
    char *name = own_name(&arena, context);

    enum cook_status status = gather_defines(&defines, &define_count, context, object);
    if (name == NULL)
        status = COOK_E_NO_MEMORY;
    if (status == COOK_OK)
        status = compile(context, object, name, defines, define_count);
    cook_free(defines);
    cook_arena_finish(&arena);
    return status;
}

static enum cook_status shader_begin_cache(struct cook_context *context, void *object)
{
    const struct cook_shader *self = object;

    if (self->stage == COOK_SHADER_STAGE_NONE)
        return COOK_OK;
    if (self->stage < 0 || self->stage > COOK_SHADER_STAGE_COMPUTE) {
        cook_log(context, COOK_SEVERITY_ERROR, "%s: unknown shader stage %" PRId32,
                 cook_object_inner_path(object), self->stage);
        return COOK_E_INVALID;
    }
    return cook_async_run(context, shader_transform, object);
}

static void shader_clear_cached(struct cook_context *context, void *object)
{
    struct cook_shader *self = object;

    (void)context;
    cook_free(self->spirv.data);
    self->spirv = (struct cook_bytes){ NULL, 0 };
}

static void shader_serialize(struct cook_archive *archive, void *object)
{
    struct cook_shader *self = object;

    if (cook_archive_phase(archive) == COOK_PHASE_LOAD)
        return;
    cook_write_bulk(archive, "Code", self->spirv.data, self->spirv.size);
}

static void shader_append_to_class_schema(struct cook_schema *schema)
{
    cook_schema_add_version(schema, "Cook.Shader", SHADER_VERSION);
    cook_schema_add_string(schema, "compiler", cook_shader_compiler_version());
    cook_schema_add_string(schema, "optimizer", cook_shader_optimizer_version());
}

static const struct cook_class shader_class = {
    .name = "Shader",
    .size = sizeof(struct cook_shader),
    .properties = shader_properties,
    .begin_cache = shader_begin_cache,
    .clear_cached = shader_clear_cached,
    .serialize = shader_serialize,
    .append_to_class_schema = shader_append_to_class_schema,
};

void cook_shader_register(struct cook_registrar *registrar)
{
    cook_register_enum(registrar, &stage_enum);
    cook_register_class(registrar, &shader_class);
}
