/* pthread_mutex_trylock that succeeds is a lock. */
#include "pair.h"

int x;
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;

static void *first(void *unused)
{
    for (int i = 0; i < 1000; i++) {
        while (pthread_mutex_trylock(&m) != 0)
            unseen_yield();
        x++;
        pthread_mutex_unlock(&m);
    }
    return unused;
}

static void *second(void *unused)
{
    for (int i = 0; i < 1000; i++) {
        while (pthread_mutex_trylock(&m) != 0)
            unseen_yield();
        x++;
        pthread_mutex_unlock(&m);
    }
    return unused;
}

int main(void)
{
    pair(first, second);
    return x != 2000;
}
