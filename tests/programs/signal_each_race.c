/* Every write of a handler races, whatever of the detector it has interrupted, and none is lost. */
#include <signal.h>
#include <stdatomic.h>
#include <stdlib.h>

#include "threads_together.h"
#include "unseen.h"

enum { COUNT = 200, WORDS = 2048 };

static volatile int written[COUNT];
static volatile int count, found;
static int array[WORDS];
static atomic_int stop;

void pf_on_race(const void *access, unsigned long size, const void *byte);
__attribute__((no_sanitize("thread"))) void pf_on_race(const void *access, unsigned long size, const void *byte)
{
    (void)access, (void)size;
    found += (const volatile int *)byte >= written && (const volatile int *)byte < written + COUNT;
}

static void handler(int number)
{
    written[unseen_now()] = number;
    unseen_signal(unseen_now() + 1);
}

THREAD(worker)
{
    while (!atomic_load_explicit(&stop, memory_order_relaxed)) {
        for (int i = 0; i < WORDS; i++)
            array[i] += i;
        for (int i = 0; i < WORDS; i += 7)
            ((volatile char *)array)[i]++;
        for (int i = 0; i < 10; i++)
            ((int *volatile)array)[i * 97]++;
    }
    return NULL;
}

int main(void)
{
    pthread_t thread;
    signal(SIGUSR1, handler);
    pthread_create(&thread, NULL, worker, NULL);
    for (count = 0; count < COUNT; count++) {
        pthread_kill(thread, SIGUSR1);
        unseen_wait(count + 1);
    }
    for (int i = 0; i < COUNT; i++)
        written[i] = 0;
    if (found != COUNT)
        abort();
    atomic_store(&stop, 1);
    pthread_join(thread, NULL);
    return 0;
}
