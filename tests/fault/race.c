/* Two threads that write one counter: what a build with the thread sanitizer must not let pass. */
#include <stdio.h>

#include "cook/registry/parallel.h"

static void count(void *context)
{
    int *counter = context;
    for (int i = 0; i < 100000; i++)
        ++*(volatile int *)counter;
}

int main(void)
{
    int counter = 0;
    cook_parallel_run(4, count, &counter);
    return printf("%d\n", counter) < 0;
}
