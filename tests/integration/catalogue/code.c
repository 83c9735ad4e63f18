/* Code that changes (CHANGED) without a version; the twins' classes bump theirs. */
#include <string.h>

#include "catalogue.h"
#include "third.h"

#ifdef CHANGED
#define EDIT(before, after) after
#else
#define EDIT(before, after) before
#endif

/* The same class twice: one forgets its version. */
#define CODE_FAULT(fault, ...)                                                                 \
    FAULT(fault, __VA_ARGS__)                                                                  \
    static void fault##Twin_schema(struct cook_schema *schema)                                 \
    {                                                                                          \
        cook_schema_add_version(schema, #fault "Twin", EDIT(1, 2));                            \
    }                                                                                          \
    static const struct cook_class fault##Twin_class = { .name = #fault "Twin",                \
                                                         .size = sizeof(struct subject),       \
                                                         .properties = subject_properties,     \
                                                         .serialize = fault##_serialize,       \
                                                         .append_to_class_schema =             \
                                                             fault##Twin_schema,               \
                                                         __VA_ARGS__ };

__attribute__((noinline)) static uint64_t deep_inner(uint64_t x)
{
    return x * EDIT(3, 5) + 1;
}

__attribute__((noinline)) static uint64_t deep_outer(uint64_t x)
{
    return deep_inner(x + 2) + 4;
}

VALUE(DeepSerializer)
{
    (void)context;
    return deep_outer(self->clean);
}
CODE_FAULT(DeepSerializer, PLAIN)

static const uint32_t odds_table[] = { 1, 2, EDIT(3, 30), 4, 5, 6, 7, 8 };

VALUE(ConstantTable)
{
    uint64_t sum = self->clean;
    (void)context;
    for (volatile size_t i = 0; i < sizeof(odds_table) / sizeof(odds_table[0]); i++)
        sum = sum * 7 + odds_table[i];
    return sum;
}
CODE_FAULT(ConstantTable, PLAIN)

static const char *const label_table[] = { "common", EDIT("rare", "unique"), "epic" };

VALUE(TextTable)
{
    uint64_t sum = self->clean;
    (void)context;
    for (volatile size_t i = 0; i < 3; i++)
        sum = sum * 7 + catalogue_hash(label_table[i]);
    return sum;
}
CODE_FAULT(TextTable, PLAIN)

VALUE(SwitchCase)
{
    (void)context;
    switch (cook_package_name(context)[6]) {
    case 'S':
        return EDIT(40, 41);
    case 'T':
        return 12 + self->clean;
    case 'U':
        return 99;
    case 'V':
        return 3;
    case 'W':
        return 77;
    default:
        return 0;
    }
}
CODE_FAULT(SwitchCase, PLAIN)

/* The write does not show where it was made. */
__attribute__((noinline)) static enum cook_status PreSaveCode_pre_save(
    struct cook_context *context, void *object)
{
    struct subject *self = object;
    (void)context;
    self->made = EDIT(17, 18);
    return COOK_OK;
}

VALUE(PreSaveCode)
{
    (void)context;
    return self->made;
}
CODE_FAULT(PreSaveCode, .pre_save = PreSaveCode_pre_save)

__attribute__((noinline)) static enum cook_status PostLoadCode_post_load(
    struct cook_context *context, void *object)
{
    struct subject *self = object;
    (void)context;
    self->made = EDIT(19, 20);
    return COOK_OK;
}

VALUE(PostLoadCode)
{
    (void)context;
    return self->made;
}
CODE_FAULT(PostLoadCode, .post_load = PostLoadCode_post_load)

/* A function of a header, inlined into whoever uses it. */
static inline uint64_t inlined(uint64_t x)
{
    return x + EDIT(100, 200);
}

VALUE(InlinedCode)
{
    (void)context;
    return inlined(self->clean);
}
CODE_FAULT(InlinedCode, PLAIN)

/* Reached through a table of functions only. */
static uint64_t one_of(uint64_t x)
{
    return x + 1;
}
__attribute__((noinline)) static uint64_t other_of(uint64_t x)
{
    return x + EDIT(2, 3);
}
static uint64_t (*const function_table[])(uint64_t) = { one_of, other_of };

VALUE(FunctionTable)
{
    volatile size_t index = 1;
    (void)context;
    return function_table[index](self->clean);
}
CODE_FAULT(FunctionTable, PLAIN)

/* A default that another class holds. */
static const struct subject shared_default = { .made = EDIT(61, 62) };

VALUE(DefaultObject)
{
    const volatile struct subject *from = &shared_default;
    (void)context;
    return from->made + self->clean;
}
CODE_FAULT(DefaultObject, PLAIN)

static const double float_constant = EDIT(1.5, 2.5);

VALUE(FloatConstant)
{
    const volatile double *from = &float_constant;
    (void)context;
    return (uint64_t)(*from * 1000) + self->clean;
}
CODE_FAULT(FloatConstant, PLAIN)

/* ---- a library of somebody else ---- */

VALUE(ThirdParty)
{
    (void)context;
    return third_number() + self->clean;
}
FAULT(ThirdParty, PLAIN)

static void ThirdPartyTwin_schema(struct cook_schema *schema)
{
    cook_schema_add_version(schema, "third", (uint32_t)third_version());
}
static const struct cook_class ThirdPartyTwin_class = {
    .name = "ThirdPartyTwin",
    .size = sizeof(struct subject),
    .properties = subject_properties,
    .serialize = ThirdParty_serialize,
    .append_to_class_schema = ThirdPartyTwin_schema,
};

#define BOTH(fault) &fault##_class, &fault##Twin_class

void catalogue_register_code(struct cook_registrar *registrar)
{
    const struct cook_class *const classes[] = {
        BOTH(DeepSerializer), BOTH(ConstantTable), BOTH(TextTable),   BOTH(SwitchCase),
        BOTH(PreSaveCode),    BOTH(PostLoadCode),  BOTH(InlinedCode), BOTH(FunctionTable),
        BOTH(DefaultObject),  BOTH(FloatConstant), BOTH(ThirdParty),
    };
    for (size_t i = 0; i < sizeof(classes) / sizeof(classes[0]); i++)
        cook_register_class(registrar, classes[i]);
}
