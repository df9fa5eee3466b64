/* What a thread has accessed again and again, it is not asked about any more; a fiber that it switches to is. It is the
 * first fiber of the program, and somebody else's: nothing has happened to the thread before. */
#include <semaphore.h>

#include "fiber.h"
#include "pair.h"

static volatile long x;
static struct fiber thread, fiber;
static sem_t started;

static __attribute__((noinline)) void access_x(void)
{
    x = 1;
    __asm__ volatile("");
}

static void run_fiber(void)
{
    access_x();
    for (;;)
        fiber_go(&fiber, &thread, NO_SYNC);
}

static void *first(void *unused)
{
    fiber_here(&thread);
    for (int i = 0; i < 3; i++)
        access_x();
    unseen_signal(1);
    sem_wait(&started); /* releases nothing */
    fiber_go(&thread, &fiber, NO_SYNC);
    return unused;
}

static void *second(void *unused)
{
    unseen_wait(1);
    fiber_start(&fiber, run_fiber);
    sem_post(&started);
    return unused;
}

int main(void)
{
    sem_init(&started, 0, 0);
    pair(first, second);
    return 0;
}
