/*
 * needs_load_for: objects that some configurations do not get, like what only the server may
 * know. The object is left out, references to it become null, and a package of which nothing is
 * left is omitted. The configuration is "client", unless `--configuration` or config [Cook]
 * Configuration says otherwise. With an `if` in serialize instead, the client would still get
 * an empty object, and all that it refers to.
 */
#include "mechanisms.h"

#include <string.h>

struct server_rules {
    struct exhibit exhibit;
    struct cook_string secret;
};

static const struct cook_property properties[] = {
    COOK_PROPERTY(struct server_rules, secret, "Secret", COOK_PROPERTY_STRING),
    COOK_PROPERTY_END,
};

/* By its arguments and the object alone: the answer is remembered. */
static bool needs_load_for(const void *object, const char *target, const char *configuration)
{
    (void)object;
    (void)target;
    return strcmp(configuration, "client") != 0;
}

static const struct cook_class server_rules_class = {
    .name = "ServerRules",
    .parent = EXHIBIT_CLASS,
    .size = sizeof(struct server_rules),
    .properties = properties,
    .needs_load_for = needs_load_for,
};

void mechanisms_register_configurations(struct cook_registrar *registrar)
{
    cook_register_class(registrar, &server_rules_class);
}
