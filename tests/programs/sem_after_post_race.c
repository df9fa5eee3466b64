/* The write comes after the post. */
#include <semaphore.h>

#include "pair.h"

int x;
static sem_t s;

static void *first(void *unused)
{
    sem_post(&s);
    x = 1;
    unseen_signal(1);
    return unused;
}

static void *second(void *unused)
{
    sem_wait(&s);
    unseen_wait(1);
    x = 2;
    return unused;
}

int main(void)
{
    sem_init(&s, 0, 0);
    pair(first, second);
    return 0;
}
