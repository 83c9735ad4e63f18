#include <string.h>

#include "cook/classes/classes.h"
#include "cook/trace/tracer.h"
#include "cook/worker/perturb.h"
#include "cook/worker/worker.h"

/* Options of our own, one after the other, before those of a perturbed cook:
 *     cook-worker [--trace] [--perturb …] */
int main(int argc, char **argv)
{
    bool traced = argc > 1 && strcmp(argv[1], "--trace") == 0;
    int status = cook_perturb_apply(argc, argv, traced ? 2 : 1);
    if (status)
        return status;
    if (traced)
        cook_tracer_start();
    return cook_worker_run(cook_standard_classes_register);
}
