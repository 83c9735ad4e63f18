/* Classes whose schemas change between variants: by a version, by a class that they construct. */
#include "kinds.h"

static void versioned_versions(struct cook_schema *schema)
{
    cook_schema_add_version(schema, "kinds.versioned", CUSTOM_VERSION);
}

static void made_versions(struct cook_schema *schema)
{
    cook_schema_add_version(schema, "kinds.made", MADE_VERSION);
}

static void maker_classes(struct cook_schema *schema)
{
    cook_schema_add_class(schema, "/Script/Kinds.Made");
    cook_schema_add_class(schema, "/Script/Kinds.Later");
}

/* Constructs its maker in turn: the walk must end. */
static void made_classes(struct cook_schema *schema)
{
    cook_schema_add_class(schema, "/Script/Kinds.Maker");
}

static const struct cook_class versioned_class = { .name = "Versioned",
                                                   .parent = PROBE_CLASS,
                                                   .size = sizeof(struct kinds_probe),
                                                   .declare_custom_versions = versioned_versions };
static const struct cook_class heir_class = { .name = "Heir",
                                              .parent = "/Script/Kinds.Versioned",
                                              .size = sizeof(struct kinds_probe) };
static const struct cook_class made_class = { .name = "Made",
                                              .parent = PROBE_CLASS,
                                              .size = sizeof(struct kinds_probe),
                                              .declare_custom_versions = made_versions,
                                              .declare_construct_classes = made_classes };
static const struct cook_class maker_class = { .name = "Maker",
                                               .parent = PROBE_CLASS,
                                               .size = sizeof(struct kinds_probe),
                                               .declare_construct_classes = maker_classes };
/* Registered in one variant only; its parent differs between two. */
static const struct cook_class later_class = { .name = "Later",
#ifdef LATER_IS_VERSIONED
                                               .parent = "/Script/Kinds.Versioned",
#else
                                               .parent = PROBE_CLASS,
#endif
                                               .size = sizeof(struct kinds_probe) };

void kinds_register_schemas(struct cook_registrar *registrar)
{
    cook_register_class(registrar, &versioned_class);
    cook_register_class(registrar, &heir_class);
    cook_register_class(registrar, &made_class);
    cook_register_class(registrar, &maker_class);
#ifdef WITH_LATER
    cook_register_class(registrar, &later_class);
#else
    (void)later_class;
#endif
}
