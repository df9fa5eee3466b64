/* The first to leave a barrier may destroy it at once, and use the memory for another. */
#include <stdlib.h>
#include <string.h>

#include "pair.h"

enum { THREADS = 3, ROUNDS = 50 };

static int x[THREADS], sum;

static void *worker(void *argument)
{
    pthread_barrier_t *b = argument;
    if (pthread_barrier_wait(b) == PTHREAD_BARRIER_SERIAL_THREAD) {
        pthread_barrier_destroy(b);
        memset(b, 0xff, sizeof *b);
        free(b);
        for (int i = 0; i < THREADS; i++)
            sum += x[i];
    }
    return NULL;
}

static void *first_worker(void *argument)
{
    x[0]++;
    return worker(argument);
}

int main(void)
{
    for (int round = 0; round < ROUNDS; round++) {
        pthread_t t[THREADS];
        pthread_barrier_t *b = malloc(sizeof *b);
        pthread_barrier_init(b, NULL, THREADS);
        for (int i = 0; i < THREADS; i++)
            pthread_create(&t[i], NULL, i == 0 ? first_worker : worker, b);
        for (int i = 0; i < THREADS; i++)
            pthread_join(t[i], NULL);
    }
    return sum != ROUNDS * (ROUNDS + 1) / 2;
}
