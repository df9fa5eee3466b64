/* A tree of libc's is changed by one thread and searched by another. */
#include "two_steps.h"

#include <search.h>

static int keys[4];
static void *root;

static int compare(const void *a, const void *b)
{
    return a < b ? -1 : a > b;
}

__attribute__((constructor)) static void plant(void)
{
    tsearch(&keys[0], &root, compare);
    tsearch(&keys[1], &root, compare);
}

static void first(void)
{
    tsearch(&keys[2], &root, compare);
}

static void second(void)
{
    tfind(&keys[3], &root, compare);
}
