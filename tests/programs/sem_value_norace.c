/* Threads that ask for the value of a semaphore, whatever it is, while others use it. */
#include <semaphore.h>

#include "must.h"
#include "pair.h"

static sem_t s;

static void *work(void *unused)
{
    int value = -1;
    for (int i = 0; i < 1000; i++) {
        must(sem_getvalue(&s, &value) == 0 && value >= 0);
        sem_wait(&s);
        sem_post(&s);
    }
    return unused;
}

int main(void)
{
    sem_init(&s, 0, 1);
    pair(work, work);
    int value;
    must(sem_getvalue(&s, &value) == 0 && value == 1);
    sem_destroy(&s);
    return 0;
}
