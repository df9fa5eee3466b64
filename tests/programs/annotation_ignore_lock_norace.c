/* Mutexes that one thread makes and another locks, unordered, where reads are to be ignored: one that is free, and one that
 * has to be waited for. */
#include "dynamic_annotations.h"
#include "pair.h"

static pthread_mutex_t unlocked, held;

/* Does somebody sleep until it is free? */
UNSEEN int is_awaited(const pthread_mutex_t *m)
{
    return *(const volatile int *)&m->__data.__lock == 2;
}

static void *first(void *unused)
{
    pthread_mutex_init(&unlocked, NULL);
    pthread_mutex_init(&held, NULL);
    pthread_mutex_lock(&held);
    unseen_signal(1);
    while (!is_awaited(&held))
        unseen_yield();
    pthread_mutex_unlock(&held);
    return unused;
}

static void *second(void *unused)
{
    unseen_wait(1);
    AnnotateIgnoreReadsBegin(HERE);
    pthread_mutex_lock(&unlocked);
    pthread_mutex_unlock(&unlocked);
    pthread_mutex_lock(&held);
    pthread_mutex_unlock(&held);
    AnnotateIgnoreReadsEnd(HERE);
    return unused;
}

int main(void)
{
    pair(first, second);
    return 0;
}
