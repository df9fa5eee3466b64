/* A write, then millions of other accesses of the same thread, then the write that races with the first. */
#include <pthread.h>
#include <stdlib.h>

#include "../programs/unseen.h"

int racy;
enum { CELLS = 1 << 20 };
static volatile int cells[CELLS], others[CELLS];

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

__attribute__((noinline)) static void set(int i)
{
    others[i] = 1;
}

static void *worker(void *unused)
{
    begins();
    for (int round = 0; round < 5; round++)
        fill(round);
    for (int i = CELLS - 1; i >= 0; i--) /* a call for each step of the loop */
        set(i);
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
