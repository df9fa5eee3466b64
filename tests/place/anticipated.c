/* [anticipated]: covered by a check after, on every path, with no acquire in between, and certain. */
#include "place.h"

/* The write's check covers the read before it. */
// remark: in add_one: read of 4 bytes needs no check of its own: it will be checked on every way
// expect add_one: reads 0, writes 1
void add_one(int *p)
{
    ++*p;
}

// expect wider_later: reads 1, __tsan_read8 1
long wider_later(cell *p)
{
    int first = p[1];
    return *(volatile long *)p + first;
}

// expect on_both_ways: reads 1, writes 2
int on_both_ways(int *p, cell *q)
{
    int a = *p;
    if (a > 3) {
        *p = 5;
        a += *q;
    } else {
        *p = 3;
    }
    return a;
}

// expect on_one_way: reads 1, writes 1
int on_one_way(int *p, int c)
{
    int a = *p;
    if (c)
        *p = 5;
    return a;
}

// expect acquire_between: reads 1, writes 1
int acquire_between(int *p)
{
    int a = *p;
    pthread_mutex_lock(&mutex);
    *p = a + 1;
    return a;
}

// expect acquire_load_between: reads 1, writes 1
int acquire_load_between(int *p, atomic_int *flag)
{
    int a = *p;
    a += atomic_load_explicit(flag, memory_order_acquire);
    *p = a;
    return a;
}

// expect relaxed_load_between: reads 0, writes 1
int relaxed_load_between(int *p, atomic_int *flag)
{
    int a = *p;
    a += atomic_load_explicit(flag, memory_order_relaxed);
    *p = a;
    return a;
}

// expect unknown_between: reads 1, writes 1
void unknown_between(int *p)
{
    int a = *p;
    unknown();
    *p = a + 1;
}

/* It may not come back. */
// expect may_end_between: reads 1, writes 1
void may_end_between(int *p, int c)
{
    int a = *p;
    if (c == a)
        ends();
    *p = a + 1;
}

// expect volatile_write_between: reads 1, writes 2
void volatile_write_between(int *p, cell *q)
{
    int a = *p;
    *q = 3;
    *p = a + 1;
}

/* It has no effect, but may go on for ever. */
// expect endless_loop_between: reads 2, writes 1
void endless_loop_between(int *p, cell *stop)
{
    int a = *p;
    while (*stop == 0)
        ;
    *p = a + 1;
}

// expect counted_loop_between: reads 0, writes 1, __pf_reads 1
int counted_loop_between(int *restrict p, const cell *restrict q, int n)
{
    int a = *p;
    for (int i = 0; i < n; i++)
        a += q[i];
    *p = a;
    return a;
}

/* Each round's first check is covered by the second one of the same round, never by one of the next round. */
// expect for_ever: reads 1, writes 0
void for_ever(cell *p)
{
    for (;;) {
        (void)*p;
        (void)*p;
    }
}

// expect nosync_between: reads 0, writes 1
int nosync_between(int *p)
{
    int a = quiet_callee(*p);
    *p = a;
    return a;
}

NOINLINE int quiet_callee(int a)
{
    return a * a * 17 % 3;
}

// expect pointer_redefined: reads 3
int pointer_redefined(int *volatile *p)
{
    int *first = *p;
    int a = *(cell *)first;
    int *second = *p;
    return a + *(cell *)second;
}
