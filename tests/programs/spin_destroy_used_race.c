/* A spin lock is destroyed, unordered, after another thread has used it. */
#include "pair.h"

static pthread_spinlock_t l;

static void *first(void *unused)
{
    pthread_spin_lock(&l);
    pthread_spin_unlock(&l);
    unseen_signal(1);
    return unused;
}

static void *second(void *unused)
{
    unseen_wait(1);
    pthread_spin_destroy(&l);
    return unused;
}

int main(void)
{
    pthread_spin_init(&l, PTHREAD_PROCESS_PRIVATE);
    pair(first, second);
    return 0;
}
