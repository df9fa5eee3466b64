/* [loop range]: bytes at a constant distance, for certain, and their number is known before the loop. */
#include "place.h"

// remark: in read_all: read of 8 bytes is checked for all iterations before the loop [loop range]
// remark: covered by other checks: 0, checked before loops: 1, after loops: 0, where they are: 0
// expect read_all: __pf_reads 1, reads 0, tests 0
long read_all(const long *a, int n)
{
    long sum = 0;
    for (int i = 0; i < n; i++)
        sum += a[i];
    return sum;
}

// expect write_all: __pf_writes 1, writes 0, tests 0
void write_all(int *a, int n)
{
    for (int i = 0; i < n; i++)
        a[i] = i;
}

/* A read and a write of each element: the write's check covers both. */
// expect update: __pf_writes 1, __pf_reads 0, reads 0, writes 0
void update(int *a, int n)
{
    for (int i = 0; i < n; i++)
        a[i] *= 3;
}

// expect downwards: __pf_writes 1, writes 0
void downwards(int *a, long n)
{
    for (long i = n - 1; i >= 0; i--)
        a[i] = (int)i;
}

// expect every_third: __pf_writes 1, writes 0
void every_third(int *a, long n)
{
    for (long i = 0; i < n; i += 3)
        a[i] = (int)i;
}

// expect any_distance: __pf_writes 1, writes 0
void any_distance(int *a, long n, long distance)
{
    for (long i = 0; i < n; i++)
        a[i * distance] = 1;
}

// expect text: __pf_reads 1, reads 0
int text(const char *a, long n)
{
    int sum = 0;
    for (long i = 0; i < n; i++)
        sum += a[i];
    return sum;
}

/* Bytes with gaps between them stay. */
// expect text_with_gaps: __pf_reads 0, reads 1
int text_with_gaps(const char *a, long n)
{
    int sum = 0;
    for (long i = 0; i < n; i++)
        sum += a[i * 3];
    return sum;
}

// expect by_pointer: __pf_reads 1, reads 0
int by_pointer(const int *a, const int *end)
{
    int sum = 0;
    for (; a != end; a++)
        sum += *a;
    return sum;
}

struct point {
    int x, y, z;
};
/* A field of each: elements with gaps. */
// expect fields: __pf_writes 1, writes 0
void fields(struct point *p, int n)
{
    for (int i = 0; i < n; i++)
        p[i].y = i;
}

/* The number of rounds depends on memory. (What is known after the loop: loop_after.c) */
// expect limit_in_memory: __pf_writes 0, writes 1
void limit_in_memory(cell *n, cell *a)
{
    for (int i = 0; i < *n; i++)
        a[i] = 1;
}

// remark: in conditional: write of 4 bytes stays in the loop: it is not certain in each iteration
// no remark: in conditional: read of 4 bytes stays
// expect conditional: __pf_reads 1, __pf_writes 0, writes 1
void conditional(const int *restrict a, int *restrict b, int n)
{
    for (int i = 0; i < n; i++)
        if (a[i] > 0)
            b[i] = 1;
}

// remark: in locked: write of 4 bytes stays in the loop: something in the loop may synchronize, or not
// expect locked: __pf_writes 0, writes 1
void locked(int *a, int n)
{
    for (int i = 0; i < n; i++) {
        pthread_mutex_lock(&mutex);
        a[i] = 1;
        pthread_mutex_unlock(&mutex);
    }
}

/* Also an acquire ends it: a check before the loop would come too early. */
// expect acquired: __pf_writes 0, writes 1
void acquired(int *a, int n, atomic_int *flag)
{
    for (int i = 0; i < n; i++) {
        while (atomic_load_explicit(flag, memory_order_acquire) != i)
            ;
        a[i] = 1;
    }
}

// expect released_each: __pf_writes 0, writes 1
void released_each(int *a, int n, atomic_int *flag)
{
    for (int i = 0; i < n; i++) {
        a[i] = 1;
        atomic_store_explicit(flag, i, memory_order_release);
    }
}

// expect counted_relaxed: __pf_writes 1, writes 0
void counted_relaxed(int *a, int n, atomic_int *flag)
{
    for (int i = 0; i < n; i++) {
        a[i] = 1;
        atomic_store_explicit(flag, i, memory_order_relaxed);
    }
}

// expect calls_unknown: __pf_writes 0, writes 1
void calls_unknown(int *a, int n)
{
    for (int i = 0; i < n; i++) {
        a[i] = 1;
        unknown();
    }
}

// expect calls_quiet: __pf_writes 1, writes 0
void calls_quiet(int *a, int n)
{
    for (int i = 0; i < n; i++)
        a[i] = quiet_callee(i);
}

NOINLINE int quiet_callee(int a)
{
    return a * a * 17 % 3;
}

// remark: in list: read of 4 bytes stays in the loop: its address does not change by the same distance
// expect list: __pf_reads 0, reads 2
struct node {
    struct node *next;
    int value;
};
int list(const struct node *n)
{
    int sum = 0;
    for (; n != NULL; n = n->next)
        sum += n->value;
    return sum;
}

/* By an index that was read: any bytes. The indices themselves are a range. */
// expect indirect: __pf_reads 1, reads 1
int indirect(const int *a, const int *index, int n)
{
    int sum = 0;
    for (int i = 0; i < n; i++)
        sum += a[index[i]];
    return sum;
}

/* An index that wraps around: up to the end, and from the beginning on. */
// remark: in wraps_around: read of 4 bytes is checked for all iterations before the loop, up to the end of its ring
// expect wraps_around: __pf_reads 2, reads 0, in_loop 0
int wraps_around(const int *a, unsigned char from, int n)
{
    int sum = 0;
    for (int i = 0; i < n; i++)
        sum += a[(unsigned char)(from + i)];
    return sum;
}

// expect ring: __pf_writes 2, writes 0, in_loop 0
void ring(long *a, unsigned long from, unsigned long n)
{
    for (unsigned long i = 0; i < n; i++)
        a[(from + i) % 64] = 0;
}

/* Neighbours are not put together: where the ring is not left, from its beginning on there is nothing. */
// expect ring_of_neighbours: __pf_reads 4, reads 0, in_loop 0
long ring_of_neighbours(const long *a, unsigned long from, unsigned long n)
{
    long sum = 0;
    for (unsigned long i = 0; i < n; i++)
        sum += a[(from + i) % 64] + a[(from + i) % 64 + 1];
    return sum;
}

// remark: in ring_of_rows: read of 8 bytes stays in the loop: the elements of its ring are far apart
// expect ring_of_rows: __pf_reads 0, reads 1, in_loop 1
long ring_of_rows(const long (*a)[32], unsigned long from, unsigned long n)
{
    long sum = 0;
    for (unsigned long i = 0; i < n; i++)
        sum += a[(from + i) % 64][0];
    return sum;
}

/* By more than one at a time it comes to others the second time around. */
// expect wraps_by_three: __pf_reads 0, reads 1, in_loop 1
int wraps_by_three(const int *a, unsigned char from, int n)
{
    int sum = 0;
    for (int i = 0; i < n; i++)
        sum += a[(unsigned char)(from + 3 * i)];
    return sum;
}

/* Elements that overlap. */
// expect wraps_unaligned: __pf_reads 0, reads 1, in_loop 1
long wraps_unaligned(const char *a, unsigned char from, int n)
{
    long sum = 0, one;
    for (int i = 0; i < n; i++) {
        memcpy(&one, &a[(unsigned char)(from + i)], sizeof one);
        sum += one;
    }
    return sum;
}
