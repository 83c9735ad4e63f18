#include "validate/churn.h"

int main(int argc, const char **argv)
{
    return churn_main(argc, argv);
}
