/* A try that fails orders nothing. */
#include <errno.h>

#include "pair.h"

int x;
static pthread_spinlock_t s;

static void *first(void *unused)
{
    pthread_spin_lock(&s);
    x = 1;
    pthread_spin_unlock(&s);
    pthread_spin_lock(&s);
    unseen_signal(1);
    unseen_wait(2);
    pthread_spin_unlock(&s);
    return unused;
}

static void *second(void *unused)
{
    unseen_wait(1);
    if (pthread_spin_trylock(&s) == EBUSY)
        x = 2;
    unseen_signal(2);
    return unused;
}

int main(void)
{
    pthread_spin_init(&s, PTHREAD_PROCESS_PRIVATE);
    pair(first, second);
    return 0;
}
