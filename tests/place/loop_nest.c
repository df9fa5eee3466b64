/* [loop nest]: ranges of inner loops, where all of them together are one range. */
#include "place.h"

enum { N = 100 };

// remark: in rows: write of 4 bytes is checked for all iterations before the loops around it [loop nest]
// expect rows: __pf_writes 1, writes 0, in_loop 0
void rows(int a[N][N])
{
    for (int i = 0; i < N; i++)
        for (int j = 0; j < N; j++)
            a[i][j] = i ^ j;
}

// expect rows_of_any_length: __pf_writes 1, writes 0, in_loop 0
void rows_of_any_length(long n, int (*a)[n])
{
    for (long i = 0; i < n; i++)
        for (long j = 0; j < n; j++)
            a[i][j] = (int)(i ^ j);
}

// expect columns: __pf_writes 1, writes 0, in_loop 0
void columns(int a[N][N])
{
    for (int j = 0; j < N; j++)
        for (int i = 0; i < N; i++)
            a[i][j] = i ^ j;
}

/* Each row of it is a range; all of them together are not. */
// expect part_of_rows: __pf_writes 1, writes 0, in_loop 1
void part_of_rows(int a[N][N], int m)
{
    for (int i = 0; i < N; i++)
        for (int j = 0; j < m; j++)
            a[i][j] = i ^ j;
}

/* Triangles: the rows have different lengths. */
// remark: in triangle: write of 4 bytes is checked for all iterations before the loop [loop range], but stays
// remark: but stays in the one around it: the inner loop does not have as many iterations each time
// expect triangle: __pf_writes 1, writes 0, in_loop 1
void triangle(int a[N][N])
{
    for (int i = 0; i < N; i++)
        for (int j = i; j < N; j++)
            a[i][j] = i ^ j;
}

// expect lower_triangle: __pf_writes 1, writes 0, in_loop 1
void lower_triangle(int a[N][N])
{
    for (int i = 0; i < N; i++)
        for (int j = 0; j <= i; j++)
            a[i][j] = i ^ j;
}

/* The same row again and again. */
// expect same_row: __pf_reads 1, reads 0, in_loop 0
int same_row(const cell *a, int m)
{
    int sum = 0;
    for (int i = 0; i < m; i++)
        for (int j = 0; j < N; j++)
            sum += a[j];
    return sum;
}

/* Whether the row has elements at all is asked in each round, with one answer: the check asks it, too. */
// expect row_of_any_length: __pf_reads 1, reads 0, in_loop 0
int row_of_any_length(const cell *a, int n, int m)
{
    int sum = 0;
    for (int i = 0; i < m; i++)
        for (int j = 0; j < n; j++)
            sum += a[j];
    return sum;
}

// expect grid_of_any_size: __pf_writes 1, writes 0, in_loop 0
void grid_of_any_size(int *a, size_t n, size_t m)
{
    for (size_t i = 0; i < n; i++)
        for (size_t j = 0; j < m; j++)
            a[i * m + j] = (int)(i ^ j);
}

/* Two questions. */
// expect row_if_wanted: __pf_reads 1, reads 0, in_loop 0
int row_if_wanted(const cell *a, int n, int m, int wanted)
{
    int sum = 0;
    for (int i = 0; i < m; i++)
        if (wanted)
            for (int j = 0; j < n; j++)
                sum += a[j];
    return sum;
}

/* The answer may be another one in each round. */
// expect row_if_wanted_now: __pf_reads 1, in_loop 1
int row_if_wanted_now(const cell *a, int n, int m)
{
    int sum = 0;
    for (int i = 0; i < m; i++)
        if (i & 4)
            for (int j = 0; j < n; j++)
                sum += a[j];
    return sum;
}

/* A question of the loop around the outer one: there it may be another one each time. */
// expect rows_of_some_planes: __pf_reads 1, in_loop 1
int rows_of_some_planes(const cell *a, int n, int m)
{
    int sum = 0;
    for (int k = 0; k < N; k++)
        for (int i = 0; i < m; i++)
            for (int j = 0; j < n - k; j++)
                sum += a[j];
    return sum;
}

/* Not if a row may be left out. */
// expect some_rows: reads 1, __pf_writes 1, in_loop 2
void some_rows(int a[N][N], const cell *wanted)
{
    for (int i = 0; i < N; i++)
        if (wanted[i * 2 % 7])
            for (int j = 0; j < N; j++)
                a[i][j] = i ^ j;
}

/* Nor with a release between rows. */
// expect locked_rows: __pf_writes 1, writes 0, in_loop 1
void locked_rows(int a[N][N])
{
    for (int i = 0; i < N; i++) {
        pthread_mutex_lock(&mutex);
        for (int j = 0; j < N; j++)
            a[i][j] = i ^ j;
        pthread_mutex_unlock(&mutex);
    }
}

/* Or if the inner loop has no round in some of them: the check is before it, and not made then. */
// expect no_round_sometimes: __pf_writes 1, writes 0, in_loop 1
void no_round_sometimes(int a[N][N], int n)
{
    for (int i = 0; i < N; i++)
        for (int j = i * 2; j < n; j++)
            a[i][j] = i ^ j;
}
