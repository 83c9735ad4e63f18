/*
 * Cells of a DataTable: text parsed by its column's type. Pure functions over untrusted text,
 * independent of the process's locale.
 */
#ifndef COOK_CLASSES_TABLE_CELL_H
#define COOK_CLASSES_TABLE_CELL_H

#include <cook/standard.h>

#include "cook/base/error.h"

#define COOK_TABLE_MAX_COLUMNS 1024u

/* One parsed cell; the member that `type` names. */
struct cook_table_cell {
    enum cook_column_type type;
    struct cook_string string;
    double number;
    bool flag;
    struct cook_soft_ref soft_ref; /* borrows the cell's text */
};

/*
 * Parse one cell. An empty cell is the type's default: "", 0, false, null. Numbers are decimal
 * with optional sign, fraction and exponent, and finite; booleans are true, false, yes, no, 1,
 * 0 in any case; soft references are object paths ("/Game/X/Y" or "/Game/X/Y.Object"), or None.
 * COOK_E_MALFORMED with the reason.
 */
enum cook_status cook_table_parse_cell(struct cook_table_cell *out, enum cook_column_type type,
                                       struct cook_string text,
                                       struct cook_error *error) COOK_CHECK_RESULT;
/* Check names (present, different) and types of columns. */
enum cook_status cook_table_check_columns(const struct cook_data_column *columns,
                                          uint32_t count,
                                          struct cook_error *error) COOK_CHECK_RESULT;
/* Check one row's cells against the columns; the message names the row and the column. */
enum cook_status cook_table_check_row(const char *name, const struct cook_data_row *row,
                                      const struct cook_data_column *columns,
                                      uint32_t column_count,
                                      struct cook_error *error) COOK_CHECK_RESULT;

#endif
