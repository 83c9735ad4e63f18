project
{
    printf '{ "objects": '
    printf '[%.0s' {1..1000}
} | asset Deep
cook full
