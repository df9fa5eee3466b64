/* The try functions order nothing when they fail. */
#include <errno.h>

#include "pair.h"

int x;
static pthread_rwlock_t l = PTHREAD_RWLOCK_INITIALIZER;

static void *first(void *unused)
{
    pthread_rwlock_wrlock(&l);
    x = 1;
    pthread_rwlock_unlock(&l);
    pthread_rwlock_wrlock(&l);
    unseen_signal(1);
    unseen_wait(2);
    pthread_rwlock_unlock(&l);
    return unused;
}

static void *second(void *unused)
{
    unseen_wait(1);
    if (pthread_rwlock_tryrdlock(&l) == EBUSY && pthread_rwlock_trywrlock(&l) == EBUSY)
        x = 2;
    unseen_signal(2);
    return unused;
}

int main(void)
{
    pair(first, second);
    return 0;
}
