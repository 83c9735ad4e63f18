#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <setjmp.h>

#include <cmocka.h>
#include <locale.h>
#include <string.h>

#include "cook/classes/table_cell.h"

static enum cook_status parse(struct cook_table_cell *cell, enum cook_column_type type,
                              const char *text)
{
    return cook_table_parse_cell(cell, type, (struct cook_string){ text, strlen(text) }, NULL);
}

static void parse__numbers(void **state)
{
    static const struct {
        const char *text;
        double value;
    } cases[] = { { "0", 0.0 },     { "-12", -12.0 }, { "+2.5", 2.5 },
                  { ".5", 0.5 },    { "3.", 3.0 },    { "1e3", 1000.0 },
                  { "1E-2", 0.01 }, { "007", 7.0 },   { "0.1", 0.1 } };
    struct cook_table_cell cell;

    (void)state;
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        assert_int_equal(parse(&cell, COOK_COLUMN_NUMBER, cases[i].text), COOK_OK);
        assert_true(cell.number == cases[i].value);
    }
}

static void parse__no_numbers__are_malformed(void **state)
{
    static const char *const wrong[] = { "abc", "1x", " 1", "1 ",  "0x10",  "nan", "inf",
                                         "1e",  ".",  "-",  "1,5", "1e999", "--1", "1e+" };
    struct cook_table_cell cell;

    (void)state;
    for (size_t i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++)
        assert_int_equal(parse(&cell, COOK_COLUMN_NUMBER, wrong[i]), COOK_E_MALFORMED);
}

static void parse__bools(void **state)
{
    struct cook_table_cell cell;

    (void)state;
    assert_int_equal(parse(&cell, COOK_COLUMN_BOOL, "True"), COOK_OK);
    assert_true(cell.flag);
    assert_int_equal(parse(&cell, COOK_COLUMN_BOOL, "0"), COOK_OK);
    assert_false(cell.flag);
    assert_int_equal(parse(&cell, COOK_COLUMN_BOOL, "maybe"), COOK_E_MALFORMED);
}

static void parse__soft_refs(void **state)
{
    static const char *const wrong[] = { "Game/X", "/", "/Game//X", "/Game/" };
    struct cook_table_cell cell;

    (void)state;
    assert_int_equal(parse(&cell, COOK_COLUMN_SOFT_REF, "/Game/Props/Rock.Mesh"), COOK_OK);
    assert_string_equal(cell.soft_ref.path, "/Game/Props/Rock.Mesh");
    assert_int_equal(parse(&cell, COOK_COLUMN_SOFT_REF, "None"), COOK_OK);
    assert_null(cell.soft_ref.path);
    for (size_t i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++)
        assert_int_equal(parse(&cell, COOK_COLUMN_SOFT_REF, wrong[i]), COOK_E_MALFORMED);
}

static void parse__empty__is_the_default(void **state)
{
    struct cook_table_cell cell;

    (void)state;
    for (int type = COOK_COLUMN_STRING; type <= COOK_COLUMN_SOFT_REF; type++) {
        assert_int_equal(cook_table_parse_cell(&cell, (enum cook_column_type)type,
                                               (struct cook_string){ NULL, 0 }, NULL),
                         COOK_OK);
        assert_true(cell.number == 0.0 && !cell.flag && cell.soft_ref.path == NULL);
    }
}

static void check_columns__faults_are_named(void **state)
{
    struct cook_data_column columns[] = { { { "A" }, COOK_COLUMN_NUMBER },
                                          { { "B" }, COOK_COLUMN_BOOL } };
    struct cook_error error = COOK_ERROR_INIT;

    (void)state;
    assert_int_equal(cook_table_check_columns(columns, 2, &error), COOK_OK);
    columns[1].name.text = "A";
    assert_int_equal(cook_table_check_columns(columns, 2, &error), COOK_E_MALFORMED);
    assert_string_equal(error.message, "two columns are named 'A'");
    columns[1].name.text = NULL;
    assert_int_equal(cook_table_check_columns(columns, 2, &error), COOK_E_MALFORMED);
    assert_string_equal(error.message, "column 1 has no name");
    columns[0].type = 9;
    assert_int_equal(cook_table_check_columns(columns, 2, &error), COOK_E_MALFORMED);
    assert_string_equal(error.message, "column 'A': unknown type 9");
}

static void check_row__faults_name_row_and_column(void **state)
{
    static const struct cook_data_column columns[] = { { { "Name" }, COOK_COLUMN_STRING },
                                                       { { "Damage" }, COOK_COLUMN_NUMBER } };
    struct cook_string cells[] = { { "Sword", 5 }, { "sharp", 5 } };
    struct cook_data_row row = { { cells, 2, 2 } };
    struct cook_error error = COOK_ERROR_INIT;

    (void)state;
    assert_int_equal(cook_table_check_row("sword", &row, columns, 2, &error), COOK_E_MALFORMED);
    assert_string_equal(error.message,
                        "row 'sword', column 'Damage': 'sharp' is no finite number");
    row.cells.count = 1;
    assert_int_equal(cook_table_check_row("sword", &row, columns, 2, &error), COOK_E_MALFORMED);
    assert_string_equal(error.message, "row 'sword': 1 cells for 2 columns");
    cells[1] = (struct cook_string){ "12.5", 4 };
    row.cells.count = 2;
    assert_int_equal(cook_table_check_row("sword", &row, columns, 2, &error), COOK_OK);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(parse__numbers),
        cmocka_unit_test(parse__no_numbers__are_malformed),
        cmocka_unit_test(parse__bools),
        cmocka_unit_test(parse__soft_refs),
        cmocka_unit_test(parse__empty__is_the_default),
        cmocka_unit_test(check_columns__faults_are_named),
        cmocka_unit_test(check_row__faults_name_row_and_column),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
