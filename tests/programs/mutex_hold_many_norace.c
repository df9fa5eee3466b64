/* Hundreds of mutexes held at once. */
#include "pair.h"

enum { MUTEXES = 300 };

int x[MUTEXES];
static pthread_mutex_t m[MUTEXES];

static void *worker(void *unused)
{
    for (int round = 0; round < 3; round++) {
        for (int i = 0; i < MUTEXES; i++)
            pthread_mutex_lock(&m[i]);
        for (int i = 0; i < MUTEXES; i++)
            x[i]++;
        for (int i = 0; i < MUTEXES; i++)
            pthread_mutex_unlock(&m[round == 0 ? MUTEXES - 1 - i : i]);
    }
    return unused;
}

int main(void)
{
    for (int i = 0; i < MUTEXES; i++)
        pthread_mutex_init(&m[i], NULL);
    pair(worker, worker);
    return x[MUTEXES - 1] != 6;
}
