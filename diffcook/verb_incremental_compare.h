/* cook incremental-compare: an incremental cook, then a full one, compared. */
#ifndef DIFFCOOK_VERB_INCREMENTAL_COMPARE_H
#define DIFFCOOK_VERB_INCREMENTAL_COMPARE_H

int diff_verb_incremental_compare(int argc, const char **argv); /* the exit status */

#endif
