/* A lock is destroyed, and another one created in its place, which is read-locked first. */
#include "pair.h"

int x;
static pthread_rwlock_t l;

static void *add(void *unused)
{
    pthread_rwlock_wrlock(&l);
    x++;
    pthread_rwlock_unlock(&l);
    return unused;
}

int main(void)
{
    for (int i = 0; i < 3; i++) {
        pthread_rwlock_init(&l, NULL);
        pthread_rwlock_rdlock(&l);
        pthread_rwlock_unlock(&l);
        pair(add, add);
        pthread_rwlock_destroy(&l);
    }
    return x != 6;
}
