#include "verb_diff.h"

int main(int argc, const char **argv)
{
    return diff_verb(argc, argv);
}
