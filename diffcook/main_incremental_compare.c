#include "verb_incremental_compare.h"

int main(int argc, const char **argv)
{
    return diff_verb_incremental_compare(argc, argv);
}
