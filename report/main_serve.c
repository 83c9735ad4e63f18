#include "report/serve/serve.h"

int main(int argc, const char **argv)
{
    return serve_verb(argc, argv);
}
