/* Work stealing: quicksort, each part a task in the deque of the thread that made it; a thread without tasks
 * steals from another. The deque is that of Chase and Lev (2005) with the fences of Le, Pop, Cohen and Zappa
 * Nardelli (2013), except that a larger ring is published with release and read with acquire: a thief that
 * sees it must see what is in it. SIZE is the number of elements. */
#include <sched.h>
#include <stdatomic.h>

#include "program.h"

enum { FIRST_PLACES = 8, LEAF = 128 };

struct task {
    uint32_t *from, *to;
};

/* Place i is at i % places. A ring that was too small is kept: a thief may still be reading it. */
struct ring {
    struct ring *smaller;
    size_t places;
    _Atomic(struct task *) place[];
};

/* Tasks [top, bottom). Only the owner pushes and takes, at the bottom; thieves steal at the top. */
struct deque {
    _Alignas(64) atomic_llong top;
    atomic_llong bottom;
    _Atomic(struct ring *) ring;
};

static struct deque deque[MOST_THREADS];
static uint32_t *element;
static atomic_size_t unsorted; /* elements that no leaf has put into their place yet */

static struct ring *new_ring(size_t places, struct ring *smaller)
{
    struct ring *ring = program_memory(1, sizeof *ring + places * sizeof ring->place[0]);
    ring->smaller = smaller;
    ring->places = places;
    return ring;
}

static struct ring *grow(struct deque *d, struct ring *old, long long top, long long bottom)
{
    struct ring *ring = new_ring(old->places * 2, old);
    for (long long i = top; i < bottom; i++) {
        struct task *task = atomic_load_explicit(&old->place[(size_t)i % old->places], memory_order_relaxed);
        atomic_store_explicit(&ring->place[(size_t)i % ring->places], task, memory_order_relaxed);
    }
    atomic_store_explicit(&d->ring, ring, memory_order_release);
    return ring;
}

static void push(struct deque *d, struct task *task)
{
    long long bottom = atomic_load_explicit(&d->bottom, memory_order_relaxed);
    long long top = atomic_load_explicit(&d->top, memory_order_acquire);
    struct ring *ring = atomic_load_explicit(&d->ring, memory_order_relaxed);
    if (bottom - top > (long long)ring->places - 1)
        ring = grow(d, ring, top, bottom);
    atomic_store_explicit(&ring->place[(size_t)bottom % ring->places], task, memory_order_relaxed);
    atomic_thread_fence(memory_order_release);
    atomic_store_explicit(&d->bottom, bottom + 1, memory_order_relaxed);
}

/* NULL if there is none. */
static struct task *take(struct deque *d)
{
    long long bottom = atomic_load_explicit(&d->bottom, memory_order_relaxed) - 1;
    struct ring *ring = atomic_load_explicit(&d->ring, memory_order_relaxed);
    atomic_store_explicit(&d->bottom, bottom, memory_order_relaxed);
    atomic_thread_fence(memory_order_seq_cst);
    long long top = atomic_load_explicit(&d->top, memory_order_relaxed);
    if (top > bottom) {
        atomic_store_explicit(&d->bottom, bottom + 1, memory_order_relaxed);
        return NULL;
    }
    struct task *task =
        atomic_load_explicit(&ring->place[(size_t)bottom % ring->places], memory_order_relaxed);
    if (top == bottom) { /* the last one: a thief may want it, too */
        if (!atomic_compare_exchange_strong_explicit(&d->top, &top, top + 1, memory_order_seq_cst,
                                                     memory_order_relaxed))
            task = NULL;
        atomic_store_explicit(&d->bottom, bottom + 1, memory_order_relaxed);
    }
    return task;
}

/* NULL if there is none, or if another thread got it. */
static struct task *steal(struct deque *d)
{
    long long top = atomic_load_explicit(&d->top, memory_order_acquire);
    atomic_thread_fence(memory_order_seq_cst);
    long long bottom = atomic_load_explicit(&d->bottom, memory_order_acquire);
    if (top >= bottom)
        return NULL;
    struct ring *ring = atomic_load_explicit(&d->ring, memory_order_acquire);
    struct task *task = atomic_load_explicit(&ring->place[(size_t)top % ring->places], memory_order_relaxed);
    if (!atomic_compare_exchange_strong_explicit(&d->top, &top, top + 1, memory_order_seq_cst,
                                                 memory_order_relaxed))
        return NULL;
    return task;
}

static void push_part(unsigned me, uint32_t *from, uint32_t *to)
{
    struct task *task = program_memory(1, sizeof *task);
    task->from = from;
    task->to = to;
    push(&deque[me], task);
}

static void insertion_sort(uint32_t *from, uint32_t *to)
{
    for (uint32_t *next = from + 1; next < to; next++) {
        uint32_t value = *next, *at = next;
        for (; at > from && at[-1] > value; at--)
            *at = at[-1];
        *at = value;
    }
}

static uint32_t median(uint32_t a, uint32_t b, uint32_t c)
{
    uint32_t low = a < b ? a : b, high = a < b ? b : a;
    return c < low ? low : c > high ? high : c;
}

/* Returns a place inside such that nothing before it is greater than anything behind; neither part is empty.
 */
static uint32_t *partition(uint32_t *from, uint32_t *to)
{
    uint32_t pivot = median(from[0], from[(to - from) / 2], to[-1]);
    uint32_t *low = from, *high = to - 1;
    for (;;) {
        while (*low < pivot)
            low++;
        while (*high > pivot)
            high--;
        if (low >= high)
            return low > from ? low : from + 1;
        uint32_t value = *low;
        *low++ = *high;
        *high-- = value;
    }
}

static void sort(unsigned me, struct task *task)
{
    uint32_t *from = task->from, *to = task->to;
    free(task);
    while (to - from > LEAF) {
        uint32_t *middle = partition(from, to);
        push_part(me, middle, to);
        to = middle;
    }
    insertion_sort(from, to);
    atomic_fetch_sub_explicit(&unsorted, (size_t)(to - from), memory_order_relaxed);
}

static void work(unsigned me)
{
    uint32_t seed = me + 1;
    while (atomic_load_explicit(&unsorted, memory_order_relaxed) > 0) {
        struct task *task = take(&deque[me]);
        if (task == NULL)
            task = steal(&deque[random_next(&seed) % threads]);
        if (task != NULL)
            sort(me, task);
        else
            sched_yield();
    }
}

static void free_rings(struct ring *ring)
{
    while (ring != NULL) {
        struct ring *smaller = ring->smaller;
        free(ring);
        ring = smaller;
    }
}

int main(int argc, char **argv)
{
    program_begin(argc, argv, 600000);
    element = program_memory(size, sizeof *element);
    uint32_t seed = 1;
    uint64_t expected = 0, found = 0, wrong = 0;
    for (size_t i = 0; i < size; i++)
        expected += element[i] = random_next(&seed);
    for (unsigned i = 0; i < threads; i++)
        atomic_init(&deque[i].ring, new_ring(FIRST_PLACES, NULL));
    atomic_init(&unsorted, size);
    push_part(0, element, element + size);
    program_run(work);
    for (size_t i = 0; i < size; i++) {
        found += element[i];
        wrong += i > 0 && element[i - 1] > element[i];
    }
    for (unsigned i = 0; i < threads; i++)
        free_rings(atomic_load(&deque[i].ring));
    return program_end("the sum of all elements", found, expected) |
           program_end("elements out of order", wrong, 0);
}
