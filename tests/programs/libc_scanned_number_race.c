/* scanf() writes what it has read. */
#include "two_steps.h"

#include <stdio.h>

static int number;

static void first(void)
{
    sscanf("x 12", "%*c %d", &number);
}

static void second(void)
{
    number++;
}
