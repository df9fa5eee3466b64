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
