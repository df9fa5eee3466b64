/* The callback of qsort() is the program's. */
#include "two_steps.h"

#include <stdlib.h>

static int calls;

static int compare(const void *a, const void *b)
{
    calls++;
    return *(const int *)a - *(const int *)b;
}

static void first(void)
{
    int array[] = {3, 1, 2};
    qsort(array, 3, sizeof *array, compare);
}

static void second(void)
{
    calls++;
}
