/* Copies and odd sizes. */
#include "place.h"

struct big {
    long words[9];
};
// expect copy_struct: __tsan_memcpy 1, reads 0, writes 0
void copy_struct(struct big *to, const struct big *from)
{
    *to = *from;
}

struct small {
    int a, b;
};
// expect copy_small: reads 1, writes 1, __tsan_memcpy 0
void copy_small(struct small *to, const struct small *from)
{
    *to = *from;
}

// expect clear: __tsan_memset 1, writes 0
void clear(struct big *b)
{
    memset(b, 0, sizeof *b);
}

// expect move: __tsan_memmove 1
void move(char *p, size_t n)
{
    memmove(p, p + 1, n);
}

/* memcpy is checked where it is, in the loop too; it keeps nothing else there. */
// expect copy_in_loop: __tsan_memcpy 1, __pf_writes 1, writes 0
void copy_in_loop(struct big *to, const struct big *from, int *a, int n)
{
    for (int i = 0; i < n; i++) {
        memcpy(&to[i], from, sizeof *to);
        ((int *)a)[i] = 3;
    }
}

// expect long_double: __tsan_read_range 1, __tsan_write_range 1
void long_double(volatile long double *to, volatile long double *from)
{
    *to = *from;
}

struct __attribute__((packed)) packed {
    char c;
    int i;
};
// expect not_aligned: __tsan_unaligned_read4 1, tests 0
int not_aligned(volatile struct packed *p)
{
    return p->i;
}

// expect bits: reads 0, writes 1
struct flags {
    unsigned a : 3, b : 5;
};
void bits(struct flags *f)
{
    f->b = 9;
}
