/* A write, then millions of other accesses of the same thread, then the write that races with the first. */
#include <pthread.h>
#include <stdlib.h>

#include "../programs/unseen.h"

int racy;
enum { CELLS = 1 << 20 };
static volatile int cells[CELLS];

__attribute__((noinline)) static void first_write(void)
{
    racy = 1;
}

__attribute__((noinline)) static void begins(void)
{
    first_write();
    __asm__ volatile("");
}

__attribute__((noinline)) static void fill(int round)
{
    for (int i = 0; i < CELLS; i++)
        cells[i] = round;
}

static void *worker(void *unused)
{
    begins();
    for (int round = 0; round < 5; round++)
        fill(round);
    unseen_signal(1);
    return unused;
}

__attribute__((noinline)) static void second_write(void)
{
    racy = 2;
}

int main(void)
{
    pthread_t t;
    pthread_create(&t, NULL, worker, NULL);
    unseen_wait(1);
    second_write();
    pthread_join(t, NULL);
    return 0;
}
