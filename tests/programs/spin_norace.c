/* A counter under a spin lock. */
#include "pair.h"

int x;
static pthread_spinlock_t s;

static void *first(void *unused)
{
    for (int i = 0; i < 1000; i++) {
        pthread_spin_lock(&s);
        x++;
        pthread_spin_unlock(&s);
    }
    return unused;
}

static void *second(void *unused)
{
    for (int i = 0; i < 1000; i++) {
        while (pthread_spin_trylock(&s) != 0)
            unseen_yield();
        x++;
        pthread_spin_unlock(&s);
    }
    return unused;
}

int main(void)
{
    pthread_spin_init(&s, PTHREAD_PROCESS_PRIVATE);
    pair(first, second);
    pthread_spin_destroy(&s);
    return x != 2000;
}
