/* A semaphore with one place is a lock. */
#include <semaphore.h>

#include "pair.h"

int x;
static sem_t s;

static void *first(void *unused)
{
    for (int i = 0; i < 1000; i++) {
        sem_wait(&s);
        x++;
        sem_post(&s);
    }
    return unused;
}

static void *second(void *unused)
{
    for (int i = 0; i < 1000; i++) {
        sem_wait(&s);
        x++;
        sem_post(&s);
    }
    return unused;
}

int main(void)
{
    sem_init(&s, 0, 1);
    pair(first, second);
    return x != 2000;
}
