/* The lock that each call of a stream takes orders nothing for the program. */
#include "two_steps.h"

#include <stdio.h>

volatile int x;

static void first(void)
{
    x = 1;
    puts("one");
}

static void second(void)
{
    puts("two");
    x = 2;
}
