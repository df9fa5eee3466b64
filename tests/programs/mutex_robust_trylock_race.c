/* A robust mutex that another thread still has: to try to lock it in vain orders nothing. */
#include <errno.h>

#include "pair.h"

int x;
static pthread_mutex_t m;

static void *holds(void *unused)
{
    pthread_mutex_lock(&m);
    x = 1;
    unseen_signal(1);
    unseen_wait(2);
    pthread_mutex_unlock(&m);
    return unused;
}

int main(void)
{
    pthread_t t;
    pthread_mutexattr_t attributes;
    pthread_mutexattr_init(&attributes);
    pthread_mutexattr_setrobust(&attributes, PTHREAD_MUTEX_ROBUST);
    pthread_mutex_init(&m, &attributes);
    pthread_create(&t, NULL, holds, NULL);
    unseen_wait(1);
    int result = pthread_mutex_trylock(&m);
    x = 2;
    unseen_signal(2);
    pthread_join(t, NULL);
    return result != EBUSY;
}
