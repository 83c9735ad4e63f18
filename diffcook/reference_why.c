/* Why a package has a runtime reference: the written property that holds it. */
#include <string.h>

#include "compare.h"
#include "side.h"

/* "/Game/Props/Rock" of "/Game/Props/Rock.Mesh". */
static size_t package_length(const char *path)
{
    const char *name = strrchr(path, '/');
    const char *dot = name ? strchr(name, '.') : NULL;
    return dot ? (size_t)(dot - path) : strlen(path);
}

static bool leads_there(const char *written, const char *path)
{
    size_t length = package_length(path);
    return strcmp(written, path) == 0 ||
           (strlen(path) == length && package_length(written) == length &&
            memcmp(written, path, length) == 0);
}

static bool is_reference(enum cook_token_type type)
{
    return type == COOK_TOKEN_REF || type == COOK_TOKEN_SOFT_REF;
}

/* The first property that holds it, in the text of the detail; false when memory is short. */
static bool find_property(struct diff_detail *detail, const struct diff_side *side,
                          struct cook_arena *arena)
{
    for (size_t i = 0; i < side->count; i++) {
        if (!is_reference(diff_side_type(side, i)) || diff_side_path(side, i)->is_table)
            continue;
        const char *written = diff_side_resolve(side, i);
        if (!written || !leads_there(written, detail->text))
            continue;
        detail->property = cook_token_text(side->map, i, arena);
        return detail->property != NULL;
    }
    return true;
}

bool diff_references_find(struct diff_detail *details, size_t count, enum diff_change change,
                          const struct diff_content *content, struct cook_arena *arena)
{
    struct diff_version version = diff_content_version(content);
    struct diff_texts texts = { COOK_INTERN_INIT, COOK_INTERN_INIT };
    struct diff_side side;
    if (!diff_side_has_tokens(&version))
        return true; /* of an older or a damaged result: not known */
    bool ok = diff_side_init(&side, &version, NULL, &texts);
    for (size_t i = 0; ok && i < count; i++) {
        if (details[i].part != DIFF_PART_REFERENCES || details[i].change != change)
            continue;
        details[i].looked_for = true;
        ok = find_property(&details[i], &side, arena);
    }
    diff_side_finish(&side);
    diff_texts_finish(&texts);
    return ok;
}
