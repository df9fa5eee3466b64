/* qsort() moves what it sorts, also what its callback never looks at. */
#include "two_steps.h"

#include <stdlib.h>

static struct {
    int key, payload;
} array[8];

static int compare(const void *a, const void *b)
{
    return *(const int *)a - *(const int *)b;
}

static void first(void)
{
    qsort(array, 8, sizeof *array, compare);
}

static void second(void)
{
    array[5].payload++;
}
