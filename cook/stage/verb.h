/* The verb `cook stage`; returns its exit status. */
#ifndef COOK_STAGE_VERB_H
#define COOK_STAGE_VERB_H

int cook_verb_stage(int argc, const char **argv);

#endif
