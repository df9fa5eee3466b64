/* 40 threads read each cell, and add atomically to each counter, all unordered. Then, for each of them, a thread that is
 * ordered after all the others writes its cell and reads its counter: a race with that one, every time. */
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>

#include "unseen.h"

enum { CROWD = 40 };

static volatile int cells[CROWD];
static atomic_int counters[CROWD], done[CROWD];
static char told_cell[CROWD], told_counter[CROWD];
static int place[CROWD];

/* The detector calls this from inside (src/runtime/report.h). */
void pf_on_race(const void *access, unsigned long size, const void *byte);
__attribute__((no_sanitize("thread"))) void pf_on_race(const void *access, unsigned long size, const void *byte)
{
    (void)size;
    (void)byte;
    for (int i = 0; i < CROWD; i++) {
        told_cell[i] |= access == (const void *)&cells[i];
        told_counter[i] |= access == (const void *)&counters[i];
    }
}

static void *one_of_the_crowd(void *argument)
{
    int self = *(int *)argument;
    unseen_wait(self);
    for (int i = 0; i < CROWD; i++) {
        (void)cells[i];
        atomic_fetch_add_explicit(&counters[i], 1, memory_order_relaxed);
    }
    atomic_store_explicit(&done[self], 1, memory_order_release);
    unseen_signal(self + 1);
    return NULL;
}

static void *after_all_but_one(void *argument)
{
    int one = *(int *)argument;
    unseen_wait(CROWD + one);
    for (int i = 0; i < CROWD; i++)
        if (i != one)
            atomic_load_explicit(&done[i], memory_order_acquire);
    cells[one] = 1;
    (void)*(volatile int *)&counters[one];
    unseen_signal(CROWD + one + 1);
    return NULL;
}

UNSEEN void check(void)
{
    for (int i = 0; i < CROWD; i++)
        if (!told_cell[i] || !told_counter[i])
            abort();
}

int main(void)
{
    pthread_t thread[2 * CROWD];
    for (int i = 0; i < CROWD; i++)
        place[i] = i;
    for (int i = 0; i < CROWD; i++)
        pthread_create(&thread[i], NULL, one_of_the_crowd, &place[i]);
    for (int i = 0; i < CROWD; i++)
        pthread_create(&thread[CROWD + i], NULL, after_all_but_one, &place[i]);
    for (int i = 0; i < 2 * CROWD; i++)
        pthread_join(thread[i], NULL);
    check();
    return 0;
}
