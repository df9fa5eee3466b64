/* Six threads choose at random among all kinds of locks, each of which protects its own counter. */
#define _GNU_SOURCE
#include <semaphore.h>
#include <threads.h>

#include "pair.h"

enum { THREADS = 6, STEPS = 3000, KINDS = 7 };

int counter[KINDS], seen;
static pthread_mutex_t plain = PTHREAD_MUTEX_INITIALIZER, recursive = PTHREAD_RECURSIVE_MUTEX_INITIALIZER_NP;
static pthread_rwlock_t rwlock = PTHREAD_RWLOCK_INITIALIZER;
static pthread_spinlock_t spin;
static mtx_t c11;
static sem_t semaphore;
static pthread_cond_t turn_changed = PTHREAD_COND_INITIALIZER;
static int turn;

static unsigned random_below(unsigned *state, unsigned limit)
{
    *state = *state * 1103515245 + 12345;
    return (*state >> 16) % limit;
}

static void in_turn(int parity)
{
    pthread_mutex_lock(&plain);
    if (turn % 2 != parity)
        pthread_cond_signal(&turn_changed);
    turn++;
    pthread_mutex_unlock(&plain);
}

static void step(unsigned kind, unsigned *state)
{
    int local = 0;
    switch (kind) {
    case 0:
        pthread_mutex_lock(&plain);
        counter[0]++;
        pthread_mutex_unlock(&plain);
        break;
    case 1:
        pthread_mutex_lock(&recursive);
        pthread_mutex_lock(&recursive);
        counter[1]++;
        pthread_mutex_unlock(&recursive);
        counter[1]++;
        pthread_mutex_unlock(&recursive);
        break;
    case 2:
        if (random_below(state, 3) == 0) {
            pthread_rwlock_wrlock(&rwlock);
            counter[2]++;
        } else {
            pthread_rwlock_rdlock(&rwlock);
            local += counter[2];
        }
        pthread_rwlock_unlock(&rwlock);
        break;
    case 3:
        while (pthread_spin_trylock(&spin) != 0)
            unseen_yield();
        counter[3]++;
        pthread_spin_unlock(&spin);
        break;
    case 4:
        mtx_lock(&c11);
        counter[4]++;
        mtx_unlock(&c11);
        break;
    case 5:
        sem_wait(&semaphore);
        counter[5]++;
        sem_post(&semaphore);
        break;
    default:
        in_turn((int)random_below(state, 2));
    }
}

static void *worker(void *seed)
{
    unsigned state = (unsigned)(long)seed;
    for (int i = 0; i < STEPS; i++)
        step(random_below(&state, KINDS), &state);
    return NULL;
}

int main(void)
{
    pthread_t t[THREADS];
    pthread_spin_init(&spin, PTHREAD_PROCESS_PRIVATE);
    mtx_init(&c11, mtx_plain);
    sem_init(&semaphore, 0, 1);
    for (long i = 0; i < THREADS; i++)
        pthread_create(&t[i], NULL, worker, (void *)(i + 1));
    for (int i = 0; i < THREADS; i++)
        pthread_join(t[i], NULL);
    return counter[1] == 0;
}
