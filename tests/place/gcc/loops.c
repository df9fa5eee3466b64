/* Which checks of gcc's the plugin moves out of loops (src/place/gcc/loops.cpp). */
// levels: -O2 -O3
// flags: -fno-tree-loop-distribute-patterns -fno-tree-vectorize -fno-peel-loops -fno-split-loops -fno-unswitch-loops
#include <stddef.h>

extern void unknown(void);
extern _Bool is_last(long);
extern int global, table[256];
extern volatile int hardware;

struct pair {
    int first, second;
};

// expect sum: reads 0, writes 0, read_ranges 1, write_ranges 0
long sum(const int *a, size_t n)
{
    long s = 0;
    for (size_t i = 0; i < n; i++)
        s += a[i];
    return s;
}

// expect add: reads 0, writes 0, read_ranges 1, write_ranges 1
void add(double *to, const double *from, size_t n)
{
    for (size_t i = 0; i < n; i++)
        to[i] += from[i];
}

// expect backwards: reads 0, writes 0, read_ranges 0, write_ranges 1
void backwards(int *a)
{
    for (long i = 99; i >= 0; i--)
        a[i] = (int)i;
}

// expect by_pointer: reads 0, writes 0, read_ranges 0, write_ranges 1
void by_pointer(char *from, const char *to)
{
    for (; from < to; from++)
        *from = 1;
}

// expect fields: reads 0, writes 0, read_ranges 1, write_ranges 1
void fields(struct pair *p, size_t n)
{
    for (size_t i = 0; i < n; i++)
        p[i].first = p[i].second;
}

/* The same address each time: the write is checked before the loop, and the read with it. */
// expect invariant: reads 0, writes 1, read_ranges 1, write_ranges 0
void invariant(const int *a, long *to, size_t n)
{
    for (size_t i = 0; i < n; i++)
        *to += a[i];
}

/* In a branch of the loop, and at its end. */
// expect branch: reads 0, writes 1, read_ranges 1, write_ranges 0
void branch(int *a, const int *b, size_t n)
{
    for (size_t i = 0; i < n; i++)
        if (b[i] > 0)
            a[i] = 1;
}

/* Where something may synchronize, or never come to an end; where the loop may be left elsewhere. */
// expect calls: reads 1, writes 0, read_ranges 0, write_ranges 0
long calls(const int *a, size_t n)
{
    long s = 0;
    for (size_t i = 0; i < n; i++) {
        s += a[i];
        unknown();
    }
    return s;
}

// expect assembly: reads 1, writes 0, read_ranges 0, write_ranges 0
long assembly(const int *a, size_t n)
{
    long s = 0;
    for (size_t i = 0; i < n; i++) {
        s += a[i];
        __asm__ volatile("" : : : "memory");
    }
    return s;
}

// expect device: reads 1, writes 1, read_ranges 0, write_ranges 0
void device(const int *a, size_t n)
{
    for (size_t i = 0; i < n; i++)
        hardware = a[i];
}

// expect search: reads 1, writes 0, read_ranges 0, write_ranges 0
long search(const int *a, size_t n)
{
    for (size_t i = 0; i < n; i++)
        if (a[i] == 7)
            return (long)i;
    return -1;
}

// expect list_end: reads 2, writes 0, read_ranges 0, write_ranges 0
long list_end(const char *text)
{
    long n = 0;
    while (text[n] != 0)
        n++;
    return n;
}

/* Nobody knows the number, or the address. */
// expect at_random: reads 0, writes 1, read_ranges 1, write_ranges 0
void at_random(const unsigned char *text, size_t n)
{
    for (size_t i = 0; i < n; i++)
        table[text[i]] = 1;
}

// expect ring: reads 1, writes 0, read_ranges 0, write_ranges 0
long ring(const int *a, size_t from, size_t n)
{
    long s = 0;
    for (size_t i = 0; i < n; i++)
        s += a[(from + i) % 64];
    return s;
}

// expect wraps: reads 1, writes 0, read_ranges 0, write_ranges 0
long wraps(const int *a, unsigned char from, size_t n)
{
    long s = 0;
    for (size_t i = 0; i < n; i++)
        s += a[(unsigned char)(from + i)];
    return s;
}

/* It may go on for ever. */
// expect by_fours: reads 1, writes 0, read_ranges 0, write_ranges 0
long by_fours(const int *a, size_t from, size_t to)
{
    long s = 0;
    for (size_t i = from; i < to; i += 4)
        s += a[i];
    return s;
}

/* There is no one expression for the number: it is 1, or n. */
// expect at_least_once: reads 1, writes 0, read_ranges 0, write_ranges 0
long at_least_once(const int *a, int n)
{
    long s = 0;
    int i = 0;
    do {
        s += a[i];
        i++;
    } while (i < n);
    return s;
}

/* Too few to be worth it. */
// expect four: reads 1, writes 0, read_ranges 0, write_ranges 0
long four(const int *a)
{
    long s = 0;
#pragma GCC unroll 1
    for (int i = 0; i < 4; i++)
        s += a[i];
    return s;
}

/* Of loops in loops, the inner one's. */
// expect nest: reads 0, writes 0, read_ranges 1, write_ranges 0
long nest(const int *a, size_t rows, size_t columns)
{
    long s = 0;
    for (size_t y = 0; y < rows; y++)
        for (size_t x = 0; x < columns; x++)
            s += a[y * columns + x];
    return s;
}
