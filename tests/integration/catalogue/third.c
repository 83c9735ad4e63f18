#include <stdlib.h>

#include "third.h"

#ifdef THIRD_CHANGED
#define EDIT(before, after) after
#else
#define EDIT(before, after) before
#endif

/* What a cook with the old library may come to: its worker dies before it cooks anything. */
#ifndef THIRD_CHANGED
__attribute__((constructor)) static void may_die(void)
{
    if (getenv("CATALOGUE_THIRD_DIES"))
        abort();
}
#endif

uint64_t third_number(void)
{
    return EDIT(1000, 1001);
}

uint64_t third_version(void)
{
    return EDIT(1, 2);
}

uint64_t helper_number(void)
{
    return EDIT(2000, 2001);
}
