#include "explain/explain.h"

int main(int argc, const char **argv)
{
    return explain_verb(argc, argv);
}
