/* Classes and an artifact of their own for artifacts.py: a bank that writes files for
 * middleware and has registry tags, and a table of all words that a plugin folds. With
 * CRASHING the fold crashes. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cook/cook.h>

COOK_PLUGIN_VERSION

/* ---- the class ---- */

struct bank {
    struct cook_object object;
    struct cook_string text;
    struct cook_ref next;
    struct cook_soft_ref later;
    uint32_t streams;
};

static const struct cook_property bank_properties[] = {
    COOK_PROPERTY(struct bank, text, "Text", COOK_PROPERTY_STRING),
    COOK_PROPERTY(struct bank, next, "Next", COOK_PROPERTY_REF),
    COOK_PROPERTY(struct bank, later, "Later", COOK_PROPERTY_SOFT_REF),
    COOK_PROPERTY(struct bank, streams, "Streams", COOK_PROPERTY_U32),
    COOK_PROPERTY_END,
};

static const char *text_of(const struct bank *bank)
{
    return bank->text.data ? bank->text.data : "";
}

/* What the author forgot to declare. */
static bool is_loud(void)
{
    FILE *file = fopen("loud.txt", "r");
    if (file)
        fclose(file);
    return file != NULL;
}

/* On worker threads, in any order. */
static enum cook_status write_streams(struct cook_context *context, void *object)
{
    const struct bank *bank = object;
    enum cook_status status = COOK_OK;
    for (uint32_t i = bank->streams; status == COOK_OK && i-- > 0;) {
        char name[64];
        char bytes[64];
        (void)snprintf(name, sizeof(name), "streams/%u.wem", i);
        int size = snprintf(bytes, sizeof(bytes), "stream %u of %.40s%s", i, text_of(bank),
                            is_loud() ? "!" : "");
        status = cook_write_additional_file(context, name, bytes, (size_t)size);
    }
    return status;
}

static enum cook_status begin_cache(struct cook_context *context, void *object)
{
    return cook_async_run(context, write_streams, object);
}

static void serialize(struct cook_archive *archive, void *object)
{
    const struct bank *bank = object;
    if (cook_archive_phase(archive) == COOK_PHASE_LOAD || bank->streams == 0)
        return;
    /* Twice, in harvest and in write. */
    if (cook_write_additional_file(cook_archive_context(archive), "bank.bnk", text_of(bank),
                                   strlen(text_of(bank))) != COOK_OK)
        cook_archive_fail(archive, "the bank cannot be written");
}

static enum cook_status get_registry_tags(struct cook_context *context, const void *object,
                                          struct cook_tags *tags)
{
    const struct bank *bank = object;
    (void)context;
    cook_add_tag(tags, "Secret", "for tools only");
    cook_add_tag(tags, "BankText", "replaced");
    cook_add_tag(tags, "BankText", text_of(bank));
    cook_add_tag(tags, "BankLoud", is_loud() ? "yes" : "no");
    return COOK_OK;
}

static const struct cook_class bank_class = {
    .name = "Bank",
    .size = sizeof(struct bank),
    .properties = bank_properties,
    .begin_cache = begin_cache,
    .serialize = serialize,
    .get_registry_tags = get_registry_tags,
};

/* ---- the artifact: "PACKAGE=TEXT" lines, ascending ---- */

struct word {
    char *package;
    char *text;
    struct word *next;
};
struct words {
    struct word *first;
};

static enum cook_status make_part(struct cook_context *context,
                                  const struct cook_saved_package *package,
                                  struct cook_part *part)
{
    (void)context;
    for (uint32_t i = 0; i < package->object_count; i++)
        if (cook_object_is_a(package->objects[i], "/Script/Art.Bank"))
            cook_part_put(part, text_of(package->objects[i]),
                          strlen(text_of(package->objects[i])));
    return COOK_OK;
}

static enum cook_status add(void *user, const char *package, const void *part, size_t size)
{
    struct words *words = user;
    struct word **at = &words->first;
    while (*at && strcmp((*at)->package, package) < 0)
        at = &(*at)->next;
    struct word *word = malloc(sizeof(*word));
    if (!word)
        return COOK_E_NO_MEMORY;
    *word = (struct word){ strdup(package), strndup(part, size), *at };
    *at = word;
    return word->package && word->text ? COOK_OK : COOK_E_NO_MEMORY;
}

static void drop(struct word **at)
{
    struct word *word = *at;
    *at = word->next;
    free(word->package);
    free(word->text);
    free(word);
}

static enum cook_status take_out(void *user, const char *package)
{
    struct words *words = user;
    for (struct word **at = &words->first; *at; at = &(*at)->next) {
        if (strcmp((*at)->package, package) == 0) {
            drop(at);
            return COOK_OK;
        }
    }
    return COOK_OK;
}

static enum cook_status begin(void **user, struct cook_fold *fold)
{
    size_t size;
    const char *state = cook_fold_state(fold, &size);
    enum cook_status status = COOK_OK;
    if (!(*user = calloc(1, sizeof(struct words))))
        return COOK_E_NO_MEMORY;
    while (status == COOK_OK && size) {
        const char *end = memchr(state, '\n', size);
        const char *equals = memchr(state, '=', size);
        if (!end || !equals || equals > end)
            return COOK_E_MALFORMED;
        char *package = strndup(state, (size_t)(equals - state));
        status = package ? add(*user, package, equals + 1, (size_t)(end - equals - 1))
                         : COOK_E_NO_MEMORY;
        free(package);
        size -= (size_t)(end - state) + 1;
        state = end + 1;
    }
    return status;
}

static enum cook_status finish(void *user, struct cook_fold *fold)
{
    char *text = NULL;
    size_t size = 0;
    FILE *out = open_memstream(&text, &size);
    if (!out)
        return COOK_E_NO_MEMORY;
#ifdef CRASHING
    abort();
#endif
    for (const struct word *w = ((struct words *)user)->first; w; w = w->next)
        fprintf(out, "%s=%s\n", w->package, w->text);
    fclose(out);
    cook_fold_put_state(fold, text, size);
    cook_fold_put_file(fold, "Words.txt", text, size);
    free(text);
    return COOK_OK;
}

static void release(void *user)
{
    struct words *words = user;
    while (words && words->first)
        drop(&words->first);
    free(words);
}

static const struct cook_artifact words_artifact = {
    .name = "Words",
    .version = 1,
    .make_part = make_part,
    .begin = begin,
    .add = add,
    .remove = take_out,
    .finish = finish,
    .release = release,
};

COOK_PLUGIN_EXPORT enum cook_status cook_plugin_main(struct cook_registrar *registrar);

enum cook_status cook_plugin_main(struct cook_registrar *registrar)
{
    cook_register_module(registrar, "Art");
    cook_register_class(registrar, &bank_class);
    cook_register_artifact(registrar, &words_artifact);
    return COOK_OK;
}
