/* Two accesses to one object are checked together, where the first of them is. */
#include "place.h"

struct node {
    struct node *next;
    long value, count, other;
    char text[64];
    int small, smaller;
};

// expect add_to_all: __pf_read_write8 1, reads 0, writes 0, in_loop 1
void add_to_all(struct node *n)
{
    for (; n != NULL; n = n->next)
        n->value++;
}

// expect sum: __pf_read_read8 1, reads 0
long sum(const volatile struct node *n)
{
    return n->value + n->count;
}

// expect with_a_gap: __pf_write_read8 1, reads 0, writes 0
long with_a_gap(struct node *n)
{
    n->value = 1;
    return n->other;
}

// expect three: __pf_write_write8 1, writes 1, tests 1
void three(struct node *n)
{
    n->value = n->count = n->other = 1;
}

/* Not one before what may synchronize and the other after it. */
// expect apart: __pf_write_write8 0, writes 2
void apart(struct node *n)
{
    n->value = 1;
    unknown();
    n->count = 1;
}

/* The second one may not come. */
// expect perhaps: __pf_read_read8 0, reads 2
long perhaps(const volatile struct node *n)
{
    return n->value != 0 ? n->count : 0;
}

// expect two_objects: __pf_write_write8 0, writes 2
void two_objects(struct node *a, struct node *b)
{
    a->value = 1;
    b->count = 1;
}

// expect far_away: __pf_write_write8 0, writes 2
void far_away(struct node *n)
{
    n[0].value = 1;
    n[1].value = 1;
}

// expect other_sizes: __pf_write_write8 0, writes 2
void other_sizes(struct node *n)
{
    n->value = 1;
    n->smaller = 1;
}

/* A loop's next step stays as it is. */
// expect steps: __pf_read_read8 0, reads 3
long steps(const volatile struct node *n)
{
    while (n->value != n->count)
        n++;
    return n->other;
}
