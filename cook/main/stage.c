#include "cook/stage/verb.h"

int main(int argc, const char **argv)
{
    return cook_verb_stage(argc, argv);
}
