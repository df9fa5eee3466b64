/* [coalesce]: ranges that are the same, or neighbours accessed by one line of the source, are one. */
#include "place.h"

// expect neighbours: __pf_reads 1, __pf_writes 1, reads 0, writes 0
void neighbours(int *restrict to, const cell *restrict a, int n)
{
    for (int i = 1; i < n; i++)
        to[i] = a[i - 1] + a[i] + a[i + 1];
}

/* Two lines: a report names one of them. */
// expect two_lines: __pf_reads 2, reads 0
int two_lines(const cell *a, int n)
{
    int sum = 0;
    for (int i = 0; i < n; i++) {
        sum += a[i];
        sum += a[i + 1];
    }
    return sum;
}

/* Which is read by one loop and written by another: each has its check before its loop. */
// expect two_loops: __pf_reads 1, __pf_writes 1
int two_loops(int *a, int n)
{
    int sum = 0;
    for (int i = 0; i < n; i++)
        sum += a[i];
    for (int i = 0; i < n; i++)
        a[i] = sum + i;
    return sum;
}

/* Not neighbours: what lies between them is not accessed. */
// expect far_apart: __pf_reads 2, reads 0
int far_apart(const cell *a, int n)
{
    int sum = 0;
    for (int i = 0; i < n; i++)
        sum += a[i] + a[i + 2];
    return sum;
}

// remark: in neighbours: read of 4 bytes needs no check of its own: one at the same place covers it
// expect same_twice: __pf_reads 1, reads 0
int same_twice(const cell *a, int n)
{
    int sum = 0;
    for (int i = 0; i < n; i++) {
        sum += a[i];
        sum ^= a[i];
    }
    return sum;
}

/* Bytes with gaps stay where they are, and each for itself: the last one is another's. */
// expect parts: __pf_reads 0, reads 2
int parts(const volatile char *a, int n)
{
    int sum = 0;
    for (int i = 0; i < n; i++)
        sum += a[3 * i] + a[3 * i + 3];
    return sum;
}
