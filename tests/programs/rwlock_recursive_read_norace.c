/* A reader that locks twice is a reader until its last unlock. */
#include "pair.h"

int x = 1, seen;
static pthread_rwlock_t l = PTHREAD_RWLOCK_INITIALIZER;

static void *first(void *unused)
{
    pthread_rwlock_rdlock(&l);
    pthread_rwlock_rdlock(&l);
    pthread_rwlock_unlock(&l);
    seen = x;
    unseen_signal(1);
    pthread_rwlock_unlock(&l);
    return unused;
}

static void *second(void *unused)
{
    unseen_wait(1);
    pthread_rwlock_wrlock(&l);
    x = 2;
    pthread_rwlock_unlock(&l);
    return unused;
}

int main(void)
{
    pair(first, second);
    return 0;
}
