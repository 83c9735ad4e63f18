/* Reading parsed values. */
#include "cook/base/json_private.h"

#include <locale.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

const struct cook_json *cook_json_get(const struct cook_json *object, const char *key)
{
    if (!object || object->type != COOK_JSON_OBJECT)
        return NULL;
    const struct cook_json *child = object->child;
    while (child && strcmp(child->key, key) != 0)
        child = child->next;
    return child;
}

const struct cook_json *cook_json_at(const struct cook_json *array, size_t index)
{
    if (!array || array->type != COOK_JSON_ARRAY || index >= array->count)
        return NULL;
    return &array->child[index]; /* siblings stand side by side */
}

bool cook_json_string(const struct cook_json *value, const char **text)
{
    if (!value || value->type != COOK_JSON_STRING)
        return false;
    *text = value->text;
    return true;
}

bool cook_json_bool(const struct cook_json *value, bool *out)
{
    if (!value || (value->type != COOK_JSON_TRUE && value->type != COOK_JSON_FALSE))
        return false;
    *out = value->type == COOK_JSON_TRUE;
    return true;
}

/* Sign and magnitude of a number without fraction or exponent. */
static bool read_integer(const struct cook_json *value, bool *negative, uint64_t *magnitude)
{
    if (!value || value->type != COOK_JSON_NUMBER)
        return false;
    const char *s = value->text;
    *negative = *s == '-';
    s += *negative;
    *magnitude = 0;
    for (; *s; s++) {
        if (!cook_json_is_digit(*s) || __builtin_mul_overflow(*magnitude, UINT64_C(10), magnitude) ||
            __builtin_add_overflow(*magnitude, (uint64_t)(*s - '0'), magnitude))
            return false;
    }
    return true;
}

bool cook_json_i64(const struct cook_json *value, int64_t *out)
{
    bool negative;
    uint64_t magnitude;
    if (!read_integer(value, &negative, &magnitude))
        return false;
    if (magnitude > (uint64_t)INT64_MAX + negative)
        return false;
    *out = negative ? (int64_t)(0 - magnitude) : (int64_t)magnitude;
    return true;
}

bool cook_json_u64(const struct cook_json *value, uint64_t *out)
{
    bool negative;
    uint64_t magnitude;
    if (!read_integer(value, &negative, &magnitude) || (negative && magnitude))
        return false;
    *out = magnitude;
    return true;
}

bool cook_json_f64(const struct cook_json *value, double *out)
{
    if (!value || value->type != COOK_JSON_NUMBER)
        return false;
    /* Costs nothing: for "C" the library hands out a constant object. */
    locale_t c_locale = newlocale(LC_ALL_MASK, "C", (locale_t)0);
    if (!c_locale)
        return false;
    double number = strtod_l(value->text, NULL, c_locale);
    freelocale(c_locale);
    if (!isfinite(number))
        return false;
    *out = number;
    return true;
}
