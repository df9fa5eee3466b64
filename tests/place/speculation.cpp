/* [speculation]: no load is checked that the program does not make. (tests/programs/mutex_chosen_own_norace.c has what
 * cannot be counted. At -O3 also arguments are promoted.) */
// flags: -O3 -mavx2
#include <immintrin.h>

extern "C" {
int a, b, values[8];
thread_local int own;
struct pair {
    int first, second;
} one, other;
void give(int *), give_two(int *, int *), lock(void);

// expect chosen: reads 1
int chosen(bool c)
{
    int *p = c ? &a : &b;
    return *p;
}

// expect chosen_field: reads 1
int chosen_field(bool c)
{
    pair *p = c ? &one : &other;
    return p->second;
}

// expect chosen_late: reads 1
int chosen_late(bool c)
{
    int *p = c ? &a : &b;
    lock();
    return *p;
}

// Both were read before, but others may have come in between.
// expect chosen_again: reads 3
int chosen_again(int *x, int *y)
{
    int *p = *x < *y ? y : x;
    lock();
    return *p;
}

// expect chosen_of_three: reads 1
int chosen_of_three(bool c, bool d)
{
    int *p = c ? &a : &b;
    int *q = d ? p : &own;
    return *q;
}

// The two reads become one of a chosen address.
// expect merged: reads 1
int merged(bool c)
{
    int result;
    if (c)
        result = a + 1;
    else
        result = b + 1;
    return result;
}

// expect chosen_reference: reads 1
int chosen_reference(int &x, int &y, bool c)
{
    int &r = c ? x : y;
    return r;
}

// expect chosen_copied: reads 1, writes 1
void chosen_copied(bool c, int *to)
{
    __builtin_memcpy(to, c ? &a : &b, sizeof *to);
}

// expect chosen_number: reads 1
int chosen_number(bool c)
{
    auto address = c ? reinterpret_cast<unsigned long>(&a) : reinterpret_cast<unsigned long>(&b);
    return *reinterpret_cast<int *>(address);
}

// Variables of the function that others know.
// expect chosen_given: reads 1
int chosen_given(bool c)
{
    int x = 0, y = 0;
    give_two(&x, &y);
    int *p = c ? &x : &y;
    return *p;
}

// expect chosen_new: reads 1
int chosen_new(bool c)
{
    int *x = new int(1), *y = new int(2);
    give(x);
    give(y);
    int *p = c ? x : y;
    return *p;
}

// One of two is the function's own: only the other is checked, where it is read.
// expect own_or_shared: reads 1
int own_or_shared(bool c, int x)
{
    int *p = &a;
    if (c)
        p = &x;
    return *p;
}

// Nothing that others know.
// expect own_or_own: reads 0
int own_or_own(bool c, int x, int y)
{
    int *p = c ? &x : &y;
    return *p;
}

// What was read just before may be read again: no third check, and the greater one is not looked up by its address.
// expect greater: reads 2
int greater(const int *x, const int *y)
{
    const int *p = *x < *y ? y : x;
    return *p;
}

// Just before, but others may have come in between.
// expect chosen_after_fence: reads 1, writes 2
int chosen_after_fence(int *x, int *y, bool c)
{
    *x = 1;
    *y = 2;
    __atomic_thread_fence(__ATOMIC_ACQ_REL);
    int *p = c ? x : y;
    return *p;
}

// A counter in a loop, under a condition: read where it is counted, not before the loop.
// expect counted: reads 0, writes 1, in_loop 1
void counted(unsigned n)
{
    for (unsigned i = 0; i < n; i++)
        if (i * i % 7 == 3)
            a++;
}

// expect counted_argument: reads 0, writes 1, in_loop 1
void counted_argument(pair &p, unsigned n)
{
    for (unsigned i = 0; i < n; i++)
        if (i * i % 7 == 3)
            p.second++;
}

// For certain: kept in a register, so there is nothing in the loop.
// expect counted_always: writes 1, in_loop 0
void counted_always(unsigned n)
{
    unsigned i = 0;
    do {
        a += static_cast<int>(i * i % 7);
        if (i % 5 == 1)
            a++;
    } while (++i < n);
}

// The function that is called reads it, not the caller.
// expect calls: reads 0
static __attribute__((noinline)) int reads(const int *p, bool c, int k)
{
    return c ? *p * k : k;
}
int calls(bool c, int k)
{
    return reads(&a, c, k) + reads(&b, !c, k + 1);
}

// Read again when the loop begins again, not where it may end.
// expect read_again: reads 1
unsigned read_again(unsigned n)
{
    unsigned sum = 0;
    for (unsigned i = 0; i < n; i++) {
        sum += static_cast<unsigned>(a);
        if (i % 3 == 0)
            lock();
    }
    return sum;
}

// By intrinsics, which are not checked: also if the array is known to be there.
// expect masked: __tsan_read_range 0, reads 0, tests 0
__m256i masked()
{
    return _mm256_maskload_epi32(values, _mm256_set_epi32(0, 0, 0, 0, 0, 0, 0, -1));
}
}
