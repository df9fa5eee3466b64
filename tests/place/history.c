/* [history]: covered by a check before, on every path, with no release in between. */
#include "place.h"

// remark: in twice: read of 4 bytes needs no check of its own: it was checked before on every way [history]
// expect twice: reads 1
int twice(cell *p)
{
    int a = *p;
    return a + *p;
}

/* A check of the write covers reads that come after it; one of a read does not cover the write. */
// expect write_then_read: writes 1, reads 0
int write_then_read(cell *p)
{
    *p = 1;
    return *p;
}

// expect read_then_write: reads 1, writes 1
int read_then_write(cell *p)
{
    int a = *p;
    pthread_mutex_lock(&mutex); /* the write is not anticipated */
    *p = 2;
    return a;
}

/* Bytes of a wider access are covered; a wider access is not. */
// expect narrower: writes 1, reads 0
int narrower(volatile long *p)
{
    *p = 7;
    return ((volatile char *)p)[3];
}

// expect wider: reads 2
long wider(cell *p)
{
    int first = p[0];
    pthread_mutex_lock(&mutex);
    return *(volatile long *)p + first;
}

// expect both_branches: reads 0, writes 2
int both_branches(cell *p, int c)
{
    if (c > 3) {
        *p = c;
    } else {
        unknown();
        *p = 3;
        pthread_mutex_lock(&mutex);
    }
    return *p;
}

// expect one_branch: reads 1, writes 1
int one_branch(cell *p, int c)
{
    if (c)
        *p = c;
    return *p;
}

/* An acquire does not end it, a release does. */
// expect acquire_between: reads 1
int acquire_between(cell *p)
{
    int a = *p;
    pthread_mutex_lock(&mutex);
    return a + *p;
}

// expect release_between: reads 2
int release_between(cell *p)
{
    int a = *p;
    pthread_mutex_unlock(&mutex);
    return a + *p;
}

// expect acquire_load_between: reads 1
int acquire_load_between(cell *p, atomic_int *flag)
{
    int a = *p;
    a += atomic_load_explicit(flag, memory_order_acquire);
    return a + *p;
}

// expect release_store_between: reads 2
int release_store_between(cell *p, atomic_int *flag)
{
    int a = *p;
    atomic_store_explicit(flag, 1, memory_order_release);
    return a + *p;
}

// expect relaxed_store_between: reads 1
int relaxed_store_between(cell *p, atomic_int *flag)
{
    int a = *p;
    atomic_store_explicit(flag, 1, memory_order_relaxed);
    return a + *p;
}

// expect release_fence_between: reads 2
int release_fence_between(cell *p)
{
    int a = *p;
    atomic_thread_fence(memory_order_release);
    return a + *p;
}

// expect acquire_fence_between: reads 1
int acquire_fence_between(cell *p)
{
    int a = *p;
    atomic_thread_fence(memory_order_acquire);
    return a + *p;
}

// expect add_between: reads 2
int add_between(cell *p, atomic_int *n)
{
    int a = *p;
    a += atomic_fetch_add(n, 1);
    return a + *p;
}

/* Of a release on one way only, the other way knows nothing. */
// expect release_on_one_way: reads 2
int release_on_one_way(cell *p, int c)
{
    int a = *p;
    if (c)
        pthread_mutex_unlock(&mutex);
    return a + *p;
}

// expect unknown_between: reads 2
int unknown_between(cell *p)
{
    int a = *p;
    unknown();
    return a + *p;
}

// expect wait_between: reads 2
int wait_between(cell *p)
{
    int a = *p;
    pthread_cond_wait(&condition, &mutex);
    return a + *p;
}

// expect assembly_between: reads 2
int assembly_between(cell *p)
{
    int a = *p;
    __asm__ volatile("" : : : "memory");
    return a + *p;
}

// expect pure_assembly_between: reads 1
int pure_assembly_between(cell *p)
{
    int a = *p, b;
    __asm__("movl %1, %0" : "=r"(b) : "r"(a));
    return a + b + *p;
}

/* What a value is called in the function may become another place in the next round. */
struct node {
    struct node *next;
    int value;
};
// expect pointer_that_moves: reads 3
int pointer_that_moves(volatile struct node *n, int many)
{
    int sum = n->value;
    while (sum < many) {
        n = n->next;
        sum += n->value + n->value; /* one of the two */
    }
    return sum;
}

/* In a loop of which nothing else is known; the release is in the loop. */
// expect release_in_loop: reads 1, writes 0
int release_in_loop(cell *p)
{
    int sum = 0;
    while (sum < 100) {
        sum += *p;
        pthread_mutex_unlock(&mutex);
    }
    return sum;
}

/* The first access is checked before the loop; the acquire in the loop changes nothing. */
// expect acquire_in_loop: reads 1
int acquire_in_loop(cell *p, atomic_int *flag)
{
    int sum = *p;
    while (atomic_load_explicit(flag, memory_order_acquire) == 0)
        sum += *p;
    return sum;
}

/* setjmp comes back with what was so when it was called. */
// expect again_after_setjmp: reads 2
int again_after_setjmp(cell *p)
{
    int a = *p;
    if (setjmp(place_to_return) == 0)
        return a + *p;
    return a;
}

// expect nosync_callee: reads 1
int nosync_callee(cell *p)
{
    int a = *p;
    a += quiet_callee(a);
    return a + *p;
}

// expect quiet_callee: reads 1
int quiet_callee(int a)
{
    return table[a & 15] + a;
}

// expect releasing_callee: reads 2
int releasing_callee(cell *p)
{
    int a = *p;
    a += loud_callee(a);
    return a + *p;
}

int loud_callee(int a)
{
    atomic_store_explicit(&released, a, memory_order_release);
    return a;
}

/* A function of the mathematical library's name that is something else. */
// expect not_the_logarithm: reads 2
int not_the_logarithm(cell *p)
{
    int a = *p;
    log("x");
    return a + *p;
}
