#include "report/report.h"

int main(int argc, const char **argv)
{
    return report_verb(argc, argv);
}
