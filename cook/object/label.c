/*
 * /Script/Cook.PrimaryAssetLabel: cook rules that live in content. What it names is read from the
 * registry's facts (plan/labels.c); as an object it is saved like any other where the cook reaches it.
 */
#include "cook/object/label.h"

struct label {
    struct cook_object object;
    int32_t rule;
    int32_t priority;
    int32_t chunk;
    struct cook_array assets;  /* struct cook_soft_ref */
    struct cook_array folders; /* struct cook_string */
};

static const struct cook_enum_entry rule_entries[] = {
    { "Unknown", 0 }, { "NeverCook", 1 }, { "DevelopmentCook", 2 }, { "AlwaysCook", 3 }, { NULL, 0 }
};
static const struct cook_enum rule_enum = { .name = "CookRule", .entries = rule_entries };

/* The label's rule decides about what it names, so naming it is no edge of its own. */
static const struct cook_property properties[] = {
    COOK_PROPERTY_TYPED(struct label, rule, "Rule", COOK_PROPERTY_ENUM, "CookRule"),
    COOK_PROPERTY(struct label, priority, "Priority", COOK_PROPERTY_I32),
    COOK_PROPERTY(struct label, chunk, "Chunk", COOK_PROPERTY_I32),
    { "Assets", COOK_PROPERTY_ARRAY, (uint32_t)offsetof(struct label, assets),
      COOK_PROPERTY_TRUE_SOFT, NULL, COOK_PROPERTY_SOFT_REF },
    COOK_PROPERTY_ARRAY_OF(struct label, folders, "Folders", COOK_PROPERTY_STRING, NULL),
    COOK_PROPERTY_END,
};

static void construct(void *object)
{
    struct label *label = object;
    label->chunk = -1;
}

static const struct cook_class label_class = {
    .name = "PrimaryAssetLabel",
    .size = sizeof(struct label),
    .properties = properties,
    .construct = construct,
};

void cook_label_register(struct cook_registrar *types)
{
    cook_register_enum(types, &rule_enum);
    cook_register_class(types, &label_class);
}
