/* A robust mutex whose owner ends without unlocking, and which another thread tries to lock before it joins the owner: it
 * sees all that the owner did. (TSan reports a race, and its test Linux/mutex_robust2.cpp calls that a false alarm.) */
#include <errno.h>

#include "pair.h"

int x;
static pthread_mutex_t m;

static void *dies(void *unused)
{
    pthread_mutex_lock(&m);
    unseen_signal(1);
    x = 1;
    return unused;
}

int main(void)
{
    pthread_t t;
    pthread_mutexattr_t attributes;
    int result;
    pthread_mutexattr_init(&attributes);
    pthread_mutexattr_setrobust(&attributes, PTHREAD_MUTEX_ROBUST);
    pthread_mutex_init(&m, &attributes);
    pthread_create(&t, NULL, dies, NULL);
    unseen_wait(1);
    do
        result = pthread_mutex_trylock(&m);
    while (result == EBUSY);
    x = 2;
    pthread_join(t, NULL);
    return result != EOWNERDEAD;
}
