/* The verb cook-incremental-validate. */
#ifndef VALIDATE_VERB_H
#define VALIDATE_VERB_H

/* Returns the exit status of design section 7. */
int validate_verb(int argc, const char **argv);

#endif
