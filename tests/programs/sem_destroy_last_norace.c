/* Semaphores that are destroyed when nobody can use them any more: by the thread that all others have told so, by posting
 * another one; and by who could take all that its users have given back. */
#include <semaphore.h>
#include <stdlib.h>

#include "pair.h"

enum { USERS = 3, ROUNDS = 50 };

static sem_t over;

static void *user(void *s)
{
    sem_wait(s);
    sem_post(s);
    while (sem_trywait(s) != 0)
        ;
    sem_post(s);
    sem_post(&over);
    return NULL;
}

static void *taker(void *s)
{
    sem_post(s);
    return NULL;
}

int main(void)
{
    sem_init(&over, 0, 0);
    for (int round = 0; round < ROUNDS; round++) {
        pthread_t thread[2 * USERS];
        sem_t *turn = malloc(sizeof *turn), *all = malloc(sizeof *all);
        sem_init(turn, 0, 1);
        sem_init(all, 0, 0);
        for (int i = 0; i < USERS; i++) {
            pthread_create(&thread[2 * i], NULL, user, turn);
            pthread_create(&thread[2 * i + 1], NULL, taker, all);
        }
        for (int i = 0; i < USERS; i++) {
            sem_wait(&over);
            sem_wait(all);
        }
        sem_destroy(turn);
        sem_destroy(all);
        free(turn);
        free(all);
        for (int i = 0; i < 2 * USERS; i++)
            pthread_join(thread[i], NULL);
    }
    return 0;
}
