/* elements CASE earlier|later: a loop that is checked as a whole, and one element of it that another thread
 * writes (or reads) without order. Prints the element's address and size. The loop's access is on the line
 * that names the case. So are accesses of lists, in pairs, and of neighbouring fields, in rows.
 */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../../programs/unseen.h"

enum { N = 1000, ROWS = 60, COLUMNS = 70 };

static long longs[N];
static int ints[N];
static char bytes[N];
static short shorts[N];
static long double wide[N];
static __int128 quads[N];
static int grid[ROWS][COLUMNS];
static struct {
    int a, b, c;
} records[N];
static struct __attribute__((packed)) {
    char c;
    int i;
} packed[N];
static struct {
    long next, value, other;
} lists[N];
static struct {
    long value, next;
} chains[N];
static struct {
    long owner;
    int first, second;
} blocks[N];
static int marks[N]; /* all are 0 but that of the last but two */
static volatile int cell;
static volatile long result;

#define MOSTLY(x) __builtin_expect(!!(x), 1) /* the compiler is told that it takes long */
#define LOOP      static __attribute__((noinline)) void

LOOP upwards(int n, long distance)
{
    (void)distance;
    long sum = 0;
    for (int i = 0; i < n; i++)
        sum += ints[i]; /* line of upwards */
    result = sum;
}

LOOP downwards(int n, long distance)
{
    (void)distance;
    for (int i = n - 1; i >= 0; i--)
        longs[i] = i; /* line of downwards */
}

LOOP field(int n, long distance)
{
    (void)distance;
    for (int i = 0; i < n; i++)
        records[i].b = i; /* line of field */
}

LOOP distant(int n, long distance)
{
    for (long i = 0; i < n / 7; i++)
        ints[i * distance] = 3; /* line of distant */
}

/* With a distance that is negative, as it turns out. */
LOOP backwards(int n, long distance)
{
    int *last = &ints[n - 1];
    for (long i = 0; i < n / 7; i++)
        last[i * -distance] = 3; /* line of backwards */
}

/* And with one that is 0. */
LOOP nowhere(int n, long distance)
{
    int *a = &ints[700];
    for (long i = 0; i < n; i++)
        a[i * (distance - 7)] = (int)i; /* line of nowhere */
}

LOOP text(int n, long distance)
{
    (void)distance;
    long sum = 0;
    for (int i = 0; i < n; i++)
        sum += bytes[i]; /* line of text */
    result = sum;
}

LOOP halves(int n, long distance)
{
    (void)distance;
    for (int i = 1; i < n; i++)
        shorts[i] = (short)i; /* line of halves */
}

LOOP extended(int n, long distance)
{
    (void)distance;
    for (int i = 0; i < n; i++)
        wide[i] = i; /* line of extended */
}

LOOP quadruple(int n, long distance)
{
    (void)distance;
    for (int i = 0; i < n; i++)
        quads[i] = i; /* line of quadruple */
}

LOOP odd(int n, long distance)
{
    (void)distance;
    for (int i = 0; i < n; i++)
        packed[i].i = i; /* line of odd */
}

LOOP rows(int n, long distance)
{
    (void)distance, (void)n;
    for (int i = 0; i < ROWS; i++)
        for (int j = 0; j < COLUMNS; j++)
            grid[i][j] = i ^ j; /* line of rows */
}

LOOP columns(int n, long distance)
{
    (void)distance, (void)n;
    for (int j = 0; j < COLUMNS; j++)
        for (int i = 0; i < ROWS; i++)
            grid[i][j] = i ^ j; /* line of columns */
}

LOOP triangle(int n, long distance)
{
    (void)distance, (void)n;
    for (int i = 0; i < ROWS; i++)
        for (int j = i; j < COLUMNS; j++)
            grid[i][j] = i ^ j; /* line of triangle */
}

LOOP neighbours(int n, long distance)
{
    (void)distance;
    volatile int *a = ints;
    long sum = 0;
    for (int i = 1; i + 1 < n; i++)
        sum += a[i - 1] + a[i] + a[i + 1]; /* line of neighbours */
    result = sum;
}

LOOP same(int n, long distance)
{
    (void)distance;
    long sum = 0;
    for (int i = 0; i < n; i++)
        sum += cell; /* line of same */
    result = sum;
}

/* Until something is found: the last one is what was found, or just before it. */
LOOP search(int n, long distance)
{
    (void)distance;
    long i = 0;
    while (MOSTLY(i < n && ints[i] != 77)) /* line of search */
        i++;
    result = i;
}

LOOP found(int n, long distance)
{
    (void)distance, (void)n;
    long i = 0;
    while (MOSTLY(marks[i] == 0)) /* line of found */
        i++;
    result = i;
}

LOOP until(int n, long distance)
{
    (void)distance, (void)n;
    for (long i = 0; MOSTLY(marks[i] == 0); i++)
        longs[i] = i; /* line of until */
}

LOOP last(int n, long distance)
{
    (void)distance;
    long i = n;
    while (MOSTLY(i > 0 && bytes[i - 1] != 'x')) /* line of last */
        i--;
    result = i;
}

/* Rings: an index that begins anew. */
LOOP around(int n, long distance)
{
    unsigned long from = (unsigned long)distance * 100;
    long sum = 0;
    for (int i = 0; i < n / 2; i++)
        sum += ints[(from + (unsigned)i) % 512]; /* line of around */
    result = sum;
}

LOOP anew(int n, long distance)
{
    unsigned char from = (unsigned char)(distance * 30);
    for (int i = 0; i < n / 5; i++)
        longs[from++] = i; /* line of anew */
}

/* Lists: the accesses to one of their elements are checked by one call, two at a time. */
LOOP value(int n, long distance)
{
    (void)distance;
    long at = 0;
    for (int i = 0; i < n; i++) {
        lists[at].value += i; /* line of value */
        at = lists[at].next;
    }
    result = at;
}

LOOP following(int n, long distance)
{
    (void)distance;
    long at = 0;
    for (int i = 0; i < n; i++) {
        chains[at].value += i;
        at = chains[at].next; /* line of following */
    }
    result = at;
}

LOOP looking(int n, long distance)
{
    (void)distance;
    long at = 0, sum = 0;
    for (int i = 0; i < n; i++) {
        sum += lists[at].other; /* line of looking */
        at = lists[at].next;
    }
    result = sum;
}

LOOP filling(int n, long distance)
{
    for (long i = 0; i < n; i++) {
        lists[i * i * distance % n].value = i; /* line of filling */
        lists[i * i * distance % n].other = i;
    }
}

/* Neighbouring fields: all of a block by one call. */

LOOP beginning(int n, long distance)
{
    for (long i = 1; i < n; i++) {
        blocks[i * i * distance % n].owner = i; /* line of beginning */
        blocks[i * i * distance % n].first = (int)i;
        blocks[i * i * distance % n].second = (int)distance;
    }
}

LOOP ending(int n, long distance)
{
    for (long i = 1; i < n; i++) {
        blocks[i * i * distance % n].owner = i;
        blocks[i * i * distance % n].first = (int)i;
        blocks[i * i * distance % n].second = (int)distance; /* line of ending */
    }
}

LOOP between(int n, long distance)
{
    long sum = 0;
    for (int i = 0; i < n; i++) /* from now on only the others are new */
        sum += blocks[i].owner;
    for (long i = 1; i < n; i++) {
        sum += blocks[i * i * distance % n].owner;
        sum ^= blocks[i * i * distance % n].first; /* line of between */
        sum += blocks[i * i * distance % n].second;
    }
    result = sum;
}

LOOP half(int n, long distance)
{
    long sum = 0;
    for (long i = 1; i < n; i++) {
        sum += blocks[i * i * distance % n].first;
        sum ^= blocks[i * i * distance % n].second; /* line of half */
    }
    result = sum;
}

static const struct test {
    const char *name;
    void (*loop)(int n, long distance);
    void *element;
    int size;
} tests[] = {
    {"upwards", upwards, &ints[700], 4},
    {"downwards", downwards, &longs[700], 8},
    {"field", field, &records[700].b, 4},
    {"distant", distant, &ints[700], 4},
    {"backwards", backwards, &ints[999 - 70], 4},
    {"nowhere", nowhere, &ints[700], 4},
    {"text", text, &bytes[701], 1},
    {"halves", halves, &shorts[701], 2},
    {"extended", extended, &wide[701], 10},
    {"quadruple", quadruple, &quads[701], 16},
    {"odd", odd, &packed[701].i, 4},
    {"rows", rows, &grid[7][7], 4},
    {"columns", columns, &grid[7][7], 4},
    {"triangle", triangle, &grid[7][7], 4},
    {"neighbours", neighbours, &ints[999], 4},
    {"same", same, (void *)&cell, 4},
    {"search", search, &ints[701], 4},
    {"found", found, &marks[N - 3], 4},
    {"until", until, &longs[N - 4], 8},
    {"last", last, &bytes[N - 1], 1},
    {"around", around, &ints[300], 4}, /* from 188 on */
    {"anew", anew, &longs[100], 8},    /* from 210 on, 200 of 256 */
    {"value", value, &lists[701].value, 8},
    {"following", following, &chains[701].next, 8},
    {"looking", looking, &lists[701].other, 8},
    {"filling", filling, &lists[700].value, 8},
    {"beginning", beginning, &blocks[700].owner, 8},
    {"ending", ending, &blocks[700].second, 4},
    {"between", between, &blocks[700].first, 4},
    {"half", half, &blocks[700].second, 4},
};

static const struct test *chosen;
static int loop_at;

static __attribute__((noinline)) void touch(void)
{
    void *p = chosen->element;
    switch (chosen->size) {
    case 1:
        *(volatile char *)p = 1;
        break;
    case 2:
        *(volatile short *)p = 1;
        break;
    case 4:
        memcpy(p, "abc", 4);
        break;
    case 8:
        *(volatile long *)p = 1;
        break;
    case 10:
        *(volatile long double *)p = 1;
        break;
    default:
        *(volatile __int128 *)p = 1;
    }
}

static void *looping(void *unused)
{
    unseen_wait(loop_at);
    chosen->loop(N, 7);
    unseen_signal(loop_at + 1);
    return unused;
}

static void *touching(void *unused)
{
    unseen_wait(1 - loop_at);
    touch();
    unseen_signal(2 - loop_at);
    return unused;
}

int main(int argc, char **argv)
{
    for (size_t i = 0; i < sizeof tests / sizeof *tests; i++)
        if (argc == 3 && strcmp(argv[1], tests[i].name) == 0)
            chosen = &tests[i];
    if (chosen == NULL)
        return 2;
    marks[N - 3] = 1;
    for (int i = 0; i < N; i++)
        lists[i].next = chains[i].next = (i + 7) % N;
    loop_at = strcmp(argv[2], "later") == 0;
    printf("%p %d\n", chosen->element, chosen->size);
    fflush(stdout);
    pthread_t a, b;
    pthread_create(&a, NULL, looping, NULL);
    pthread_create(&b, NULL, touching, NULL);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
}
