/* What a validation prints and writes. */
#ifndef VALIDATE_REPORT_H
#define VALIDATE_REPORT_H

#include "cook/cli/cli.h"
#include "validate/validate.h"

/* Give each finding its id and its past, record the run with its document in the history, and write
 * the document where --json asks for it. */
enum cook_status validate_record(struct validate *validate, const struct cook_cli *cli,
                                 struct cook_error *error) COOK_CHECK_RESULT;
/* Findings and the closing line, as text. */
enum cook_status validate_print(struct validate *validate, const struct cook_cli *cli,
                                struct cook_error *error) COOK_CHECK_RESULT;

#endif
