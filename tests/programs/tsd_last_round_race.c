/* A destructor that keeps its value until the last round of destructors is still checked in it. */
#include <limits.h>

#include "pair.h"

static pthread_key_t key;
int x;

static void destructor(void *value)
{
    long left = (long)value;
    if (left > 1) {
        pthread_setspecific(key, (void *)(left - 1));
        return;
    }
    unseen_wait(1);
    x = 1;
}

static void *worker(void *unused)
{
    pthread_setspecific(key, (void *)(long)PTHREAD_DESTRUCTOR_ITERATIONS);
    return unused;
}

static void *other(void *unused)
{
    x = 2;
    unseen_signal(1);
    return unused;
}

int main(void)
{
    pthread_key_create(&key, destructor);
    pair(worker, other);
    return 0;
}
