#include "report/nightly/nightly.h"

int main(int argc, const char **argv)
{
    return nightly_verb(argc, argv);
}
