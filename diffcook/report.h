/*
 * What a comparison found, for people and as a document. Packages are opened one after another,
 * so that memory does not follow their number.
 */
#ifndef DIFFCOOK_REPORT_H
#define DIFFCOOK_REPORT_H

#include "compare.h"
#include "print.h"

struct cJSON;

struct diff_report_options {
    FILE *out;        /* for people; NULL: nothing */
    bool quiet;       /* and of that, no summary where nothing differs */
    bool stat;        /* counts only */
    const char *pictures; /* folder for pictures of textures that differ; NULL: none */
    size_t limit;     /* packages whose differences are worked out; 0: all */
    const char *noun; /* what entries are: "package", "file" */
    /*
     * Another cook's version of a modified package, with callstacks, or NULL; `*note` gets what
     * is to be said of it, or NULL. May be NULL.
     */
    const struct diff_version *(*recooked)(void *user, const struct diff_entry *entry,
                                           const char **note);
    void *user;
    struct cook_symbolizer *symbolizer; /* for its stacks */
};

struct diff_report_outcome {
    size_t problems;     /* packages that could not be read */
    size_t pictures;     /* written */
    size_t not_compared; /* beyond the limit */
    size_t same_meaning; /* modified packages that say the same in other bytes */
    size_t references_added; /* runtime references, of the modified packages that were opened */
    size_t references_deleted;
};

/*
 * Print, and add "summary" and "packages" to `document` (NULL: none is made). Errors:
 * COOK_E_NO_MEMORY.
 */
enum cook_status diff_report_write(struct diff_report_outcome *outcome,
                                   const struct diff_comparison *comparison,
                                   const struct diff_report_options *options,
                                   struct cJSON *document,
                                   struct cook_error *error) COOK_CHECK_RESULT;

/* Whether anything was found that differs. */
bool diff_report_has_findings(const struct diff_comparison *comparison);

/* One entry as JSON (report_json.c); `package` NULL: not opened. NULL when memory is short. */
struct cJSON *diff_entry_to_json(const struct diff_entry *entry,
                                 const struct diff_package *package, const char *note,
                                 const struct diff_print_options *print);
/* The files of cook artifacts that differ, as an array; NULL when memory is short. */
struct cJSON *diff_outputs_to_json(const struct diff_comparison *comparison);

/* The files that would be staged otherwise, likewise. */
struct cJSON *diff_staged_to_json(const struct diff_comparison *comparison);

#endif
