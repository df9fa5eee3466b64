/* Neighbouring fields of an object, 8 or 16 bytes in all, are checked together where the first of them is. */
#include "place.h"

struct block {
    long size;
    int first, second, third, fourth, fifth;
    long last, rest;
};

// expect begin: __pf_write_row16 1, writes 0
void begin(struct block *b)
{
    b->first = 1;
    b->size = 16;
    b->second = 2;
}

// expect sum: __pf_read_row16 1, reads 0
long sum(const volatile struct block *b)
{
    return b->size + b->first + b->second;
}

// expect two: __pf_read_row8 1, reads 0
long two(const volatile struct block *b)
{
    return b->third + b->fourth;
}

// expect four: __pf_write_row16 1, writes 0
void four(struct block *b)
{
    b->first = b->second = b->third = b->fourth = 1;
}

/* What is left over is checked alone. */
// expect five: __pf_write_row16 1, writes 1, tests 1
void five(struct block *b)
{
    b->first = b->second = b->third = b->fourth = b->fifth = 1;
}

// expect three: __pf_read_row8 1, reads 1
long three(const volatile struct block *b)
{
    return b->first + b->second + b->third;
}

/* Two of 8 bytes are a pair, beside a row or not. */
// expect and_a_pair: __pf_write_row8 1, __pf_write_write8 1, writes 0
void and_a_pair(struct block *b)
{
    b->first = b->second = 1;
    b->last = b->rest = 1;
}

/* Not those that begin in the middle of 8 bytes, have a gap, or are one read and the other written. */
// expect middle: __pf_read_row8 0, reads 2
long middle(const volatile struct block *b)
{
    return b->second + b->third;
}

// expect gap: __pf_read_row8 0, __pf_read_row16 0, reads 2
long gap(const volatile struct block *b)
{
    return b->first + b->third;
}

// expect both_kinds: reads 1, writes 1
int both_kinds(struct block *b)
{
    b->first = 1;
    return b->second;
}

/* Not one before what may synchronize and the other after it. */
// expect apart: __pf_write_row8 0, writes 2
void apart(struct block *b)
{
    b->first = 1;
    unknown();
    b->second = 1;
}

/* The second one may not come. */
// expect perhaps: __pf_read_row8 0, reads 2
long perhaps(const volatile struct block *b)
{
    return b->first != 0 ? b->second : 0;
}

// expect two_objects: __pf_write_row8 0, writes 2
void two_objects(struct block *a, struct block *b)
{
    a->first = 1;
    b->second = 1;
}

/* A loop's next step stays as it is. */
// expect steps: __pf_read_row8 0, reads 2
const volatile struct block *steps(const volatile struct block *b)
{
    while (b->first != b->second)
        b++;
    return b;
}
