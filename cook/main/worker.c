#include "cook/classes/classes.h"
#include "cook/worker/perturb.h"
#include "cook/worker/worker.h"

int main(int argc, char **argv)
{
    int status = cook_perturb_apply(argc, argv);
    return status ? status : cook_worker_run(cook_standard_classes_register);
}
