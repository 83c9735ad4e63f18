/* An artifact of the plugin's own: a line for each node that was saved, in order of packages. */
#include "prop.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct line {
    char *package;
    char *text;
};
struct words {
    struct line *lines; /* ascending by package */
    size_t count;
};

static enum cook_status words_make_part(struct cook_context *context,
                                        const struct cook_saved_package *package,
                                        struct cook_part *part)
{
    (void)context;
    for (uint32_t i = 0; i < package->object_count; i++) {
        char text[64];
        const struct prop_node *node = package->objects[i];
        if (!cook_object_is_a(node, NODE_CLASS))
            continue;
        int size = snprintf(text, sizeof(text), " %d:%016llx", node->value,
                            (unsigned long long)node->derived);
        cook_part_put(part, text, (size_t)size);
    }
    return COOK_OK;
}

/* Where the package is, or belongs. */
static size_t place_of(const struct words *words, const char *package)
{
    size_t at = 0;
    while (at < words->count && strcmp(words->lines[at].package, package) < 0)
        at++;
    return at;
}

static enum cook_status words_add(void *user, const char *package, const void *part, size_t size)
{
    struct words *words = user;
    size_t at = place_of(words, package);
#ifdef MUTANT_FOLD
    at = words->count;
#endif
    struct line *lines = realloc(words->lines, (words->count + 1) * sizeof(*lines));
    if (!lines)
        return COOK_E_NO_MEMORY;
    words->lines = lines;
    memmove(&lines[at + 1], &lines[at], (words->count - at) * sizeof(*lines));
    lines[at] = (struct line){ strdup(package), strndup(part, size) };
    words->count++;
    return lines[at].package && lines[at].text ? COOK_OK : COOK_E_NO_MEMORY;
}

static enum cook_status words_remove(void *user, const char *package)
{
    struct words *words = user;
    for (size_t i = 0; i < words->count; i++) {
        if (strcmp(words->lines[i].package, package) != 0)
            continue;
        free(words->lines[i].package);
        free(words->lines[i].text);
        words->count--;
        memmove(&words->lines[i], &words->lines[i + 1],
                (words->count - i) * sizeof(*words->lines));
        break;
    }
    return COOK_OK;
}

static enum cook_status read_lines(struct words *words, const char *state, size_t size)
{
    enum cook_status status = COOK_OK;
    while (status == COOK_OK && size) {
        const char *end = memchr(state, '\n', size);
        const char *equals = memchr(state, '=', size);
        if (!end || !equals || equals > end)
            return COOK_E_MALFORMED;
        char *package = strndup(state, (size_t)(equals - state));
        status = package ? words_add(words, package, equals + 1, (size_t)(end - equals - 1))
                         : COOK_E_NO_MEMORY;
        free(package);
        size -= (size_t)(end - state) + 1;
        state = end + 1;
    }
    return status;
}

static enum cook_status words_begin(void **user, struct cook_fold *fold)
{
    size_t size;
    const char *state = cook_fold_state(fold, &size);
    *user = calloc(1, sizeof(struct words));
    return *user ? read_lines(*user, state, size) : COOK_E_NO_MEMORY;
}

static enum cook_status words_finish(void *user, struct cook_fold *fold)
{
    const struct words *words = user;
    const char *title = cook_fold_config(fold, "Prop", "FoldKey", 0);
    char *text = NULL;
    size_t size = 0;
    FILE *out = open_memstream(&text, &size);
    if (!out)
        return COOK_E_NO_MEMORY;
    for (size_t i = 0; i < words->count; i++)
        fprintf(out, "%s=%s\n", words->lines[i].package, words->lines[i].text);
    fflush(out);
    cook_fold_put_state(fold, text, size);
    fprintf(out, "%s for %s, version %u\n", title ? title : "-", cook_fold_target(fold),
            WORDS_VERSION);
    fclose(out);
    cook_fold_put_file(fold, "Words.txt", text, size);
    free(text);
    return COOK_OK;
}

static void words_release(void *user)
{
    struct words *words = user;
    while (words && words->count)
        (void)words_remove(words, words->lines[0].package);
    if (words)
        free(words->lines);
    free(words);
}

static void words_schema(struct cook_schema *schema)
{
    cook_schema_add_config(schema, "Prop", "FoldKey");
}

static const struct cook_artifact words_artifact = {
    .name = "PropWords",
    .version = WORDS_VERSION,
    .append_to_schema = words_schema,
    .make_part = words_make_part,
    .begin = words_begin,
    .add = words_add,
    .remove = words_remove,
    .finish = words_finish,
    .release = words_release,
};

void prop_register_words(struct cook_registrar *registrar)
{
    cook_register_artifact(registrar, &words_artifact);
}
