/* Whoever has waited may destroy the semaphore at once: POSIX allows it while the post still returns. */
#include <semaphore.h>
#include <stdlib.h>

#include "pair.h"

static void *poster(void *s)
{
    sem_post(s);
    return NULL;
}

int main(void)
{
    for (int i = 0; i < 50; i++) {
        pthread_t t;
        sem_t *s = malloc(sizeof *s);
        sem_init(s, 0, 0);
        pthread_create(&t, NULL, poster, s);
        sem_wait(s);
        sem_destroy(s);
        free(s);
        pthread_detach(t);
    }
    return 0;
}
