#include "validate/verb.h"

int main(int argc, const char **argv)
{
    return validate_verb(argc, argv);
}
