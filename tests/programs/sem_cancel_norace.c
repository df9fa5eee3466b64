/* A thread is cancelled while it waits for a semaphore: it has not waited, and the semaphore works on. */
#include <semaphore.h>

#include "pair.h"

int x;
static sem_t s;

static void cleanup(void *unused)
{
    (void)unused;
    x++;
}

static void *waiter(void *unused)
{
    pthread_cleanup_push(cleanup, NULL);
    sem_wait(&s);
    pthread_cleanup_pop(0);
    return unused;
}

static void *poster(void *unused)
{
    x++;
    sem_post(&s);
    return unused;
}

int main(void)
{
    pthread_t t;
    sem_init(&s, 0, 0);
    for (int i = 0; i < 5; i++) {
        pthread_create(&t, NULL, waiter, NULL);
        pthread_cancel(t);
        pthread_join(t, NULL);
    }
    pthread_create(&t, NULL, poster, NULL);
    sem_wait(&s);
    x++;
    pthread_join(t, NULL);
    return x != 7;
}
