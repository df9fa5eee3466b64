/* snprintf() writes no more than it is given room for, and the end. */
#include "two_steps.h"

#include <stdio.h>

static char text[16];

static void first(void)
{
    snprintf(text, 6, "%s %d", "text", 12345);
}

static void second(void)
{
    text[5] = 'x';
}
