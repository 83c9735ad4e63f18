/* What the files of the cook share. */
#ifndef COOK_PLAN_COOK_PRIVATE_H
#define COOK_PLAN_COOK_PRIVATE_H

#include "cook/plan/cook.h"

/* Tell the progress; what is skipped and what is left are known before the first package comes out. */
void cook_cook_enter_phase(struct cook_cook *cook, const char *phase);
/* By name. COOK_E_NO_MEMORY. */
enum cook_status cook_cook_sort_packages(struct cook_cook *cook,
                                         struct cook_error *error) COOK_CHECK_RESULT;
/* By package name, and then as they were logged; also of a cook that ends with an error. */
void cook_cook_sort_messages(struct cook_cook *cook);
/* Artifacts, explanation, manifest, and the end of the cook in the store. */
enum cook_status cook_cook_end(struct cook_cook *cook, struct cook_error *error) COOK_CHECK_RESULT;

#endif
