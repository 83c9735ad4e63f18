/*
 * One function on several threads, the caller's among them. The function takes its share of the
 * work by itself (an atomic counter in `context`), so that it does not matter how many threads
 * could be started: one is enough.
 */
#ifndef COOK_REGISTRY_PARALLEL_H
#define COOK_REGISTRY_PARALLEL_H

void cook_parallel_run(unsigned threads, void (*work)(void *context), void *context);

#endif
