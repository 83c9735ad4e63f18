/*
 * The class schema: what shapes all objects of a class. A changed schema cooks every package
 * that holds the class, so it is for what concerns all of them; what concerns one object is
 * read through the context instead.
 *
 * - append_to_class_schema: config that the whole class goes by.
 * - declare_custom_versions: bump a version whenever `serialize` or a transform gives something
 *   else for the same input. Nobody sees that code has changed: without a new version the
 *   packages are skipped, and the old bytes stay.
 * - declare_construct_classes: classes whose objects or layouts this one makes by itself. Their
 *   schemas enter this one; without it a cookbook keeps recipes of the old form.
 */
#include "mechanisms.h"

#define RECIPE_VERSION 1u

static void recipe_append_to_class_schema(struct cook_schema *schema)
{
    cook_schema_add_config(schema, "Mechanisms", "RecipeFormat");
}

static void recipe_declare_custom_versions(struct cook_schema *schema)
{
    cook_schema_add_version(schema, "mechanisms.recipe", RECIPE_VERSION);
}

/* Recorded for the package as well; the schema matters where no object would read it. */
static enum cook_status recipe_pre_save(struct cook_context *context, void *object)
{
    const char *format = cook_config(context, "Mechanisms", "RecipeFormat", NULL);

    return exhibit_show(context, object, "recipe %u, %s", RECIPE_VERSION,
                        format ? format : "plain");
}

static void cookbook_declare_construct_classes(struct cook_schema *schema)
{
    cook_schema_add_class(schema, "/Script/Mechanisms.Recipe");
}

static const struct cook_class recipe_class = {
    .name = "Recipe",
    .parent = EXHIBIT_CLASS,
    .size = sizeof(struct exhibit),
    .pre_save = recipe_pre_save,
    .append_to_class_schema = recipe_append_to_class_schema,
    .declare_custom_versions = recipe_declare_custom_versions,
};
static const struct cook_class cookbook_class = {
    .name = "Cookbook",
    .parent = EXHIBIT_CLASS,
    .size = sizeof(struct exhibit),
    .declare_construct_classes = cookbook_declare_construct_classes,
};

void mechanisms_register_schema(struct cook_registrar *registrar)
{
    cook_register_class(registrar, &recipe_class);
    cook_register_class(registrar, &cookbook_class);
}
