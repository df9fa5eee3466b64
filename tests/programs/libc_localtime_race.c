/* localtime() returns the same memory to everybody. */
#include "two_steps.h"

#include <time.h>

static void first(void)
{
    time_t now = 0;
    localtime(&now);
}

static void second(void)
{
    time_t now = 1;
    gmtime(&now);
}
