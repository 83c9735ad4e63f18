/* cook diff: two cooks, or two folders, compared. */
#ifndef DIFFCOOK_VERB_DIFF_H
#define DIFFCOOK_VERB_DIFF_H

int diff_verb(int argc, const char **argv); /* the exit status */

#endif
