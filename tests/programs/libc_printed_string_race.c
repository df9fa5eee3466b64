/* printf() reads the strings that it prints. */
#include "two_steps.h"

#include <stdio.h>

static char text[16] = "text";

static void first(void)
{
    printf("%d %s\n", 1, text);
}

static void second(void)
{
    text[3] = 'x';
}
