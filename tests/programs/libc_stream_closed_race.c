/* A stream is used after another thread has closed it. (glibc survives a flush of a stream that is gone.) */
#include "two_steps.h"

#include <stdio.h>

static FILE *file;

__attribute__((constructor)) static void begin(void)
{
    file = fopen("/dev/null", "w");
}

static void first(void)
{
    fclose(file);
}

static void second(void)
{
#ifndef ORDERED
    fflush(file);
#endif
}
