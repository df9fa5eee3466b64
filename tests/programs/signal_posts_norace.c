/* A handler that interrupts the detector as often as not: what it writes and posts counts all the same. */
#include <semaphore.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdlib.h>

#include "photofinish/annotate.h"
#include "threads_together.h"

enum { ROUNDS = 300, WORDS = 4096 };

static sem_t posted;
static int letter;
static atomic_int stop, sum;
static int array[WORDS];
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static void handler(int number)
{
    PF_ACQUIRE(&letter);
    for (int i = 0; i < 4; i++)
        letter += number + array[i];
    sem_post(&posted);
}

__attribute__((noinline)) static int step(int i)
{
    return array[i] += i;
}

THREAD(worker)
{
    while (!atomic_load(&stop)) {
        for (int i = 0; i < WORDS; i++)
            step(i);
        for (int i = 0; i < 100; i++)
            atomic_fetch_add_explicit(&sum, 1, memory_order_relaxed);
        for (int i = 0; i < 100; i++) {
            pthread_mutex_lock(&lock);
            ((volatile char *)array)[i]++;
            pthread_mutex_unlock(&lock);
        }
        free(calloc(4, 10));
    }
    return NULL;
}

int main(void)
{
    pthread_t thread;
    sem_init(&posted, 0, 0);
    signal(SIGUSR1, handler);
    pthread_create(&thread, NULL, worker, NULL);
    for (int i = 0; i < ROUNDS; i++) {
        PF_RELEASE(&letter);
        pthread_kill(thread, SIGUSR1);
        while (sem_wait(&posted) != 0) {
        }
        letter = 0;
    }
    atomic_store(&stop, 1);
    pthread_join(thread, NULL);
    return 0;
}
