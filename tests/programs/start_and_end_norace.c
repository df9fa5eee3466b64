/* Threads and locks before main and after it: in constructors, exit handlers and destructors. */
#include <stdlib.h>

#include "pair.h"

int x;
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static pthread_once_t once = PTHREAD_ONCE_INIT;

static void initialize(void)
{
    x++;
}

static void *worker(void *unused)
{
    pthread_once(&once, initialize);
    pthread_mutex_lock(&m);
    x++;
    pthread_mutex_unlock(&m);
    return unused;
}

__attribute__((constructor(101))) static void very_early(void)
{
    pair(worker, worker);
}

__attribute__((constructor)) static void early(void)
{
    pair(worker, worker);
}

static void late(void)
{
    pair(worker, worker);
}

__attribute__((destructor)) static void very_late(void)
{
    pair(worker, worker);
    if (x != 11)
        abort();
}

int main(void)
{
    atexit(late);
    pair(worker, worker);
    return x != 7;
}
