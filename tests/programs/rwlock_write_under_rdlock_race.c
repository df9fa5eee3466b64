/* Two threads write, both with the lock for reading. */
#include "pair.h"

int x;
static pthread_rwlock_t l = PTHREAD_RWLOCK_INITIALIZER;

static void *first(void *unused)
{
    pthread_rwlock_rdlock(&l);
    x = 1;
    unseen_signal(1);
    pthread_rwlock_unlock(&l);
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
