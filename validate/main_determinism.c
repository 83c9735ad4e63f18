#include "validate/determinism.h"

int main(int argc, const char **argv)
{
    return determinism_verb(argc, argv);
}
