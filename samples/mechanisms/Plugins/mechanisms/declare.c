/*
 * Declared dependencies, for what cannot be seen: on_cook_event is called once after the save
 * of each object, and names what the save depended on.
 */
#include "mechanisms.h"

#include <stdio.h>

/* Stands for a library of others, which opens files by itself. */
static void library_read(const char *path, char *text, size_t size)
{
    FILE *file = fopen(path, "r");
    size_t read = file ? fread(text, 1, size - 1, file) : 0;

    text[read] = '\0';
    if (file)
        (void)fclose(file);
}

static enum cook_status middleware_pre_save(struct cook_context *context, void *object)
{
    char text[64];

    library_read("Data/middleware.cfg", text, sizeof(text));
    return exhibit_show(context, object, "%s", text);
}

/* Without this line an edited middleware.cfg is a false skip (`cook full --lint-inputs` says
 * so). */
static enum cook_status middleware_on_cook_event(struct cook_context *context, void *object,
                                                 enum cook_event event)
{
    (void)object;
    if (event == COOK_EVENT_SAVE)
        cook_depend_file(context, "Data/middleware.cfg");
    return COOK_OK;
}

/*
 * A class by its name: for who writes down what a class is like without holding an object of
 * it, as a table of layouts does. Objects in the package depend on their classes by themselves.
 */
static enum cook_status layout_on_cook_event(struct cook_context *context, void *object,
                                             enum cook_event event)
{
    (void)object;
    if (event == COOK_EVENT_SAVE)
        cook_depend_class(context, "/Script/Mechanisms.Recipe");
    return COOK_OK;
}

/*
 * A function: for what only code can look at, like the version of a tool. It is called again at
 * each later cook, so it should be quick, and must depend on its arguments and what it looks at
 * alone. Arguments are values of a registered struct, so that they can be kept in the store.
 */
struct tool {
    struct cook_string path;
};

static const struct cook_property tool_properties[] = {
    COOK_PROPERTY(struct tool, path, "Path", COOK_PROPERTY_STRING),
    COOK_PROPERTY_END,
};
static const struct cook_struct tool_struct = { .name = "MechanismsTool",
                                                .size = sizeof(struct tool),
                                                .properties = tool_properties };

static void evaluate_version(struct cook_schema *schema, const void *arguments)
{
    const struct tool *tool = arguments;
    char text[64];

    library_read(tool->path.data, text, sizeof(text));
    cook_schema_add_string(schema, "version", text);
}

static const struct cook_function version_function = { .name = "MechanismsToolVersion",
                                                       .arguments_struct = "MechanismsTool",
                                                       .evaluate = evaluate_version };

static enum cook_status exported_on_cook_event(struct cook_context *context, void *object,
                                               enum cook_event event)
{
    struct tool tool = { cook_make_string(context, "Data/exporter.txt") };

    (void)object;
    if (event != COOK_EVENT_SAVE)
        return COOK_OK;
    return cook_depend_function(context, "MechanismsToolVersion", &tool);
}

static const struct cook_class classes[] = {
    { .name = "MiddlewareBank",
      .parent = EXHIBIT_CLASS,
      .size = sizeof(struct exhibit),
      .pre_save = middleware_pre_save,
      .on_cook_event = middleware_on_cook_event },
    { .name = "LayoutTable",
      .parent = EXHIBIT_CLASS,
      .size = sizeof(struct exhibit),
      .on_cook_event = layout_on_cook_event },
    { .name = "Exported",
      .parent = EXHIBIT_CLASS,
      .size = sizeof(struct exhibit),
      .on_cook_event = exported_on_cook_event },
};

void mechanisms_register_declare(struct cook_registrar *registrar)
{
    cook_register_struct(registrar, &tool_struct);
    cook_register_function(registrar, &version_function);
    for (size_t i = 0; i < sizeof(classes) / sizeof(classes[0]); i++)
        cook_register_class(registrar, &classes[i]);
}
