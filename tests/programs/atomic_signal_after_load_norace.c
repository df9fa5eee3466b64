/* What a signal handler releases comes after the load that it interrupts, once that has its value: wherever in it
 * the signal comes. That the load had its value is seen in it: the handler stores another one, unseen. */
#define _GNU_SOURCE
#include <signal.h>

#include "threads_together.h"
#include "unseen.h"

enum { ROUNDS = 15000, LOADS = 1000, MOST_DELAY = 300, NOBODY = -1, OVER = -2 };

static struct {
    int loaded, released;
} variable[ROUNDS];

static int handled, before[ROUNDS], now = NOBODY; /* unseen, too */

UNSEEN int get(const int *at)
{
    return *(const volatile int *)at;
}

UNSEEN void set(int *at, int value)
{
    *(volatile int *)at = value;
}

static void handler(int signal)
{
    int i = get(&now);
    (void)signal;
    if (i < 0)
        return;
    __atomic_store_n(&variable[i].released, 1, __ATOMIC_RELEASE);
    set(&variable[i].loaded, 1);
    set(&handled, 1);
}

/* A signal each round, some time. */
static void *interrupter(void *loader)
{
    unsigned delay = 0;
    for (int last = NOBODY, i; (i = get(&now)) != OVER; last = i) {
        if (i == last || i < 0)
            continue;
        delay = (delay * 5 + 1) % 1024;
        for (volatile unsigned k = delay % MOST_DELAY; k > 0; k--) {
        }
        pthread_kill(*(pthread_t *)loader, SIGUSR1);
    }
    return NULL;
}

static void one_round(int i)
{
    (void)__atomic_load_n(&variable[i].loaded, __ATOMIC_ACQUIRE);
    __atomic_store_n(&variable[i].released, 0, __ATOMIC_RELEASE); /* the next load is no repetition */
    set(&handled, 0);
    set(&now, i);
    for (int k = 0; k < LOADS; k++) {
        int value = __atomic_load_n(&variable[i].loaded, __ATOMIC_ACQUIRE);
        if (get(&handled)) {
            set(&before[i], value == 0);
            break;
        }
    }
    set(&now, NOBODY);
}

THREAD(loader)
{
    pthread_t self = pthread_self(), other;
    pthread_create(&other, NULL, interrupter, &self);
    for (int i = 0; i < ROUNDS; i++)
        one_round(i);
    set(&now, OVER);
    pthread_join(other, NULL);
    unseen_signal(1);
    return NULL;
}

THREAD(writer)
{
    unseen_wait(1);
    for (int i = 0; i < ROUNDS; i++)
        if (get(&before[i]) && __atomic_load_n(&variable[i].released, __ATOMIC_ACQUIRE) == 1)
            variable[i].loaded = 2;
    return NULL;
}

int main(void)
{
    signal(SIGUSR1, handler);
    run(loader, writer);
    return 0;
}
