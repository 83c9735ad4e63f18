/*
 * A cook artifact: a file of the whole cook, here a list of all creatures. Each package gives
 * its part when it is saved; the parts are folded into "Bestiary.txt" at the end. A class that
 * gathered them in a static variable would see only the packages that its worker cooked this
 * time.
 *
 * The file depends on the parts alone, so they are sorted. No state is kept: each fold starts
 * from nothing with all parts, which is fine for what is small.
 */
#include "mechanisms.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct bestiary {
    char **lines;
    size_t count, capacity;
};

static enum cook_status make_part(struct cook_context *context,
                                  const struct cook_saved_package *package,
                                  struct cook_part *part)
{
    (void)context;
    for (uint32_t i = 0; i < package->object_count; i++) {
        if (cook_object_is_a(package->objects[i], CREATURE_CLASS)) {
            const struct creature *creature = package->objects[i];
            char line[64];
            int size = snprintf(line, sizeof(line), " %lld", (long long)creature->power);

            cook_part_put(part, line, (size_t)size);
        }
    }
    return COOK_OK;
}

static enum cook_status begin(void **user, struct cook_fold *fold)
{
    (void)fold;
    *user = calloc(1, sizeof(struct bestiary));
    return *user ? COOK_OK : COOK_E_NO_MEMORY;
}

static enum cook_status add(void *user, const char *package, const void *part, size_t size)
{
    struct bestiary *self = user;
    size_t name = strlen(package);

    if (self->count == self->capacity) {
        size_t capacity = self->capacity ? self->capacity * 2 : 16;
        char **lines = realloc(self->lines, capacity * sizeof(*lines));

        if (!lines)
            return COOK_E_NO_MEMORY;
        self->lines = lines;
        self->capacity = capacity;
    }
    char *line = malloc(name + size + 1);
    if (!line)
        return COOK_E_NO_MEMORY;
    memcpy(line, package, name);
    memcpy(line + name, part, size);
    line[name + size] = '\0';
    self->lines[self->count++] = line;
    return COOK_OK;
}

/* Never needed without a state: there is nothing to take out of. */
static enum cook_status take_out(void *user, const char *package)
{
    (void)user;
    (void)package;
    return COOK_OK;
}

static int compare_lines(const void *a, const void *b)
{
    const char *const *x = a;
    const char *const *y = b;

    return strcmp(*x, *y);
}

static enum cook_status finish(void *user, struct cook_fold *fold)
{
    struct bestiary *self = user;
    size_t size = 0, at = 0;

    if (self->count)
        qsort(self->lines, self->count, sizeof(*self->lines), compare_lines);
    for (size_t i = 0; i < self->count; i++)
        size += strlen(self->lines[i]) + 1;
    char *text = malloc(size + 1);
    if (!text)
        return COOK_E_NO_MEMORY;
    for (size_t i = 0; i < self->count; i++)
        at += (size_t)sprintf(text + at, "%s\n", self->lines[i]);
    cook_fold_put_file(fold, "Bestiary.txt", text, size);
    free(text);
    return COOK_OK;
}

static void release(void *user)
{
    struct bestiary *self = user;

    for (size_t i = 0; i < self->count; i++)
        free(self->lines[i]);
    free(self->lines);
    free(self);
}

static const struct cook_artifact bestiary = {
    .name = "Bestiary",
    .version = 1, /* bump when parts or files mean something else */
    .make_part = make_part,
    .begin = begin,
    .add = add,
    .remove = take_out,
    .finish = finish,
    .release = release,
};

void mechanisms_register_bestiary(struct cook_registrar *registrar)
{
    cook_register_artifact(registrar, &bestiary);
}
