/* sem_trywait that fails orders nothing. */
#include <errno.h>
#include <semaphore.h>

#include "pair.h"

int x;
static sem_t s;

static void *first(void *unused)
{
    x = 1;
    sem_post(&s);
    sem_wait(&s);
    unseen_signal(1);
    return unused;
}

static void *second(void *unused)
{
    unseen_wait(1);
    if (sem_trywait(&s) != 0 && errno == EAGAIN)
        x = 2;
    return unused;
}

int main(void)
{
    sem_init(&s, 0, 0);
    pair(first, second);
    return 0;
}
