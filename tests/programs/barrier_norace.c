/* Phases: each thread reads in one what its neighbour has written in the phase before. */
#include "pair.h"

enum { THREADS = 4, PHASES = 50 };

int value[2][THREADS];
static pthread_barrier_t b;

static void *worker(void *argument)
{
    long me = (long)argument;
    for (int phase = 0; phase < PHASES; phase++) {
        value[phase % 2][me] = phase == 0 ? 0 : value[(phase - 1) % 2][(me + 1) % THREADS] + 1;
        pthread_barrier_wait(&b);
    }
    return NULL;
}

int main(void)
{
    pthread_t t[THREADS];
    pthread_barrier_init(&b, NULL, THREADS);
    for (long i = 0; i < THREADS; i++)
        pthread_create(&t[i], NULL, worker, (void *)i);
    for (int i = 0; i < THREADS; i++)
        pthread_join(t[i], NULL);
    pthread_barrier_destroy(&b);
    return value[(PHASES - 1) % 2][0] != PHASES - 1;
}
