/* The try functions are locks when they succeed. */
#include "pair.h"

int x, seen;
static pthread_rwlock_t l = PTHREAD_RWLOCK_INITIALIZER;

static void *first(void *unused)
{
    for (int i = 0; i < 1000; i++) {
        while (pthread_rwlock_trywrlock(&l) != 0)
            unseen_yield();
        x++;
        pthread_rwlock_unlock(&l);
    }
    return unused;
}

static void *second(void *unused)
{
    for (int i = 0; i < 1000; i++) {
        while (pthread_rwlock_tryrdlock(&l) != 0)
            unseen_yield();
        seen = x;
        pthread_rwlock_unlock(&l);
    }
    return unused;
}

int main(void)
{
    pair(first, second);
    return x != 1000;
}
