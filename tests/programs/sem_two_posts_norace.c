/* Whoever waits twice knows what both posters knew. */
#include <semaphore.h>

#include "pair.h"

int x, y;
static sem_t s;

static void *write_x(void *unused)
{
    x = 1;
    sem_post(&s);
    return unused;
}

static void *write_y(void *unused)
{
    y = 1;
    sem_post(&s);
    return unused;
}

int main(void)
{
    pthread_t a, b;
    sem_init(&s, 0, 0);
    pthread_create(&a, NULL, write_x, NULL);
    pthread_create(&b, NULL, write_y, NULL);
    sem_wait(&s);
    sem_wait(&s);
    int bad = x + y != 2;
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    return bad;
}
