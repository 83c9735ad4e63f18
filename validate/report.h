/* What a validation prints and writes. */
#ifndef VALIDATE_REPORT_H
#define VALIDATE_REPORT_H

#include "cook/cli/lint.h"
#include "diffcook/print.h"
#include "validate/validate.h"

/* Give each finding its id and its past, record the run with its document in the history, and write
 * the document where --json asks for it. */
enum cook_status validate_record(struct validate *validate, const struct cook_cli *cli,
                                 struct cook_error *error) COOK_CHECK_RESULT;
/* The member `kept` of a finding's document: which result it was judged by (states.c). */
void validate_kept_to_json(struct cJSON *finding_json, const struct validate_finding *finding);
/* An earlier finding as a member of `findings`: as it was reported last, with its state of now. */
struct cJSON *validate_earlier_to_json(const struct validate_earlier *earlier);
/* A line or two for each earlier finding. */
void validate_print_earlier(FILE *out, const struct validate *validate);
/* Naming the stacks of one finding at a time: `diff.new_stacks` is the finding's. */
struct validate_symbols {
    struct cook_symbolizer *symbolizer; /* owned */
    struct diff_symbols diff;
    struct diff_print_options print; /* its user is `diff`: do not move */
};
enum cook_status validate_symbols_init(struct validate_symbols *symbols,
                                       const struct validate *validate,
                                       struct cook_error *error) COOK_CHECK_RESULT;
/* Keep what each finding was found by beside the store (overlay.c). */
enum cook_status validate_keep_overlays(struct validate *validate,
                                        struct validate_symbols *symbols,
                                        struct cook_error *error) COOK_CHECK_RESULT;
/* Write the textures that differ as pictures into a folder, which is made for the first; findings
 * name theirs (pictures.c). COOK_E_IO, COOK_E_NO_SPACE, COOK_E_NO_MEMORY. */
enum cook_status validate_write_pictures(struct validate *validate, const char *folder,
                                         struct cook_error *error) COOK_CHECK_RESULT;
/* Findings and the closing line, as text. */
enum cook_status validate_print(struct validate *validate, const struct cook_cli *cli,
                                struct cook_error *error) COOK_CHECK_RESULT;

#endif
