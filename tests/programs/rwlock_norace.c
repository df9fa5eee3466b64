/* Readers and writers of a pair of variables. */
#include "pair.h"

int x, y, bad;
static pthread_rwlock_t l = PTHREAD_RWLOCK_INITIALIZER;

static void *first(void *unused)
{
    for (int i = 0; i < 1000; i++) {
        pthread_rwlock_wrlock(&l);
        x++;
        y++;
        pthread_rwlock_unlock(&l);
    }
    return unused;
}

static void *second(void *unused)
{
    for (int i = 0; i < 1000; i++) {
        pthread_rwlock_rdlock(&l);
        bad |= x != y;
        pthread_rwlock_unlock(&l);
    }
    return unused;
}

int main(void)
{
    pair(first, second);
    return bad;
}
