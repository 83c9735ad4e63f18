#include "report/report.h"

#include <fcntl.h>
#include <string.h>

#include "cook/base/fs.h"

#define MAX_BYTES (UINT64_C(1) << 30)

enum cook_status report_read_document(cJSON **out, const char *path, struct cook_error *error)
{
    struct cook_buf text = COOK_BUF_INIT;
    *out = NULL;
    enum cook_status status = cook_fs_read(&text, NULL, AT_FDCWD, path, MAX_BYTES, error);
    if (status == COOK_OK) {
        *out = cJSON_ParseWithLength((const char *)text.data, text.size);
        if (!cJSON_IsObject(*out))
            status = cook_error_set(error, COOK_E_MALFORMED, "%s: not a JSON document of cook", path);
    }
    if (status != COOK_OK) {
        cJSON_Delete(*out);
        *out = NULL;
    }
    cook_buf_finish(&text);
    return status;
}

/* The place of a document by its schema; NULL for one that a report has no use for. */
static cJSON **place_of(struct report *report, const char *schema)
{
    static const struct {
        const char *schema;
        size_t offset;
    } places[] = {
        { "cookproof/incremental-validate/1", offsetof(struct report, validation) },
        { "cookproof/incremental/1", offsetof(struct report, cook) },
        { "cookproof/full/1", offsetof(struct report, cook) },
        { "cookproof/explain-modified/1", offsetof(struct report, modified) },
    };
    for (size_t i = 0; i < sizeof(places) / sizeof(places[0]); i++)
        if (strcmp(schema, places[i].schema) == 0)
            return (cJSON **)(void *)((char *)report + places[i].offset);
    return NULL;
}

static enum cook_status load_file(struct report *report, const char *path, struct cook_error *error)
{
    cJSON *document;
    enum cook_status status = report_read_document(&document, path, error);
    if (status != COOK_OK)
        return status;
    const char *schema = report_text(document, "schema");
    cJSON **place = place_of(report, schema);
    if (place && !*place) {
        *place = document;
        return COOK_OK;
    }
    status = cook_error_set(error, COOK_E_USAGE,
                            place ? "%s: a second document of schema %s"
                                  : "%s: a report cannot be made of schema '%s'; it takes documents of "
                                    "incremental-validate, incremental, full and explain modified",
                            path, schema);
    cJSON_Delete(document);
    return status;
}

static enum cook_status load_files(struct report *report, const char *const *paths,
                                   struct cook_error *error)
{
    enum cook_status status = COOK_OK;
    for (size_t i = 0; status == COOK_OK && paths[i]; i++)
        status = load_file(report, paths[i], error);
    if (status == COOK_OK && !report->validation)
        return cook_error_set(error, COOK_E_USAGE,
                              "no document of a validation; make one with: "
                              "cook incremental-validate --json FILE");
    return status;
}

enum cook_status report_load(struct report *report, const char *const *paths,
                             struct cook_error *error)
{
    return load_files(report, paths, error);
}
