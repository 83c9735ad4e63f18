#include "validate/reproduce.h"

int main(int argc, const char **argv)
{
    return reproduce_verb(argc, argv);
}
