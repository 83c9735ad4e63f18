/* Keys as people type them: what they name among the dependencies. */
#include <string.h>

#include "cook/deps/dep.h"
#include "explain/explain.h"

/* A path may be that of a package's main file, or of its side file. */
static void find_source(struct explain_key *key, struct explain *explain)
{
    struct cook_state *state = explain->run.state;
    size_t length = strlen(key->text);
    uint32_t file = cook_state_find_file(state, key->text);
    if ((file == COOK_ID_NONE || state->files[file].package == COOK_ID_NONE) && length > 5 &&
        strcmp(key->text + length - 5, ".cook") == 0) {
        char *main_file = cook_arena_strndup(&explain->arena, key->text, length - 5);
        file = main_file ? cook_state_find_file(state, main_file) : COOK_ID_NONE;
    }
    if (file != COOK_ID_NONE && state->files[file].package != COOK_ID_NONE)
        key->package = cook_state_text(state, state->packages[state->files[file].package].name);
}

enum cook_status explain_read_key(struct explain_key *key, struct explain *explain,
                                  const char *const *operands, struct cook_error *error)
{
    *key = (struct explain_key){ .kind = COOK_DEP_UNKNOWN };
    if (!operands[0])
        return cook_error_set(error, COOK_E_USAGE,
                              "give a path, a name, or a kind and a key: config '[S] K'");
    struct cook_buf words = COOK_BUF_INIT;
    for (size_t i = 0; operands[i]; i++)
        cook_buf_printf(&words, "%s%s", i ? " " : "", operands[i]);
    key->text = cook_arena_strdup(&explain->arena, cook_buf_text(&words));
    cook_buf_finish(&words);
    if (!key->text)
        return cook_error_no_memory(error);
    /* As reports print it: "config [S] K", in one word of the shell or in several. */
    for (uint32_t kind = 1; !key->kind && kind < COOK_DEP_KIND_END; kind++) {
        const char *name = cook_dep_kind_text(kind);
        size_t length = strlen(name);
        if (strncmp(key->text, name, length) == 0 && key->text[length] == ' ') {
            key->kind = kind;
            key->text += length + 1;
        }
    }
    find_source(key, explain);
    return COOK_OK;
}

bool explain_key_matches(const struct explain_key *key, uint32_t kind, const char *args)
{
    size_t length = strlen(key->text);
    if (kind == COOK_DEP_POLICY || (key->kind && kind != key->kind))
        return false;
    if (kind == COOK_DEP_SOURCE && key->package && strcmp(args, key->package) == 0)
        return true;
    if (strncmp(args, key->text, length) != 0)
        return false;
    /* Objects of a package, and functions whatever their arguments, match by the name alone. */
    bool named = (kind == COOK_DEP_REF || kind == COOK_DEP_REDIRECT)
                     ? args[length] == '.'
                     : kind == COOK_DEP_FUNCTION && args[length] == ' ';
    return args[length] == '\0' || named;
}
