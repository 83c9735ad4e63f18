#include "cook/classes/table_cell.h"

#include <locale.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#define SHOWN_TEXT_BYTES 80 /* of a wrong cell, in messages */

static const char *skip_digits(const char *at)
{
    while (*at >= '0' && *at <= '9')
        at++;
    return at;
}

/* [+-] digits [. digits] [e [+-] digits], with a digit before the exponent. */
static bool is_decimal(const char *text)
{
    const char *at = text + (*text == '+' || *text == '-');
    const char *whole = at;

    at = skip_digits(at);
    size_t digits = (size_t)(at - whole);
    if (*at == '.') {
        const char *fraction = at + 1;
        at = skip_digits(fraction);
        digits += (size_t)(at - fraction);
    }
    if (digits == 0)
        return false;
    if (*at == 'e' || *at == 'E') {
        at++;
        at += *at == '+' || *at == '-';
        const char *exponent = at;
        at = skip_digits(at);
        if (at == exponent)
            return false;
    }
    return *at == '\0';
}

static bool parse_number(double *out, const char *text)
{
    if (!is_decimal(text))
        return false;
    /* A plugin may have set a locale with another decimal sign. "C" needs no memory in glibc.
     */
    locale_t plain = newlocale(LC_ALL_MASK, "C", (locale_t)0);
    if (plain == (locale_t)0)
        return false;
    *out = strtod_l(text, NULL, plain);
    freelocale(plain);
    return isfinite(*out);
}

static bool parse_bool(bool *out, const char *text)
{
    static const struct {
        const char *text;
        bool value;
    } words[] = { { "true", true }, { "false", false }, { "yes", true },
                  { "no", false },  { "1", true },      { "0", false } };

    for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++) {
        if (strcasecmp(text, words[i].text) == 0) {
            *out = words[i].value;
            return true;
        }
    }
    return false;
}

static bool parse_soft_ref(struct cook_soft_ref *out, const char *text)
{
    if (strcmp(text, "None") == 0)
        return true;
    size_t length = strlen(text);
    if (text[0] != '/' || length < 2 || text[length - 1] == '/' || strstr(text, "//") != NULL)
        return false;
    out->path = text;
    return true;
}

static enum cook_status refuse(struct cook_error *error, const char *text, const char *what)
{
    return cook_error_set(error, COOK_E_MALFORMED, "'%.*s' is %s", SHOWN_TEXT_BYTES, text,
                          what);
}

enum cook_status cook_table_parse_cell(struct cook_table_cell *out, enum cook_column_type type,
                                       struct cook_string text, struct cook_error *error)
{
    *out = (struct cook_table_cell){ .type = type };
    if (text.size == 0)
        return COOK_OK;
    switch (type) {
    case COOK_COLUMN_STRING:
        out->string = text;
        return COOK_OK;
    case COOK_COLUMN_NUMBER:
        if (!parse_number(&out->number, text.data))
            return refuse(error, text.data, "no finite number");
        return COOK_OK;
    case COOK_COLUMN_BOOL:
        if (!parse_bool(&out->flag, text.data))
            return refuse(error, text.data, "neither true nor false");
        return COOK_OK;
    case COOK_COLUMN_SOFT_REF:
        if (!parse_soft_ref(&out->soft_ref, text.data))
            return refuse(error, text.data, "no object path");
        return COOK_OK;
    default:
        return cook_error_set(error, COOK_E_MALFORMED, "unknown column type %d", (int)type);
    }
}

static const char *column_name(const struct cook_data_column *column)
{
    return column->name.text != NULL ? column->name.text : "";
}

enum cook_status cook_table_check_columns(const struct cook_data_column *columns,
                                          uint32_t count, struct cook_error *error)
{
    if (count > COOK_TABLE_MAX_COLUMNS)
        return cook_error_set(error, COOK_E_LIMIT, "%u columns, at most %u can be cooked",
                              count, COOK_TABLE_MAX_COLUMNS);
    for (uint32_t i = 0; i < count; i++) {
        const char *name = column_name(&columns[i]);
        if (name[0] == '\0')
            return cook_error_set(error, COOK_E_MALFORMED, "column %u has no name", i);
        if (columns[i].type < COOK_COLUMN_STRING || columns[i].type > COOK_COLUMN_SOFT_REF)
            return cook_error_set(error, COOK_E_MALFORMED, "column '%s': unknown type %d", name,
                                  columns[i].type);
        for (uint32_t k = 0; k < i; k++) {
            if (strcmp(name, column_name(&columns[k])) == 0)
                return cook_error_set(error, COOK_E_MALFORMED, "two columns are named '%s'",
                                      name);
        }
    }
    return COOK_OK;
}

enum cook_status cook_table_check_row(const char *name, const struct cook_data_row *row,
                                      const struct cook_data_column *columns,
                                      uint32_t column_count, struct cook_error *error)
{
    const struct cook_string *cells = row->cells.items;
    struct cook_table_cell cell;

    if (row->cells.count != column_count)
        return cook_error_set(error, COOK_E_MALFORMED, "row '%s': %u cells for %u columns",
                              name, row->cells.count, column_count);
    for (uint32_t i = 0; i < column_count; i++) {
        enum cook_status status = cook_table_parse_cell(
            &cell, (enum cook_column_type)columns[i].type, cells[i], error);
        if (status != COOK_OK) {
            cook_error_prefix(error, "row '%s', column '%s'", name, column_name(&columns[i]));
            return status;
        }
    }
    return COOK_OK;
}
