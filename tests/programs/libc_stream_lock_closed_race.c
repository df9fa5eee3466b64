/* A stream is closed that another thread has locked and unlocked. */
#include "two_steps.h"

#include <stdio.h>

static FILE *file;

__attribute__((constructor)) static void begin(void)
{
    file = fopen("/dev/null", "w");
}

static void first(void)
{
    flockfile(file);
    funlockfile(file);
}

static void second(void)
{
    fclose(file);
}
