/* What a validation prints and writes. */
#ifndef VALIDATE_REPORT_H
#define VALIDATE_REPORT_H

#include "cook/cli/cli.h"
#include "validate/validate.h"

/* Give each finding its id and its history, and record run and findings. */
enum cook_status validate_record(struct validate *validate, const struct cook_cli *cli,
                                 int exit_status, struct cook_error *error) COOK_CHECK_RESULT;
/* Findings and the closing line, as text. */
enum cook_status validate_print(struct validate *validate, const struct cook_cli *cli,
                                struct cook_error *error) COOK_CHECK_RESULT;
/* The document of --json; does nothing without it. */
enum cook_status validate_write_json(struct validate *validate, const struct cook_cli *cli,
                                     struct cook_error *error) COOK_CHECK_RESULT;

#endif
