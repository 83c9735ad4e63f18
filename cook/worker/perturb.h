/*
 * A worker's side of perturbed cooks: it changes its own process before anything of a plugin
 * runs, as `cook determinism` asks through its arguments and environment.
 *
 *     cook-worker --perturb aslr=off,umask=077,cpus=1,host=NAME,project=FOLDER
 *
 * What the dynamic linker or the library calls must see differently is done by cook-perturb.so
 * (main/perturb_preload.c), which is preloaded and reads the variables named here.
 */
#ifndef COOK_WORKER_PERTURB_H
#define COOK_WORKER_PERTURB_H

#include <stdbool.h>

#define COOK_PERTURB_PRELOAD    "cook-perturb.so"         /* beside cook-worker */
#define COOK_PERTURB_CLOCK      "COOK_PERTURB_CLOCK"      /* wall clock to start from, ns */
#define COOK_PERTURB_SEED       "COOK_PERTURB_SEED"       /* what random bytes are made of */
#define COOK_PERTURB_PROCESSORS "COOK_PERTURB_PROCESSORS" /* how many there seem to be */
#define COOK_PERTURB_HOST       "COOK_PERTURB_HOST"       /* the host's name */
#define COOK_PERTURB_ASYNC_MS   "COOK_PERTURB_ASYNC_MS"   /* every other job is late by this */
#define COOK_PERTURB_PROCESS    "COOK_PERTURB_PROCESS"    /* id of the process */
#define COOK_PERTURB_LISTING    "COOK_PERTURB_LISTING" /* of folders: "sorted" or "reversed" */
#define COOK_PERTURB_FOLDER     "COOK_PERTURB_FOLDER"  /* working folder of class code */
#define COOK_PERTURB_HEAP       "COOK_PERTURB_HEAP"    /* a byte: freed memory is full of it */
#define COOK_PERTURB_STACK      "COOK_PERTURB_STACK"   /* a byte that unused stack is full of */

/*
 * Apply the program's arguments from number `first` on to this process. Switching address
 * randomisation off starts the program anew, with everything else kept. What the machine
 * refuses is left as it was: the director has probed before. Returns 0, or 2 for arguments that
 * are not understood.
 */
int cook_perturb_apply(int argc, char **argv, int first);
/* Whether the project can be made to lie in `folder` (an empty one) for a process; tried in a
 * child. */
bool cook_perturb_can_move(const char *project, const char *folder);
/* Go to the working folder that class code is to see; the project's own is open by now. */
void cook_perturb_enter_folder(void);
/* The byte that unused stack is to be full of, or -1; and filling what is below the caller with
 * it, so that what a hook leaves unset there is known. */
int cook_perturb_stack_byte(void);
void cook_perturb_fill_stack(int byte);

#endif
