/* A reader learns what another reader did if a writer came between them. */
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
    unseen_wait(2);
    pthread_rwlock_rdlock(&l);
    x = 2;
    pthread_rwlock_unlock(&l);
    return unused;
}

int main(void)
{
    pthread_t a, b;
    pthread_create(&a, NULL, first, NULL);
    pthread_create(&b, NULL, second, NULL);
    unseen_wait(1);
    pthread_rwlock_wrlock(&l);
    pthread_rwlock_unlock(&l);
    unseen_signal(2);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    return 0;
}
