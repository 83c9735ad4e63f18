#include "cook/classes/classes.h"
#include "cook/worker/worker.h"

int main(void)
{
    return cook_worker_run(cook_standard_classes_register);
}
