#include "cook/classes/classes.h"
#include "cook/classes/table_cell.h"

/* Bump when the cooked form changes. */
#define DATA_TABLE_VERSION 1u

#define DATA_TABLE_MAX_MESSAGES 64u

static const struct cook_enum_entry column_type_entries[] = {
    { "String", COOK_COLUMN_STRING },
    { "Number", COOK_COLUMN_NUMBER },
    { "Bool", COOK_COLUMN_BOOL },
    { "SoftRef", COOK_COLUMN_SOFT_REF },
    { NULL, 0 },
};
static const struct cook_enum column_type_enum = { "ColumnType", column_type_entries };

static const struct cook_property column_properties[] = {
    COOK_PROPERTY(struct cook_data_column, name, "Name", COOK_PROPERTY_NAME),
    COOK_PROPERTY_TYPED(struct cook_data_column, type, "Type", COOK_PROPERTY_ENUM,
                        "ColumnType"),
    COOK_PROPERTY_END,
};
static const struct cook_struct column_struct = {
    .name = "DataColumn",
    .size = sizeof(struct cook_data_column),
    .properties = column_properties,
};

static const struct cook_property row_properties[] = {
    COOK_PROPERTY_ARRAY_OF(struct cook_data_row, cells, "Cells", COOK_PROPERTY_STRING, NULL),
    COOK_PROPERTY_END,
};
static const struct cook_struct row_struct = {
    .name = "DataRow",
    .size = sizeof(struct cook_data_row),
    .properties = row_properties,
};

/* Rows are texts in the source and typed values in the cooked package: `serialize` saves them.
 */
static const struct cook_property data_table_properties[] = {
    COOK_PROPERTY_ARRAY_OF(struct cook_data_table, columns, "Columns", COOK_PROPERTY_STRUCT,
                           "DataColumn"),
    { "Rows", COOK_PROPERTY_MAP, (uint32_t)offsetof(struct cook_data_table, rows),
      COOK_PROPERTY_NATIVE, "DataRow", COOK_PROPERTY_STRUCT },
    COOK_PROPERTY_END,
};

static const char *row_name(const struct cook_data_table *self, uint32_t row)
{
    return self->rows.keys[row].data != NULL ? self->rows.keys[row].data : "";
}

/* All wrong rows are told at once, so that a table is repaired in one go. */
static enum cook_status data_table_pre_save(struct cook_context *context, void *object)
{
    const struct cook_data_table *self = object;
    const struct cook_data_column *columns = self->columns.items;
    const struct cook_data_row *rows = self->rows.values;
    struct cook_error error = COOK_ERROR_INIT;
    uint32_t wrong = 0;

    enum cook_status status = cook_table_check_columns(columns, self->columns.count, &error);
    if (status != COOK_OK) {
        cook_log(context, COOK_SEVERITY_ERROR, "%s: %s", cook_object_inner_path(object),
                 error.message);
        return status;
    }
    for (uint32_t i = 0; i < self->rows.count && wrong < DATA_TABLE_MAX_MESSAGES; i++) {
        if (cook_table_check_row(row_name(self, i), &rows[i], columns, self->columns.count,
                                 &error) == COOK_OK)
            continue;
        wrong++;
        cook_log(context, COOK_SEVERITY_ERROR, "%s: %s", cook_object_inner_path(object),
                 error.message);
    }
    return wrong == 0 ? COOK_OK : COOK_E_MALFORMED;
}

static void write_cell(struct cook_archive *archive, const char *name,
                       struct cook_table_cell *cell)
{
    switch (cell->type) {
    case COOK_COLUMN_NUMBER:
        cook_field_f64(archive, name, &cell->number);
        break;
    case COOK_COLUMN_BOOL:
        cook_field_bool(archive, name, &cell->flag);
        break;
    case COOK_COLUMN_SOFT_REF:
        cook_field_soft_ref(archive, name, &cell->soft_ref);
        break;
    case COOK_COLUMN_STRING:
    default:
        cook_field_string(archive, name, &cell->string);
        break;
    }
}

static void write_row(struct cook_archive *archive, const struct cook_data_table *self,
                      uint32_t row)
{
    const struct cook_data_column *columns = self->columns.items;
    const struct cook_data_row *rows = self->rows.values;
    const struct cook_string *cells = rows[row].cells.items;
    struct cook_string name = self->rows.keys[row];

    cook_field_string(archive, "Name", &name);
    /* Columns in a group of their own: one of them may be called "Name" too. */
    cook_field_group(archive, "Cells");
    for (uint32_t i = 0; i < self->columns.count && i < rows[row].cells.count; i++) {
        struct cook_table_cell cell;
        struct cook_error error = COOK_ERROR_INIT;
        if (cook_table_parse_cell(&cell, (enum cook_column_type)columns[i].type, cells[i],
                                  &error) != COOK_OK) {
            cook_archive_fail(archive, "%s", error.message);
            break;
        }
        write_cell(archive, columns[i].name.text, &cell);
    }
    cook_field_group_end(archive);
}

static void data_table_serialize(struct cook_archive *archive, void *object)
{
    struct cook_data_table *self = object;
    uint32_t count = self->rows.count;

    if (cook_archive_phase(archive) == COOK_PHASE_LOAD)
        return;
    cook_field_array(archive, "Rows", &count);
    for (uint32_t i = 0; i < self->rows.count; i++) {
        cook_field_key(archive, i, self->rows.keys[i].data);
        write_row(archive, self, i);
    }
    cook_field_array_end(archive);
}

static void data_table_append_to_class_schema(struct cook_schema *schema)
{
    cook_schema_add_version(schema, "Cook.DataTable", DATA_TABLE_VERSION);
}

static const struct cook_class data_table_class = {
    .name = "DataTable",
    .size = sizeof(struct cook_data_table),
    .properties = data_table_properties,
    .pre_save = data_table_pre_save,
    .serialize = data_table_serialize,
    .append_to_class_schema = data_table_append_to_class_schema,
};

void cook_data_table_register(struct cook_registrar *registrar)
{
    cook_register_enum(registrar, &column_type_enum);
    cook_register_struct(registrar, &column_struct);
    cook_register_struct(registrar, &row_struct);
    cook_register_class(registrar, &data_table_class);
}
