/*
 * Settings: config, console variables, the command line after `--`, the environment. Each read
 * is recorded with the value it gave, so another value cooks exactly the packages that asked
 * for it. That a key is not set is a value too. With getenv() or a config parser of one's own
 * the package would be skipped although its input changed: a false skip.
 */
#include "mechanisms.h"

static enum cook_status read_config(struct cook_context *context, void *object)
{
    return exhibit_show(context, object, "speed %lld",
                        (long long)cook_config_int(context, "Mechanisms", "Speed", 1));
}

static enum cook_status read_variable(struct cook_context *context, void *object)
{
    const char *detail = cook_console_variable(context, "mechanisms.Detail");

    return exhibit_show(context, object, "detail %s", detail ? detail : "not set");
}

/* `cook incremental -- -Quality=best`; other tokens recook nothing. */
static enum cook_status read_token(struct cook_context *context, void *object)
{
    const char *quality = cook_command_line(context, "Quality");

    return exhibit_show(context, object, "quality %s", quality ? quality : "not given");
}

static enum cook_status read_environment(struct cook_context *context, void *object)
{
    const char *region = cook_environment(context, "MECHANISMS_REGION");

    return exhibit_show(context, object, "region %s", region ? region : "not set");
}

static const struct cook_class classes[] = {
    { .name = "ConfigReader",
      .parent = EXHIBIT_CLASS,
      .size = sizeof(struct exhibit),
      .pre_save = read_config },
    { .name = "VariableReader",
      .parent = EXHIBIT_CLASS,
      .size = sizeof(struct exhibit),
      .pre_save = read_variable },
    { .name = "TokenReader",
      .parent = EXHIBIT_CLASS,
      .size = sizeof(struct exhibit),
      .pre_save = read_token },
    { .name = "EnvironmentReader",
      .parent = EXHIBIT_CLASS,
      .size = sizeof(struct exhibit),
      .pre_save = read_environment },
};

void mechanisms_register_read_settings(struct cook_registrar *registrar)
{
    for (size_t i = 0; i < sizeof(classes) / sizeof(classes[0]); i++)
        cook_register_class(registrar, &classes[i]);
}
