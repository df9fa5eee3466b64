/* A stream is closed, and its descriptor with it, unordered after another thread has written past the stream. */
#include <stdio.h>
#include <unistd.h>

#include "must.h"
#include "pair.h"

static FILE *file;

static void *first(void *unused)
{
    must(write(fileno(file), "x", 1) == 1);
    unseen_signal(1);
    return unused;
}

static void *second(void *unused)
{
    unseen_wait(1);
    fclose(file);
    return unused;
}

int main(void)
{
    file = fopen("/dev/null", "w");
    pair(first, second);
    return 0;
}
