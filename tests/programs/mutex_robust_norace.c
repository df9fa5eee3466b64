/* A robust mutex whose owner ends without unlocking: the next owner sees all that the last one did. */
#include <errno.h>

#include "pair.h"

int x, y;
static pthread_mutex_t m;

static void *dies(void *unused)
{
    pthread_mutex_lock(&m);
    x = 1;
    unseen_signal(1);
    return unused;
}

static void *inherits(void *unused)
{
    unseen_wait(1);
    if (pthread_mutex_lock(&m) != EOWNERDEAD)
        return &y;
    x++;
    pthread_mutex_consistent(&m);
    pthread_mutex_unlock(&m);
    pthread_mutex_lock(&m);
    x++;
    pthread_mutex_unlock(&m);
    return unused;
}

int main(void)
{
    pthread_mutexattr_t attributes;
    pthread_mutexattr_init(&attributes);
    pthread_mutexattr_setrobust(&attributes, PTHREAD_MUTEX_ROBUST);
    pthread_mutex_init(&m, &attributes);
    pair(dies, inherits);
    return x != 3;
}
