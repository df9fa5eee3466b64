/* [loop invariant]: the same bytes in every round, for certain: one check before the loop. */
#include "place.h"

// remark: in sum: read of 4 bytes is checked once before the loop [loop invariant]
// expect sum: reads 1, in_loop 0
int sum(cell *p, int n)
{
    int all = 0;
    for (int i = 0; i < n; i++)
        all += *p;
    return all;
}

/* The number of rounds does not matter. */
// expect until: reads 1, in_loop 0
int until(cell *p, int limit)
{
    int all = 0;
    do
        all += *p;
    while (all < limit);
    return all;
}

// expect never_ends: reads 1, in_loop 0
void never_ends(cell *p)
{
    for (;;)
        (void)*p;
}

/* Not with a lock in the loop: what came before the release does not cover what comes after. */
// expect lock_in_loop: reads 1, in_loop 1
int lock_in_loop(cell *p, int n)
{
    int all = 0;
    for (int i = 0; i < n; i++) {
        pthread_mutex_lock(&mutex);
        all += *p;
        pthread_mutex_unlock(&mutex);
    }
    return all;
}

// expect unknown_in_loop: reads 1, in_loop 1
int unknown_in_loop(cell *p, int n)
{
    int all = 0;
    for (int i = 0; i < n; i++) {
        all += *p;
        unknown();
    }
    return all;
}

// expect conditional: reads 2, in_loop 1
int conditional(cell *p, cell *q, int n)
{
    int all = 0;
    for (int i = 0; i < n; i++)
        if (*q > all)
            all += *p;
    return all;
}

/* After an exit: not in the last round, which may be the first. */
// expect after_exit: reads 2, in_loop 1
int after_exit(cell *p, cell *q, int limit)
{
    int all = 0;
    do {
        if (*q > all)
            return all;
        all += *p;
    } while (all < limit);
    return all * 2;
}

// expect before_exit: reads 2, in_loop 0
int before_exit(cell *p, cell *q)
{
    int all = 0;
    for (;;) {
        all += *p;
        if (*q > all)
            return all;
    }
}

/* No round, no check. */
// expect zero_rounds: reads 1, in_loop 0
int zero_rounds(cell *p, int n)
{
    int all = 0;
    for (int i = 0; i < n; i++)
        all += *p;
    return all;
}

/* An inner loop that may go on for ever, before the access. */
// remark: in after_endless: read of 4 bytes stays in the loop: a loop in it may go on for ever
// expect after_endless: reads 2, in_loop 2
int after_endless(cell *p, cell *stop, int n)
{
    int all = 0;
    for (int i = 0; i < n; i++) {
        while (*stop == i)
            ;
        all += *p;
    }
    return all;
}

/* The same with a cycle that is no loop: entered at two places. */
// expect after_cycle: reads 3, in_loop 3
int after_cycle(cell *p, cell *stop, int n)
{
    int all = 0;
    for (int i = 0; i < n; i++) {
        if (i & 1)
            goto second;
    first:
        if (*stop == 1)
            goto out;
    second:
        if (*stop == 2)
            goto first;
    out:
        all += *p;
    }
    return all;
}

/* Where the pointer lies does not change; what it points to may. */
// expect pointer_changes: reads 2, in_loop 1
int pointer_changes(cell *volatile *p, int n)
{
    int all = 0;
    for (int i = 0; i < n; i++)
        all += **p;
    return all;
}
