/* A C11 mutex between POSIX threads. */
#include <threads.h>

#include "pair.h"

int x;
static mtx_t m;

static void *first(void *unused)
{
    for (int i = 0; i < 1000; i++) {
        mtx_lock(&m);
        x++;
        mtx_unlock(&m);
    }
    return unused;
}

static void *second(void *unused)
{
    for (int i = 0; i < 1000; i++) {
        mtx_lock(&m);
        x++;
        mtx_unlock(&m);
    }
    return unused;
}

int main(void)
{
    mtx_init(&m, mtx_plain);
    pair(first, second);
    return x != 2000;
}
