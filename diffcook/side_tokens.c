/* Questions about single tokens of a side. */
#include "side.h"

#include <string.h>

const char *diff_section_text(enum diff_section section)
{
    static const char *const texts[DIFF_SECTION_COUNT] = {
        [DIFF_SECTION_UNKNOWN] = "",    [DIFF_SECTION_HEADER] = "header",
        [DIFF_SECTION_NAMES] = "names", [DIFF_SECTION_IMPORTS] = "imports",
        [DIFF_SECTION_SOFT] = "soft",   [DIFF_SECTION_EXPORTS] = "exports",
        [DIFF_SECTION_DATA] = "data",   [DIFF_SECTION_BULK] = "bulk",
    };
    return texts[section];
}

enum cook_token_type diff_side_type(const struct diff_side *side, size_t token)
{
    return (enum cook_token_type)side->map->types[side->map->tokens[token].path];
}

const struct diff_path *diff_side_path(const struct diff_side *side, size_t token)
{
    return &side->path_facts[side->map->tokens[token].path];
}

const uint8_t *diff_side_bytes(const struct diff_side *side, size_t token)
{
    return side->version->bytes + side->offsets[token];
}

uint32_t diff_side_size(const struct diff_side *side, size_t token)
{
    return side->map->tokens[token].size;
}

uint64_t diff_side_number(const struct diff_side *side, size_t token)
{
    uint32_t size = diff_side_size(side, token);
    const uint8_t *bytes = diff_side_bytes(side, token);
    uint64_t value = 0;
    for (uint32_t i = 0; size <= 8 && i < size; i++)
        value |= (uint64_t)bytes[i] << (8 * i);
    return value;
}

enum diff_section diff_section_at(const struct cook_cooked *cooked, uint64_t offset)
{
    if (!cooked->names_offset)
        return DIFF_SECTION_UNKNOWN;
    const uint64_t starts[] = { cooked->names_offset, cooked->imports_offset,
                                cooked->soft_offset,  cooked->exports_offset,
                                cooked->data_offset,  cooked->bulk_offset };
    int section = DIFF_SECTION_HEADER;
    for (size_t i = 0; i < sizeof(starts) / sizeof(*starts); i++) {
        if (offset >= starts[i])
            section = DIFF_SECTION_NAMES + (int)i;
    }
    return (enum diff_section)section;
}

/* By the path of a table's token, by place for the others. */
enum diff_section diff_side_section(const struct diff_side *side, size_t token)
{
    if (diff_side_path(side, token)->is_table) {
        const char *path =
            cook_intern_text(&side->map->paths, side->map->tokens[token].path) + 1;
        size_t length = strcspn(path, "[.");
        for (int i = DIFF_SECTION_HEADER; i < DIFF_SECTION_COUNT; i++) {
            const char *text = diff_section_text((enum diff_section)i);
            if (strlen(text) == length && memcmp(text, path, length) == 0)
                return (enum diff_section)i;
        }
        return DIFF_SECTION_UNKNOWN;
    }
    uint64_t bulk = side->cooked.bulk_offset;
    bool in_bulk =
        bulk && side->offsets[token] >= bulk && diff_side_type(side, token) == COOK_TOKEN_DATA;
    return in_bulk ? DIFF_SECTION_BULK : DIFF_SECTION_DATA;
}

/* Find the text; false when the index is not one of the table. `*out` is NULL for none and
 * null. */
static bool resolve(const struct diff_side *side, size_t token, const char **out)
{
    *out = NULL;
    const struct cook_cooked *cooked = &side->cooked;
    if (diff_side_size(side, token) != 4)
        return false;
    uint32_t value = (uint32_t)diff_side_number(side, token);
    enum cook_token_type type = diff_side_type(side, token);
    if (type == COOK_TOKEN_REF) {
        int64_t index = (int32_t)value;
        if (index > 0 && index <= cooked->export_count)
            *out = side->export_texts[index - 1];
        else if (index < 0 && -index <= cooked->import_count)
            *out = side->import_texts[-index - 1];
        return *out || index == 0;
    }
    if (type == COOK_TOKEN_NAME && value < cooked->name_count)
        *out = cooked->names[value];
    else if (type == COOK_TOKEN_SOFT_REF && value < cooked->soft_count)
        *out = cooked->soft[value];
    return *out ||
           (value == UINT32_MAX && (type == COOK_TOKEN_NAME || type == COOK_TOKEN_SOFT_REF));
}

const char *diff_side_resolve(const struct diff_side *side, size_t token)
{
    const char *text;
    resolve(side, token, &text);
    return text;
}

bool diff_side_is_resolved(const struct diff_side *side, size_t token)
{
    const char *text;
    return resolve(side, token, &text);
}

const char *diff_side_row_text(const struct diff_side *side, size_t token)
{
    const struct cook_cooked *cooked = &side->cooked;
    if (!diff_side_path(side, token)->is_table || diff_side_depth(side, token) == 0)
        return NULL;
    uint32_t row = diff_side_index(side, token, 0);
    switch ((int)diff_side_section(side, token)) {
    case DIFF_SECTION_NAMES:
        return row < cooked->name_count ? cooked->names[row] : NULL;
    case DIFF_SECTION_IMPORTS:
        return row < cooked->import_count ? side->import_texts[row] : NULL;
    case DIFF_SECTION_SOFT:
        return row < cooked->soft_count ? cooked->soft[row] : NULL;
    case DIFF_SECTION_EXPORTS:
        return row < cooked->export_count ? side->export_texts[row] : NULL;
    default:
        return NULL;
    }
}

bool diff_counts_set(const char *path)
{
    const char *mark = strrchr(path, '#');
    return mark && strcmp(mark, "#set") == 0;
}

size_t diff_counted_length(const char *path)
{
    size_t length = strlen(path);
    if (diff_counts_set(path))
        return length - strlen("#set");
    return length && path[length - 1] == '#' ? length - 1 : length;
}

uint32_t diff_side_depth(const struct diff_side *side, size_t token)
{
    return side->map->depths[side->map->tokens[token].path];
}

uint32_t diff_side_index(const struct diff_side *side, size_t token, uint32_t level)
{
    return side->map->indices[side->map->tokens[token].first_index + level];
}

bool diff_same_array(const struct diff_side *side, size_t a, size_t b, uint32_t level)
{
    if (diff_side_depth(side, a) <= level || diff_side_depth(side, b) <= level ||
        side->prefix_ids[diff_side_path(side, a)->first_prefix + level] !=
            side->prefix_ids[diff_side_path(side, b)->first_prefix + level])
        return false;
    for (uint32_t i = 0; i < level; i++) {
        if (diff_side_index(side, a, i) != diff_side_index(side, b, i))
            return false;
    }
    return true;
}

bool diff_same_element(const struct diff_side *side, size_t a, size_t b, uint32_t level)
{
    return diff_same_array(side, a, b, level) &&
           diff_side_index(side, a, level) == diff_side_index(side, b, level);
}

uint32_t diff_side_stack(const struct diff_side *side, size_t token)
{
    const struct diff_version *version = side->version;
    return version->stacks && token < version->stack_count ? version->stacks[token]
                                                           : COOK_STACK_NONE;
}
