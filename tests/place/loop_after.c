/* [loop after]: how many elements were accessed is known where the loop is left. */
#include "place.h"

/* Many times, and the compiler is told so. */
#define mostly(x)  __builtin_expect(!!(x), 1)
#define at_last(x) __builtin_expect(!!(x), 0)

// remark: in find: read of 4 bytes is checked for all iterations after the loop [loop after]
// remark: in find: accesses that others could see: 1; covered by other checks: 0, checked before loops: 0,
// after loops: 1, where they are: 0 expect find: __pf_reads 1, reads 0, in_loop 0
long find(const int *a, int what)
{
    long i = 0;
    while (mostly(a[i] != what))
        i++;
    return i;
}

/* Two ways out: the element was read in one of them, and is counted by both. */
// expect find_among: __pf_reads 2, reads 0, in_loop 0
int find_among(const int *a, int n, int what)
{
    for (int i = 0; mostly(i < n); i++)
        if (at_last(a[i] == what))
            return i;
    return -1;
}

// expect up_to: reads 0, in_loop 0
const int *up_to(const int *p, const int *end)
{
    while (mostly(p < end && *p > 0))
        p++;
    return p;
}

// expect down_to: reads 0, in_loop 0
const long *down_to(const long *p, const long *first)
{
    while (mostly(p > first && p[-1] > 0))
        p--;
    return p;
}

/* The write comes after the exit: one less than there are reads. (The optimizer makes the first read before
 * the loop.) */
// expect clear_until: __pf_reads 1, __pf_writes 1, reads 1, writes 0, in_loop 0
void clear_until(int *a, const int *b)
{
    for (long i = 0; mostly(b[i] != 0); i++)
        a[i] = 0;
}

struct pair {
    int key, count, value;
};

/* Elements with gaps. */
// expect look_up: __pf_reads 2, reads 1, in_loop 0
int look_up(const struct pair *p, int key)
{
    int sum = 0;
    for (; mostly(p->key != key); p++)
        sum += p->count;
    return sum;
}

/* What is accessed only in some iterations has no number. */
// remark: in sometimes: write of 4 bytes stays in the loop
// expect sometimes: __pf_reads 1, reads 1, writes 1, in_loop 1
void sometimes(const int *a, int *b)
{
    for (long i = 0; mostly(a[i] != 0); i++)
        if (a[i] > 5)
            b[i] = 1;
}

/* An exit in a branch: those iterations have not come to the write yet, others have. */
// expect exit_in_branch: writes 0, reads 1, in_loop 0
int exit_in_branch(const int *restrict a, int *restrict b, int limit)
{
    for (long i = 0; mostly(a[i] != 0); i++) {
        if (a[i] > limit && at_last(a[i] % limit == 3))
            return 1;
        b[i] = 1;
    }
    return 0;
}

// expect list_of: reads 2, __pf_reads 0
struct node {
    struct node *next;
    int value;
};
int list_of(const struct node *n)
{
    while (mostly(n != NULL) && mostly(n->value != 0))
        n = n->next;
    return n != NULL;
}

/* Whoever waits for another thread may wait for ever: the check would never come. */
// remark: in for_ever: write of 4 bytes stays in the loop: the loop may go on for ever
// expect for_ever: writes 1, __pf_writes 0, in_loop 1
void for_ever(int *a, const cell *stop)
{
    for (long i = 0; mostly(*stop == 0); i++)
        a[i] = 1;
}

/* A loop without a condition is no promise to end. */
// expect without_condition: reads 1, __pf_reads 0
long without_condition(const int *a, int what)
{
    for (long i = 0;; i++)
        if (at_last(a[i] == what))
            return i;
}

/* But one with a bound is bound to. */
// expect bound: in_loop 0, reads 0
long bound(const int *a, long n, int what)
{
    long i = 0;
    for (;;) {
        if (at_last(i >= n) || at_last(a[i] == what))
            return i;
        i++;
    }
}

// expect locked_search: reads 1, __pf_reads 0
long locked_search(const int *a, int what)
{
    for (long i = 0;; i++) {
        pthread_mutex_lock(&mutex);
        int found = a[i] == what;
        pthread_mutex_unlock(&mutex);
        if (at_last(found))
            return i;
    }
}

// expect calls_in_between: writes 1, __pf_writes 0
void calls_in_between(int *a, const int *b)
{
    for (long i = 0; mostly(b[i] != 0); i++) {
        a[i] = 0;
        unknown();
    }
}

/* The same element again, and after the loop the last one again: covered by the check after the loop. */
// remark: in again: read of 4 bytes needs no check of its own: it was checked before on every way [history]
// expect again: __pf_reads 1, reads 0, in_loop 0
int again(const int *a)
{
    const int *p = a;
    while (mostly(*p > 0))
        p++;
    return *(volatile const int *)p;
}

/* Left for good, by a call that does not return, which nobody expects: checked before it. */
// expect may_end: __pf_writes 2, writes 0, in_loop 0
void may_end(int *a, int n, int m)
{
    for (int i = 0; i < n; i++) {
        if (i * i == m)
            ends();
        a[i] = 1;
    }
}

/* Elements side by side, in as many iterations: one check of both. */
// expect both_fields: __pf_read_groups 1, __pf_reads 0, reads 0, in_loop 0
const struct pair *both_fields(const struct pair *p)
{
    while (mostly(p->key + p->count != 0))
        p++;
    return p;
}

/* Neighbours, if there are any: one more than none would be too many. */
// expect neighbours: __pf_writes 2, writes 0, in_loop 0
void neighbours(int *restrict a, const int *restrict b)
{
    for (long i = 1; mostly(b[i] != 0); i++)
        a[i] = 0, a[i + 1] = 1;
}

/* In a loop around it, each time. */
// expect words_of: __pf_reads 1, reads 0
long words_of(const int *a, long n)
{
    long words = 0;
    for (long i = 0; i < n; i++) {
        while (mostly(*a > 1))
            a++;
        words += *a++;
    }
    return words;
}

/* Most searches are short, and tests in place do better. */
// remark: in short_search: read of 4 bytes stays in the loop: the loop is believed to be too short for a
// check after it expect short_search: reads 1, __pf_reads 0, in_loop 1
long short_search(const int *a, int last)
{
    const int *p = a;
    while (*p != last)
        p++;
    return p - a;
}

// expect length: reads 0, __pf_reads 1, in_loop 0
long length(const char *text, char last)
{
    const char *p = text;
    while (mostly(*p != last))
        p++;
    return p - text;
}
