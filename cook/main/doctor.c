#include "cook/cli/cli.h"

int main(int argc, const char **argv)
{
    return cook_verb_doctor(argc, argv);
}
