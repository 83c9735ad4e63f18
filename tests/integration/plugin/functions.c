/* Function dependencies: they look at files by themselves, as only code can. */
#include "kinds.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void read_text(const char *path, char *text, size_t size)
{
    FILE *file = fopen(path, "r");
    size_t read = file ? fread(text, 1, size - 1, file) : 0;
    text[read] = '\0';
    if (file)
        fclose(file);
    if (strncmp(text, "crash", 5) == 0)
        abort();
}

static void sum_evaluate(struct cook_schema *schema, const void *value)
{
    const struct kinds_arguments *arguments = value;
    char text[64];
    read_text(arguments->path.data, text, sizeof(text));
    cook_schema_add_u64(schema, "sum", (uint64_t)((int64_t)atoi(text) * arguments->factor));
    const struct cook_string *tags = arguments->tags.items;
    for (uint32_t i = 0; i < arguments->tags.count; i++)
        cook_schema_add_string(schema, "tag", tags[i].data);
}

static void tool_evaluate(struct cook_schema *schema, const void *arguments)
{
    char text[64];
    (void)arguments;
    read_text("Data/tool.txt", text, sizeof(text));
    cook_schema_add_string(schema, "tool", text);
}

static const struct cook_property argument_properties[] = {
    COOK_PROPERTY(struct kinds_arguments, path, "Path", COOK_PROPERTY_STRING),
    COOK_PROPERTY(struct kinds_arguments, factor, "Factor", COOK_PROPERTY_I32),
    COOK_PROPERTY_ARRAY_OF(struct kinds_arguments, tags, "Tags", COOK_PROPERTY_STRING, NULL),
    COOK_PROPERTY_END,
};
static const struct cook_struct arguments_struct = { .name = "KindsArguments",
                                                     .size = sizeof(struct kinds_arguments),
                                                     .properties = argument_properties };
static const struct cook_function sum_function = { .name = "KindsSum",
                                                   .arguments_struct = "KindsArguments",
                                                   .evaluate = sum_evaluate };
static const struct cook_function tool_function = { .name = "KindsTool",
                                                    .evaluate = tool_evaluate };

void kinds_register_functions(struct cook_registrar *registrar)
{
    cook_register_struct(registrar, &arguments_struct);
#ifdef WITHOUT_FUNCTIONS
    (void)sum_function;
    (void)tool_function;
#else
    cook_register_function(registrar, &sum_function);
    cook_register_function(registrar, &tool_function);
#endif
}
