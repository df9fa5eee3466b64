/* One thread posts when its work is done, the other waits for it. */
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
    sem_wait(&s);
    seen = x;
    return unused;
}

int main(void)
{
    sem_init(&s, 0, 0);
    pair(first, second);
    return seen != 1;
}
