/* Readers do not order each other, also when one has left before the other comes. */
#include "pair.h"

int x;
static pthread_rwlock_t l = PTHREAD_RWLOCK_INITIALIZER;

static void *first(void *unused)
{
    pthread_rwlock_rdlock(&l);
    x = 1;
    pthread_rwlock_unlock(&l);
    unseen_signal(1);
    return unused;
}

static void *second(void *unused)
{
    unseen_wait(1);
    pthread_rwlock_rdlock(&l);
    x = 2;
    pthread_rwlock_unlock(&l);
    return unused;
}

int main(void)
{
    pair(first, second);
    return 0;
}
