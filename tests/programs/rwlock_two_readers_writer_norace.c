/* Two readers at once, then a writer. */
#include "pair.h"

int x = 1, sum[2];
static pthread_rwlock_t l = PTHREAD_RWLOCK_INITIALIZER;

static void *reader(void *number)
{
    pthread_rwlock_rdlock(&l);
    unseen_barrier(2);
    sum[(long)number] += x;
    pthread_rwlock_unlock(&l);
    return NULL;
}

static void *writer(void *unused)
{
    unseen_wait(2);
    pthread_rwlock_wrlock(&l);
    x = 2;
    pthread_rwlock_unlock(&l);
    return unused;
}

int main(void)
{
    pthread_t a, b, c;
    pthread_create(&a, NULL, reader, (void *)0);
    pthread_create(&b, NULL, reader, (void *)1);
    pthread_create(&c, NULL, writer, NULL);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    pthread_join(c, NULL);
    return sum[0] + sum[1] != 2 || x != 2;
}
