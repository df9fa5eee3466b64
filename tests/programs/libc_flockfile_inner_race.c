/* The inner unlock of a stream that was locked twice gives nothing up; what comes after the outer one is not
 * ordered. */
#include "two_steps.h"

#include <stdio.h>

volatile int x;

static void first(void)
{
    flockfile(stderr);
    flockfile(stderr);
    funlockfile(stderr);
    funlockfile(stderr);
    x = 1;
}

static void second(void)
{
    flockfile(stderr);
    x = 2;
    funlockfile(stderr);
}
