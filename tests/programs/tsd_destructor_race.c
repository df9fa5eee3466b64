/* The destructor of thread-specific data is checked. */
#include "pair.h"

static pthread_key_t key;
int x;

static void destructor(void *value)
{
    unseen_wait(1);
    x = (int)(long)value;
}

static void *worker(void *unused)
{
    pthread_setspecific(key, (void *)1);
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
