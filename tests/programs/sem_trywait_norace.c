/* sem_trywait, once it succeeds, is a wait. */
#include <semaphore.h>

#include "pair.h"

int x, seen;
static sem_t s;

static void *first(void *unused)
{
    x = 1;
    sem_post(&s);
    return unused;
}

static void *second(void *unused)
{
    while (sem_trywait(&s) != 0)
        unseen_yield();
    seen = x;
    return unused;
}

int main(void)
{
    sem_init(&s, 0, 0);
    pair(first, second);
    return seen != 1;
}
