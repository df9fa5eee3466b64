/* [private]: what no other thread can know of, and what never changes, needs no check. */
#include "place.h"

// remark: in local_array: write of 4 bytes needs no check: no other thread knows where it is [private]
// expect local_array: reads 0, writes 0, __pf_writes 0, __pf_reads 0
int local_array(int n)
{
    int here[100];
    for (int i = 0; i < 100; i++)
        here[i] = n + i;
    return here[n % 100u];
}

/* Also before others know of it: no flow is followed. */
// expect escapes: reads 1, writes 1, __pf_writes 1
int escapes(int n, int **to)
{
    int here[100];
    for (int i = 0; i < 100; i++)
        here[i] = n + i;
    *to = here;
    unknown();
    return here[n % 100u];
}

/* Pointers that walk, and pointers to one of several. */
// expect walks: reads 0, writes 0, __pf_writes 0, __pf_reads 0
unsigned walks(unsigned n)
{
    char digits[16], *end = digits;
    unsigned hash = 0;
    for (; n > 0 && end < digits + 15; n /= 10)
        *end++ = (char)('0' + n % 10);
    *end = '\0';
    for (const char *at = digits; *at != '\0'; at++)
        hash = (hash ^ (unsigned char)*at) * 16777619u;
    return hash;
}

// expect one_of_two: reads 0, writes 0
int one_of_two(int which, int at)
{
    int first[10], second[10], *chosen = which ? first : second;
    for (int i = 0; i < 10; i++)
        first[i] = second[i] = i * which;
    chosen[at % 10u] = which;
    return first[at % 7u] + second[at % 5u];
}

// expect here_or_there: writes 1
int here_or_there(int which, int at, cell *there)
{
    int here[10] = {0};
    volatile int *chosen = which ? there : here;
    chosen[at % 10u] = which;
    return here[at % 7u];
}

static const char *const names[] = {"user:", "session:", "page:", "item:"};
// expect name_of_kind: reads 0
unsigned name_of_kind(unsigned kind)
{
    unsigned hash = 0;
    for (const char *at = names[kind % 4]; *at != '\0'; at++)
        hash = (hash ^ (unsigned char)*at) * 16777619u;
    return hash;
}

static char buffer[8];
static char *const places[] = {buffer, buffer + 4};
// expect not_of_constants: reads 1
int not_of_constants(unsigned which)
{
    buffer[which % 8] = 0;
    unknown();
    return *places[which % 2];
}

static const int constants[] = {3, 1, 4, 1, 5, 9, 2, 6};
// remark: in constant: read of 4 bytes needs no check: it never changes [private]
// expect constant: reads 0
int constant(int i)
{
    return constants[i & 7];
}

_Thread_local cell mine;
// expect thread_local_variable: reads 1
int thread_local_variable(void)
{
    return mine;
}

/* Only synchronization: clang's own pass sees to it. */
// expect atomics_only: reads 0, writes 0, tests 0, __tsan_atomic32_store 1, __tsan_atomic32_load 1
int atomics_only(atomic_int *a)
{
    atomic_store(a, 1);
    return atomic_load(a + 1);
}

/* What is not to be looked at is not. */
// expect not_looked_at: reads 0, tests 0
__attribute__((no_sanitize("thread"))) int not_looked_at(cell *p)
{
    return *p;
}

// expect frames: __tsan_func_entry 1, __tsan_func_exit 1, reads 1
int frames(cell *p)
{
    return *p;
}
