#include "cook/object/functions.h"

#include <string.h>

#include "cook/archive/base64.h"
#include "cook/object/marshal.h"
#include "cook/object/schema.h"

char *cook_function_args(const struct cook_registrar *types, const char *name,
                         const void *arguments, struct cook_arena *arena)
{
    const struct cook_function *function = cook_types_function(types, name);
    if (!function)
        return NULL;
    if (!function->arguments_struct || !arguments)
        return cook_arena_strdup(arena, name);
    const struct cook_struct_info *info = cook_types_struct(types, function->arguments_struct);
    struct cook_buf bytes = COOK_BUF_INIT;
    cook_marshal(types, info->description->properties, arguments, &bytes);
    char *encoded = bytes.failed ? NULL : cook_base64_encode(arena, bytes.data, bytes.size);
    cook_buf_finish(&bytes);
    return encoded ? cook_arena_printf(arena, "%s %s", name, encoded) : NULL;
}

/* The arguments that stand in `text`, constructed and filled; NULL when they do not fit. */
static void *read_arguments(const struct cook_registrar *types, const struct cook_function *function,
                            const char *text, struct cook_arena *arena)
{
    const struct cook_struct_info *info = cook_types_struct(types, function->arguments_struct);
    size_t size;
    uint8_t *bytes = cook_arena_alloc(arena, strlen(text) / 4 * 3 + 4);
    void *value = cook_arena_alloc(arena, info->description->size);
    if (!bytes || !value || !cook_base64_decode(bytes, &size, text, strlen(text)))
        return NULL;
    struct cook_reader_buf in = cook_read_init(bytes, size);
    if (info->description->construct)
        info->description->construct(value);
    bool fits = cook_unmarshal(types, info->description->properties, value, &in, arena) &&
                cook_read_at_end(&in);
    return fits ? value : NULL;
}

enum cook_status cook_function_evaluate(struct cook_registrar *types,
                                        const struct cook_config *config, const char *args,
                                        struct cook_hash *value)
{
    struct cook_arena arena = COOK_ARENA_INIT;
    const char *space = strchr(args, ' ');
    char *name = cook_arena_strndup(&arena, args, space ? (size_t)(space - args) : strlen(args));
    const struct cook_function *function = name ? cook_types_function(types, name) : NULL;
    *value = (struct cook_hash){ 0, 0 };
    enum cook_status status = function ? COOK_OK : COOK_E_NOT_FOUND;
    const void *arguments = NULL;
    if (function && space) {
        if (function->arguments_struct)
            arguments = read_arguments(types, function, space + 1, &arena);
        status = arguments ? COOK_OK : COOK_E_MALFORMED;
        if (!arguments)
            value->low = 1;
    }
    if (status == COOK_OK)
        *value = cook_schema_of_function(types, function, arguments, config);
    cook_arena_finish(&arena);
    return status;
}
