#include "report/gate/gate.h"

int main(int argc, const char **argv)
{
    return gate_verb(argc, argv);
}
