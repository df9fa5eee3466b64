/* The write comes after the unlock. */
#include "pair.h"

int x;
static pthread_spinlock_t s;

static void *first(void *unused)
{
    pthread_spin_lock(&s);
    pthread_spin_unlock(&s);
    x = 1;
    unseen_signal(1);
    return unused;
}

static void *second(void *unused)
{
    unseen_wait(1);
    pthread_spin_lock(&s);
    x = 2;
    pthread_spin_unlock(&s);
    return unused;
}

int main(void)
{
    pthread_spin_init(&s, PTHREAD_PROCESS_PRIVATE);
    pair(first, second);
    return 0;
}
