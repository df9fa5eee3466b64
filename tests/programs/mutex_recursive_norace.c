/* A recursive mutex, locked up to three deep. */
#define _GNU_SOURCE
#include "pair.h"

int x;
static pthread_mutex_t m;

static void deeper(int depth)
{
    pthread_mutex_lock(&m);
    x++;
    if (depth > 1)
        deeper(depth - 1);
    x++;
    pthread_mutex_unlock(&m);
}

static void *first(void *unused)
{
    for (int i = 0; i < 300; i++)
        deeper(1 + i % 3);
    return unused;
}

static void *second(void *unused)
{
    for (int i = 0; i < 300; i++)
        deeper(1 + i % 3);
    return unused;
}

int main(void)
{
    pthread_mutexattr_t attributes;
    pthread_mutexattr_init(&attributes);
    pthread_mutexattr_settype(&attributes, PTHREAD_MUTEX_RECURSIVE);
    pthread_mutex_init(&m, &attributes);
    pair(first, second);
    pthread_mutex_destroy(&m);
    return x != 2400;
}
