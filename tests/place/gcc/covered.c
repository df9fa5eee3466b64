/* Which checks of gcc's the plugin leaves out (src/place/gcc/). */
// levels: -O1 -Og -O2 -O3
#include <stdatomic.h>
#include <stddef.h>

struct node {
    struct node *next;
    long value;
    int small[4];
};

extern void unknown(void);
extern int global;
extern volatile int hardware;

/* A read whose write follows. */
// expect add_to_all: reads 1, writes 1
void add_to_all(struct node *n)
{
    for (; n != NULL; n = n->next)
        n->value++;
}

// expect add_to_element: reads 0, writes 1
void add_to_element(struct node *n, long i)
{
    n->small[i] += 3;
}

// expect add_to_global: reads 0, writes 1
void add_to_global(void)
{
    global++;
}

/* The same bytes again. */
// expect twice: reads 0, writes 1
void twice(struct node *n)
{
    n->value++;
    n->value++;
}

// expect read_twice: reads 1, writes 1
long read_twice(const struct node *n, long *other)
{
    long value = n->value;
    *other = 1;
    return value - n->value;
}

// expect read_what_was_written: reads 0, writes 2
long read_what_was_written(struct node *n, long *other)
{
    n->value = 1;
    *other = 2;
    return n->value;
}

/* Not the same bytes: another element, a part, another object. */
// expect neighbours: reads 1, writes 1
void neighbours(struct node *n, long i)
{
    n->small[i] = n->small[i + 1];
}

// expect parts: reads 1, writes 2
int parts(char *x, int *other)
{
    *(short *)x = 1;
    *other = 1;
    return *(int *)x;
}

// expect two_objects: reads 1, writes 1
void two_objects(const struct node *from, struct node *to)
{
    to->value = from->value;
}

/* Not across what may synchronize. */
// expect across_a_call: reads 1, writes 2
void across_a_call(volatile struct node *n)
{
    long value = n->value;
    unknown();
    n->value = value;
    unknown();
    n->value = value;
}

// expect across_assembly: reads 1, writes 1
void across_assembly(struct node *n)
{
    long value = n->value;
    __asm__ volatile("mfence" : : : "memory");
    n->value = value + 1;
}

// expect across_a_release: reads 1, writes 1
void across_a_release(struct node *n, atomic_int *flag)
{
    long value = n->value;
    atomic_store_explicit(flag, 1, memory_order_release);
    n->value = value + 1;
}

// expect across_a_fence: reads 1, writes 1
void across_a_fence(struct node *n)
{
    long value = n->value;
    atomic_thread_fence(memory_order_seq_cst);
    n->value = value + 1;
}

/* But across what does nothing else. */
// expect across_arithmetic: reads 0, writes 1
void across_arithmetic(double *x)
{
    *x = __builtin_fabs(*x) + 1;
}

/* The write may never come: a read is not left to it. */
// expect perhaps: reads 1, writes 1
void perhaps(struct node *n)
{
    if (n->value == 0)
        n->value = 1;
}

/* What comes after a volatile access may never come; what came before it did. */
// expect after_hardware: reads 1, writes 2
void after_hardware(volatile struct node *n)
{
    long value = n->value;
    hardware = 1;
    n->value = value;
}

// expect before_hardware: reads 0, writes 2
long before_hardware(long *value)
{
    *value = 1;
    hardware = 1;
    return *value;
}

/* Nor what comes after a fault: the race that explains it is told. */
// expect pop: reads 2, writes 1
void pop(struct node **head)
{
    struct node *n = *head;
    *head = n->next;
}

// expect divide: reads 1, writes 1
void divide(int *x)
{
    *x = 100 / *x;
}

/* A function that says of itself that it looks at nothing may synchronize all the same. */
__attribute__((const)) extern int looks_at_nothing(void);

// expect across_a_const_call: reads 1, writes 1
void across_a_const_call(int *x)
{
    *x += looks_at_nothing();
}
