/* What the threads of tests/stress/stress.c did, in one order: events while they run, a trace at the end.
 * Nothing here is seen by the detector.
 *
 * Whether two accesses race depends on the order of synchronization only, so nothing serializes the accesses:
 * their handlers run into each other as they please. An event takes a ticket from a counter: an access and a
 * release before they begin, an acquire after it is done. In the order of tickets the events are a trace of
 * this execution, each thread's in its own order, each lock's in the order in which it was held.
 *
 * Atomic variables. Every write stores a value that names its event, so that a load tells which write it read
 * from. That decides what synchronizes with what (C++20): the write, and those before it while they are
 * read-modify-writes, back to a store; each that releases, or else the last release fence before it in its
 * thread; to the load, if it acquires, or else to the next acquire fence of its thread. In the trace, each of
 * these edges is a volatile of its own, written where the edge begins and read where it ends.
 *
 * Data that is accessed atomically as well as plainly. Two atomic accesses do not race, so those of each
 * thread are accesses to another variable of the trace (b17.3: thread 3, byte 17); a plain access is one to
 * all of them.
 *
 * Heap blocks. Every allocation has bytes of its own in the trace, whatever its address is.
 */
#pragma once

#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../programs/unseen.h"

enum {
    THREADS = 72, /* over a run, of the first one's */
    NESTED = 32,  /* of the others' */
    ALL_THREADS = THREADS + NESTED,
    EVENTS = 4096, /* a thread's */
    WORDS = 512,   /* of the arena */
    PAGE = 4096,
    SLOTS = 4,        /* of heap blocks at a time */
    BLOCK = 64,       /* bytes of a block that are accessed */
    HEAP = 4 * WORDS, /* number of the first block's first byte */
    TOLD = 1 << 16,
};

enum { RELAXED, CONSUME, ACQUIRE, RELEASE, ACQ_REL, SEQ_CST };

enum op {
    READ,
    WRITE,
    LOCK,
    UNLOCK,
    READ_LOCK,
    READ_UNLOCK,
    PUBLISH,
    LEARN,
    BARRIER_IN,
    BARRIER_OUT,
    FORK,
    JOIN,
    ATOMIC_READ,  /* of data: relaxed, synchronizes with nothing */
    ATOMIC_WRITE, /* of data */
    STORE,        /* to an atomic variable */
    MODIFY,       /* a read-modify-write is about to begin: what it releases */
    LOAD,         /* what a load or a read-modify-write has read */
    FENCE,
};

struct event {
    uint64_t ticket;
    uint16_t op, size, order;
    uint32_t at;
    uint32_t read; /* MODIFY, LOAD: the event whose write was read (name_of), or 0 */
};

struct worker {
    uint32_t id;
    uint64_t random;
    uint32_t count;
    pthread_t handle;
    int joined; /* or left alone */
    struct event event[EVENTS];
};

static struct worker workers[ALL_THREADS];
static uint32_t worker_count, nested_count;
static char arena[(WORDS + 1) * PAGE] __attribute__((aligned(PAGE)));
static uint32_t pages = 1; /* over which the words are spread */
static uint32_t
    shift; /* where on the first page they begin: the border of two pages is somewhere among them */

struct slot {
    uint32_t index;
    uint32_t number; /* of the block's first byte */
    char *block;     /* or NULL */
};
static struct slot slots[SLOTS];
static uint32_t slot_taken[SLOTS]; /* by whoever uses it: nobody accesses what another frees */
enum { MOST_BLOCKS = THREADS * EVENTS / 2 };
static uint32_t blocks; /* so far */
static uintptr_t block_at[MOST_BLOCKS];

/* --- tickets --- */

UNSEEN uint64_t ticket(void)
{
    static uint64_t tickets;
    uint64_t one = 1;
    __asm__ volatile("lock xaddq %0, %1" : "+r"(one), "+m"(tickets) : : "memory");
    return one;
}

UNSEEN uint32_t add_unseen(uint32_t *counter, uint32_t by)
{
    __asm__ volatile("lock xaddl %0, %1" : "+r"(by), "+m"(*counter) : : "memory");
    return by;
}

UNSEEN void take_unseen(uint32_t *lock)
{
    for (uint32_t held = 1;;) {
        __asm__ volatile("xchgl %0, %1" : "+r"(held), "+m"(*lock) : : "memory");
        if (!held)
            return;
        unseen_yield();
    }
}

UNSEEN void give_unseen(uint32_t *lock)
{
    __asm__ volatile("movl $0, %0" : "=m"(*lock) : : "memory");
}

/* The number of its first byte. */
UNSEEN uint32_t new_block(const char *block)
{
    uint32_t index = add_unseen(&blocks, 1);
    if (index >= MOST_BLOCKS)
        abort();
    block_at[index] = (uintptr_t)block;
    return HEAP + index * BLOCK;
}

UNSEEN struct slot open_slot(uint32_t index)
{
    take_unseen(&slot_taken[index]);
    slots[index].index = index;
    return slots[index];
}

UNSEEN void close_slot(struct slot slot)
{
    slots[slot.index] = slot;
    give_unseen(&slot_taken[slot.index]);
}

UNSEEN uint32_t below(struct worker *w, uint32_t bound)
{
    uint64_t z = w->random += UINT64_C(0x9e3779b97f4a7c15);
    z = (z ^ (z >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
    z = (z ^ (z >> 27)) * UINT64_C(0x94d049bb133111eb);
    z ^= z >> 31;
    return (uint32_t)((z >> 32) * bound >> 32);
}

UNSEEN struct worker *worker_at(uint32_t index, const struct worker *by)
{
    struct worker *w = &workers[index];
    w->id = index;
    w->random = by != NULL ? by->random * 31 + index : 0;
    return w;
}

UNSEEN struct worker *new_worker(const struct worker *by)
{
    return worker_at(worker_count++, by);
}

/* For a thread that a worker creates; NULL: there were enough. */
UNSEEN struct worker *nested_worker(const struct worker *by)
{
    uint32_t index = add_unseen(&nested_count, 1);
    return index < NESTED ? worker_at(THREADS + index, by) : NULL;
}

UNSEEN struct event *note(struct worker *w, enum op op, uint32_t at, uint32_t size)
{
    if (w->count == EVENTS)
        abort();
    struct event *e = &w->event[w->count++];
    e->ticket = ticket();
    e->op = (uint16_t)op;
    e->at = at;
    e->size = (uint16_t)size;
    return e;
}

UNSEEN struct event *note_atomic(struct worker *w, enum op op, uint32_t order, uint32_t read)
{
    struct event *e = note(w, op, 0, 0);
    e->order = (uint16_t)order;
    e->read = read;
    return e;
}

/* A value for what the event writes; never 0. */
UNSEEN uint32_t name_of(const struct worker *w, const struct event *e)
{
    return (w->id + 1) * EVENTS + (uint32_t)(e - w->event);
}

/* --- bytes have numbers --- */

/* The arena's: words follow each other on different pages. */
UNSEEN char *byte_at(uint32_t number)
{
    uint32_t word = number / 4;
    return arena + shift + (size_t)(word % pages) * PAGE + word / pages * 4 + number % 4;
}

UNSEEN long number_of(uintptr_t address)
{
    uintptr_t offset = address - (uintptr_t)arena - shift, on_page = offset % PAGE;
    if (offset < WORDS * PAGE)
        return (long)((on_page / 4 * pages + offset / PAGE) * 4 + offset % 4);
    for (uint32_t i = add_unseen(&blocks, 0); i-- > 0;) /* the last one there: it may have been freed */
        if (address - block_at[i] < BLOCK)
            return (long)(HEAP + i * BLOCK + (address - block_at[i]));
    return -1;
}

static struct {
    long access, byte;
    size_t size;
} told[TOLD];
static uint32_t told_count;

/* The detector calls this from inside (src/runtime/report.h). */
void pf_on_race(const void *access, size_t size, const void *byte);
__attribute__((no_sanitize("thread"))) void pf_on_race(const void *access, size_t size, const void *byte)
{
    uint32_t i = add_unseen(&told_count, 1);
    if (i < TOLD) {
        told[i].access = number_of((uintptr_t)access);
        told[i].byte = number_of((uintptr_t)byte);
        told[i].size = size;
    }
}

/* --- the trace --- */

/* Where an edge begins: the event of this name. */
UNSEEN struct event *named(uint32_t name)
{
    return &workers[name / EVENTS - 1].event[name % EVENTS];
}

UNSEEN int order_acquires(uint32_t order)
{
    return order != RELAXED && order != RELEASE;
}

UNSEEN int order_releases(uint32_t order)
{
    return order >= RELEASE;
}

/* The name of what releases where this event writes, or 0. */
UNSEEN uint32_t releaser_of(uint32_t name)
{
    if (order_releases(named(name)->order))
        return name;
    for (uint32_t index = name % EVENTS; index-- > 0;) {
        uint32_t before = name - name % EVENTS + index;
        if (named(before)->op == FENCE && order_releases(named(before)->order))
            return before;
    }
    return 0;
}

/* Edges from all that reading this write synchronizes with. */
UNSEEN void write_edges(FILE *out, uint32_t thread, uint32_t name)
{
    while (name != 0) {
        uint32_t from = releaser_of(name);
        if (from != 0)
            fprintf(out, "t%u|vr(s%u)|0\n", thread, from);
        name = named(name)->op == MODIFY ? named(name)->read : 0;
    }
}

/* Those of the loads before it, back to the last fence that acquired. */
UNSEEN void write_fence(FILE *out, uint32_t thread, const struct event *fence)
{
    const struct event *e = fence;
    while (order_acquires(fence->order) && e-- > workers[thread].event) {
        if (e->op == FENCE && order_acquires(e->order))
            break;
        if (e->op == LOAD)
            write_edges(out, thread, e->read);
    }
}

static uint8_t is_atomic[HEAP][ALL_THREADS]; /* the byte, by the thread */

UNSEEN void write_access(FILE *out, uint32_t thread, const struct event *e, uint32_t byte)
{
    int write = e->op == WRITE || e->op == ATOMIC_WRITE;
    if (e->op >= ATOMIC_READ) {
        fprintf(out, "t%u|%c(b%u.%u)|1\n", thread, write ? 'w' : 'r', byte, thread);
        return;
    }
    fprintf(out, "t%u|%c(b%u)|0\n", thread, write ? 'w' : 'r', byte);
    for (uint32_t t = 0; byte < HEAP && t < ALL_THREADS; t++)
        if (is_atomic[byte][t])
            fprintf(out, "t%u|%c(b%u.%u)|0\n", thread, write ? 'w' : 'r', byte, t);
}

UNSEEN void write_event(FILE *out, const struct event *e)
{
    static const char *const name[] = {
        [LOCK] = "acq(l",   [UNLOCK] = "rel(l", [READ_LOCK] = "racq(l", [READ_UNLOCK] = "rrel(l",
        [PUBLISH] = "vw(v", [LEARN] = "vr(v",   [BARRIER_IN] = "bin(b", [BARRIER_OUT] = "bout(b",
        [FORK] = "fork(t",  [JOIN] = "join(t"};
    uint32_t thread = (uint32_t)(((const char *)e - (const char *)workers) / (long)sizeof *workers);
    switch (e->op) {
    case READ:
    case WRITE:
    case ATOMIC_READ:
    case ATOMIC_WRITE:
        for (uint32_t i = 0; i < e->size; i++)
            write_access(out, thread, e, e->at + i);
        break;
    case LOAD:
        if (order_acquires(e->order))
            write_edges(out, thread, e->read);
        break;
    case FENCE:
        write_fence(out, thread, e);
        /* fall through */
    case STORE:
    case MODIFY:
        if (order_releases(e->order))
            fprintf(out, "t%u|vw(s%u)|0\n", thread, name_of(&workers[thread], e));
        break;
    default:
        fprintf(out, "t%u|%s%u)|0\n", thread, name[e->op], e->at);
    }
}

UNSEEN int by_ticket(const void *a, const void *b)
{
    const struct event *x = *(struct event *const *)a, *y = *(struct event *const *)b;
    return x->ticket < y->ticket ? -1 : x->ticket > y->ticket;
}

UNSEEN FILE *create(const char *directory, const char *name)
{
    char path[4096];
    snprintf(path, sizeof path, "%s/%s", directory, name);
    FILE *file = fopen(path, "w");
    if (file == NULL)
        exit(2);
    return file;
}

/* What the detector did to have slots (src/runtime/slots.h). */
__attribute__((weak)) void pf_slots_counts(uint32_t *swept, uint32_t *merged, uint32_t *widened);

UNSEEN void write_down(const char *directory)
{
    static const struct event *all[ALL_THREADS * EVENTS];
    size_t count = 0;
    for (uint32_t t = 0; t < ALL_THREADS; t++)
        for (uint32_t i = 0; i < workers[t].count; i++) {
            const struct event *e = all[count++] = &workers[t].event[i];
            if (e->op == ATOMIC_READ || e->op == ATOMIC_WRITE)
                for (uint32_t byte = 0; byte < e->size; byte++)
                    is_atomic[e->at + byte][t] = 1;
        }
    qsort(all, count, sizeof *all, by_ticket);
    FILE *trace = create(directory, "trace.std"), *out = create(directory, "told");
    for (size_t i = 0; i < count; i++)
        write_event(trace, all[i]);
    for (uint32_t i = 0; i < told_count && i < TOLD; i++)
        fprintf(out, "%ld %zu %ld\n", told[i].access, told[i].size, told[i].byte);
    fclose(trace);
    fclose(out);
    FILE *places = create(directory, "places");
    for (uint32_t number = 0; number < HEAP; number++)
        fprintf(places, "%td %u\n", byte_at(number) - arena, number);
    fclose(places);
    uint32_t swept = 0, merged = 0, widened = 0;
    if (pf_slots_counts != NULL)
        pf_slots_counts(&swept, &merged, &widened);
    FILE *counts = create(directory, "counts");
    fprintf(counts, "%u %u %u\n", swept, merged, widened);
    fclose(counts);
}
