/*
 * Which of the skippable packages a validation recooks: a share of them, or as many as fit a time; and what it
 * covered of each class.
 */
#ifndef VALIDATE_SELECT_H
#define VALIDATE_SELECT_H

#include <cjson/cJSON.h>

#include "validate/validate.h"

struct validate_selection {
    unsigned shard, shards;  /* --shard I/N, from 1; 0: no shards */
    double seconds;          /* --time-limit; 0: none */
    const char *after;       /* --after: begin behind this package, by name; NULL: at the first */
};

/* "2/8". COOK_E_USAGE. */
enum cook_status validate_read_shard(struct validate_selection *selection, const char *text,
                                     struct cook_error *error) COOK_CHECK_RESULT;
bool validate_selects(const struct validate_selection *selection); /* anything but all */
/*
 * Choose among `validate->candidates`, and dispatch. Shards are balanced by how long packages took to cook:
 * the longest goes to the shard with the least so far, so that all who ask of the same store agree. A time
 * limit is spent on what follows `after`, around the end, by the same measure; `validate->next` is where the
 * next validation goes on, NULL when all was chosen.
 */
enum cook_status validate_select(struct validate *validate,
                                 struct cook_error *error) COOK_CHECK_RESULT;
void validate_select_finish(struct validate *validate);
/* "classes": skippable and validated packages by class; "shard", "next", "candidates". */
void validate_add_coverage(const struct validate *validate, cJSON *document);

#endif
