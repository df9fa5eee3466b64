/* Where a check begins with a test in place, and where it is a call alone. */
#include "place.h"

#define OFTEN(x)  __builtin_expect(x, 1)
#define SELDOM(x) __builtin_expect(x, 0)

// expect always: writes 1, tests 1
void always(cell *a)
{
    *a = 1;
}

// expect seldom: writes 2, tests 1
void seldom(cell *a, cell *b, int n)
{
    if (SELDOM(n))
        *b = 1;
    *a = 1;
}

// expect often: writes 1, tests 1
void often(cell *a, int n)
{
    if (OFTEN(n))
        *a = 1;
}

/* As often as not. */
// expect either: writes 2, tests 2
void either(cell *a, cell *b, int n)
{
    if (n & 1)
        *a = 1;
    else
        *b = 2;
}

/* What comes before the end of the program comes once at most. */
// expect at_the_end: writes 1, tests 0
void at_the_end(cell *a, int n)
{
    if (n == 7) {
        *a = 1;
        ends();
    }
}

/* Seldom, but in a loop. */
// expect seldom_in_a_loop: writes 1, tests 1, in_loop 1
void seldom_in_a_loop(cell *a, int n)
{
    for (int i = 0; i < n; i++) {
        if ((i & 15) == 7)
            a[i * i] = 1;
        unknown();
    }
}

#define FOUR(f)    f f f f
#define SIXTEEN(f) FOUR(FOUR(f))

/* The most frequent ones, and then the first ones. */
// expect many: reads 81, tests 32, in_loop 17
int many(cell *a, cell *b, int n)
{
    int sum = 0;
    SIXTEEN(FOUR(sum += *a; unknown();))
    for (int i = 0; i < n; i++) {
        SIXTEEN(sum += *b; unknown();)
        sum += b[i * i];
    }
    return sum;
}

/* Two lines of the shadow for each line that is fetched. */
// expect ahead: llvm.prefetch.p0 3, writes 1, tests 1
void ahead(cell *a)
{
    __builtin_prefetch(a + 64);
    *a = 1;
}
