/* A class that cooks until it is let go: for whoever watches a cook that takes long. */
#include <cook/cook.h>

#include <time.h>
#include <unistd.h>

#define LONGEST_TURNS 3000 /* of 20 ms: where a test forgot it */

struct waiter {
    struct cook_object object;
    struct cook_string until; /* the path of a file that ends the wait */
};

static const struct cook_property waiter_properties[] = {
    COOK_PROPERTY(struct waiter, until, "Until", COOK_PROPERTY_STRING),
    COOK_PROPERTY_END,
};

static enum cook_status waiter_pre_save(struct cook_context *context, void *object)
{
    const struct waiter *self = object;
    const struct timespec turn = { .tv_nsec = 20000000 };

    (void)context;
    for (int i = 0; i < LONGEST_TURNS && self->until.data && access(self->until.data, F_OK) != 0; i++)
        (void)nanosleep(&turn, NULL);
    return COOK_OK;
}

static const struct cook_class waiter_class = {
    .name = "Waiter",
    .size = sizeof(struct waiter),
    .properties = waiter_properties,
    .pre_save = waiter_pre_save,
};

COOK_PLUGIN_VERSION

COOK_PLUGIN_EXPORT enum cook_status cook_plugin_main(struct cook_registrar *registrar);

enum cook_status cook_plugin_main(struct cook_registrar *registrar)
{
    cook_register_module(registrar, "Slow");
    cook_register_class(registrar, &waiter_class);
    return COOK_OK;
}
