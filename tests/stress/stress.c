/* Real threads access random addresses with random locking, and write down what they did.
 *
 * With an odd seed they *collide*: they walk over the same words in step, with a little synchronization between one
 * walk and the next. What one handler loses of another's work in the first walk is a race that is missed in a later
 * one; every word is a chance for that, and where each is on a page of its own, every page for a chunk to become
 * shared under its owner's hands (src/shadow/owner.h).
 *
 * Built with pfcc. Whether two accesses race depends on the order of synchronization only, so nothing serializes the
 * accesses: their handlers run into each other as they please. An event takes a ticket from a counter that the
 * detector does not see: an access and a release before they begin, an acquire after it is done. In the order of
 * tickets the events are a trace of this execution, each thread's in its own order, each lock's in the order in which
 * it was held. Releases and acquires by annotation, of which nobody can tell from outside when they happened, exclude
 * each other.
 *
 *   stress SEED DIRECTORY    writes DIRECTORY/trace.std, one variable a byte, and DIRECTORY/told, one line for each
 *                            race that the detector tells of: first byte of the access, its size, the byte that races
 *
 * Everything that must not be seen is in functions that are not instrumented; they call nothing that is intercepted
 * while the workers run.
 */
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../programs/unseen.h"

void __tsan_acquire(void *address);
void __tsan_release(void *address);

enum {
    THREADS = 40,  /* over a run */
    EVENTS = 4096, /* a thread's */
    BYTES = 192,   /* that are accessed at random */
    WORDS = 512,   /* that are walked over */
    PAGE = 4096,
    LOCKS = 4,
    ROUNDS = 4,
    MOST_WORKERS = 6,
    TOLD = 1 << 16,
};

enum op { READ, WRITE, ACQUIRE, RELEASE, READ_ACQUIRE, READ_RELEASE, PUBLISH, LEARN, BARRIER_IN, BARRIER_OUT, FORK, JOIN };

struct event {
    uint64_t ticket;
    uint16_t op, at, size;
};

struct worker {
    uint32_t id;
    uint64_t random;
    uint32_t count;
    pthread_t handle;
    int joined; /* or left alone */
    struct event event[EVENTS];
};

static char arena[WORDS * PAGE] __attribute__((aligned(PAGE)));
static uint32_t pages = 1; /* over which the words are spread */
static pthread_mutex_t locks[LOCKS];
static pthread_rwlock_t rwlocks[LOCKS];
static pthread_barrier_t barrier;
static char annotated[LOCKS];
static struct worker workers[THREADS];
static uint32_t worker_count, left_alone;
static struct {
    uintptr_t access, byte;
    size_t size;
} told[TOLD];
static uint32_t told_count;

/* How disciplined: percent of accesses that hold the lock of their part of the arena. How often to do what. */
static uint32_t disciplined, writes, steps, workers_a_round, with_barrier, colliding;

/* --- not seen --- */

static uint64_t tickets;
static uint32_t annotating;

UNSEEN uint64_t ticket(void)
{
    uint64_t one = 1;
    __asm__ volatile("lock xaddq %0, %1" : "+r"(one), "+m"(tickets) : : "memory");
    return one;
}

UNSEEN void note(struct worker *w, enum op op, uint32_t at, uint32_t size)
{
    struct event *e = &w->event[w->count < EVENTS ? w->count++ : EVENTS - 1];
    e->ticket = ticket();
    e->op = (uint16_t)op;
    e->at = (uint16_t)at;
    e->size = (uint16_t)size;
}

UNSEEN uint32_t below(struct worker *w, uint32_t bound)
{
    uint64_t z = w->random += UINT64_C(0x9e3779b97f4a7c15);
    z = (z ^ (z >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
    z = (z ^ (z >> 27)) * UINT64_C(0x94d049bb133111eb);
    z ^= z >> 31;
    return (uint32_t)((z >> 32) * bound >> 32);
}

UNSEEN void annotating_lock(void)
{
    for (uint32_t held = 1;;) {
        __asm__ volatile("xchgl %0, %1" : "+r"(held), "+m"(annotating) : : "memory");
        if (!held)
            return;
        unseen_yield();
    }
}

UNSEEN void annotating_unlock(void)
{
    __asm__ volatile("movl $0, %0" : "=m"(annotating) : : "memory");
}

UNSEEN uint32_t add_unseen(uint32_t *counter, uint32_t by)
{
    __asm__ volatile("lock xaddl %0, %1" : "+r"(by), "+m"(*counter) : : "memory");
    return by;
}

/* The detector calls this from inside (src/runtime/report.h). */
void pf_on_race(const void *access, size_t size, const void *byte);
__attribute__((no_sanitize("thread"))) void pf_on_race(const void *access, size_t size, const void *byte)
{
    uint32_t i = add_unseen(&told_count, 1);
    if (i < TOLD) {
        told[i].access = (uintptr_t)access;
        told[i].size = size;
        told[i].byte = (uintptr_t)byte;
    }
}

UNSEEN struct worker *new_worker(struct worker *by)
{
    struct worker *w = &workers[add_unseen(&worker_count, 1)];
    w->id = (uint32_t)(w - workers);
    w->random = by != NULL ? by->random * 31 + w->id : 0;
    return w;
}

/* The arena's bytes have numbers; words follow each other on different pages. */
UNSEEN char *byte_at(uint32_t number)
{
    uint32_t word = number / 4;
    return arena + (size_t)(word % pages) * PAGE + word / pages * 4 + number % 4;
}

UNSEEN long number_of(uintptr_t address)
{
    uintptr_t offset = address - (uintptr_t)arena, on_page = offset % PAGE;
    if (offset >= sizeof arena)
        return -1;
    return (long)((on_page / 4 * pages + offset / PAGE) * 4 + offset % 4);
}

static uint32_t arrived;

/* Waits for the others, without a system call where it can: they shall go on at the same moment. */
UNSEEN void in_step(uint32_t walkers)
{
    uint32_t all = (add_unseen(&arrived, 1) / walkers + 1) * walkers, now, tries = 0;
    do {
        __asm__ volatile("pause; movl %1, %0" : "=r"(now) : "m"(arrived) : "memory");
        if (++tries % 4096 == 0)
            unseen_yield();
    } while (now < all);
}

/* --- seen: the accesses --- */

#define SIZES(X) X(1, uint8_t) X(2, uint16_t) X(4, uint32_t) X(8, uint64_t)
#define ACCESS(bytes, type)                                                                                   \
    struct __attribute__((packed)) loose##bytes {                                                             \
        volatile type value;                                                                                  \
    };                                                                                                        \
    static __attribute__((noinline)) void access##bytes(char *p, int write)                                   \
    {                                                                                                         \
        if (write && (uintptr_t)p % bytes == 0)                                                               \
            *(volatile type *)p = 1;                                                                          \
        else if (write)                                                                                       \
            ((struct loose##bytes *)p)->value = 1;                                                            \
        else if ((uintptr_t)p % bytes == 0)                                                                   \
            (void)*(volatile type *)p;                                                                        \
        else                                                                                                  \
            (void)((struct loose##bytes *)p)->value;                                                          \
    }
SIZES(ACCESS)

struct sixteen {
    uint64_t value[2];
};
static struct sixteen scratch[THREADS] __attribute__((used)); /* or the copies into it would not be made */

static __attribute__((noinline)) void access_at(struct worker *w, uint32_t at, uint32_t size, int write)
{
    char *p = byte_at(at);
    switch (size) {
    case 1:
        access1(p, write);
        break;
    case 2:
        access2(p, write);
        break;
    case 4:
        access4(p, write);
        break;
    case 8:
        access8(p, write);
        break;
    default: /* a range */
        if (write)
            memset(p, 1, size);
        else
            memcpy(&scratch[w->id], p, size);
    }
}

/* A loop over bytes, as programs have it. */
static __attribute__((noinline)) void access_each(struct worker *w, uint32_t at, uint32_t size, int write)
{
    for (uint32_t i = 0; i < size; i++) {
        note(w, write ? WRITE : READ, at + i, 1);
        access1(byte_at(at + i), write);
    }
}

/* In [from, to). */
static void some_access(struct worker *w, uint32_t from, uint32_t to)
{
    static const uint8_t sizes[] = {1, 1, 2, 4, 4, 8, 16, 5};
    uint32_t size = sizes[below(w, sizeof sizes)], write = below(w, 100) < writes;
    uint32_t at = from + below(w, to - from - size + 1);
    if (below(w, 3) > 0)
        at = at - at % size < from ? at : at - at % size;
    if (size == 16 && below(w, 2) == 0) {
        access_each(w, at, size, (int)write);
        return;
    }
    note(w, write ? WRITE : READ, at, size);
    access_at(w, at, size, (int)write);
}

static void churn(struct worker *w)
{
    char *block = malloc(1 + below(w, 100));
    if (block != NULL)
        *(volatile char *)block = 1;
    free(block);
}

/* --- seen: synchronization --- */

static void locked(struct worker *w, uint32_t lock, uint32_t from, uint32_t to)
{
    pthread_mutex_lock(&locks[lock]);
    note(w, ACQUIRE, lock, 0);
    for (uint32_t n = 1 + below(w, 4); n > 0; n--)
        some_access(w, from, to);
    note(w, RELEASE, lock, 0);
    pthread_mutex_unlock(&locks[lock]);
}

static void read_locked(struct worker *w, uint32_t lock, uint32_t from, uint32_t to)
{
    uint32_t write = below(w, 100) < writes;
    if (write)
        pthread_rwlock_wrlock(&rwlocks[lock]);
    else
        pthread_rwlock_rdlock(&rwlocks[lock]);
    note(w, write ? ACQUIRE : READ_ACQUIRE, LOCKS + lock, 0);
    for (uint32_t n = 1 + below(w, 4); n > 0; n--) {
        uint32_t at = from + 4 * below(w, (to - from) / 4);
        note(w, write ? WRITE : READ, at, 4);
        access_at(w, at, 4, (int)write);
    }
    note(w, write ? RELEASE : READ_RELEASE, LOCKS + lock, 0);
    pthread_rwlock_unlock(&rwlocks[lock]);
}

static void annotate(struct worker *w, uint32_t object)
{
    uint32_t publish = below(w, 2);
    annotating_lock();
    note(w, publish ? PUBLISH : LEARN, object, 0);
    if (publish)
        __tsan_release(&annotated[object]);
    else
        __tsan_acquire(&annotated[object]);
    annotating_unlock();
}

/* Each lock has its part of the arena; the last part is for readers-writer locks. */
static void one_step(struct worker *w)
{
    enum { PART = BYTES / (LOCKS + 1) / 4 * 4 };
    uint32_t what = below(w, 100), lock = below(w, LOCKS);
    if (what < 5)
        annotate(w, lock);
    else if (what < 8)
        churn(w);
    else if (what < 20)
        read_locked(w, 0, LOCKS * PART, (LOCKS + 1) * PART);
    else if (below(w, 1000) < disciplined)
        locked(w, lock, lock * PART, (lock + 1) * PART);
    else
        some_access(w, 0, BYTES);
}

static void walk(struct worker *w)
{
    for (uint32_t word = 0; word < WORDS; word++) {
        in_step(workers_a_round);
        for (uint32_t n = 1 + below(w, 3); n > 0; n--) {
            uint32_t size = 1u << below(w, 3), at = 4 * word + below(w, 4) / size * size;
            uint32_t write = below(w, 100) < writes;
            note(w, write ? WRITE : READ, at, size);
            access_at(w, at, size, (int)write);
        }
    }
}

static void collide(struct worker *w)
{
    for (int walks = 0; walks < 3; walks++) {
        walk(w);
        for (int n = 0; n < 2; n++)
            annotate(w, 0);
    }
}

static void *work(void *argument)
{
    struct worker *w = argument;
    unseen_barrier((int)workers_a_round); /* all at once */
    if (colliding) {
        collide(w);
        return NULL;
    }
    for (uint32_t step = 0; step < steps; step++) {
        if (with_barrier && step == steps / 2 && w->joined) {
            note(w, BARRIER_IN, 0, 0);
            pthread_barrier_wait(&barrier);
            note(w, BARRIER_OUT, 0, 0);
        }
        one_step(w);
    }
    if (!w->joined)
        add_unseen(&left_alone, -1u);
    return NULL;
}

static void round_of_workers(struct worker *self)
{
    struct worker *started[MOST_WORKERS];
    uint32_t joined = 0, alone[MOST_WORKERS];
    for (uint32_t i = 0; i < workers_a_round; i++) {
        alone[i] = !colliding && below(self, 10) == 0;
        joined += !alone[i];
    }
    pthread_barrier_init(&barrier, NULL, joined > 0 ? joined : 1);
    unseen_signal(0);
    for (uint32_t i = 0; i < workers_a_round; i++) {
        struct worker *w = started[i] = new_worker(self);
        w->joined = !alone[i];
        if (alone[i])
            add_unseen(&left_alone, 1);
        note(self, FORK, w->id, 0);
        if (pthread_create(&w->handle, NULL, work, w) != 0)
            abort();
        if (alone[i])
            pthread_detach(w->handle);
    }
    for (uint32_t i = 0; i < workers_a_round; i++)
        if (started[i]->joined) {
            pthread_join(started[i]->handle, NULL);
            note(self, JOIN, started[i]->id, 0);
        }
    for (uint32_t n = 0; n < (colliding ? 0 : 10); n++)
        one_step(self);
}

/* --- the end: not seen either --- */

UNSEEN int by_ticket(const void *a, const void *b)
{
    const struct event *x = *(struct event *const *)a, *y = *(struct event *const *)b;
    return x->ticket < y->ticket ? -1 : x->ticket > y->ticket;
}

UNSEEN void write_event(FILE *out, const struct event *e)
{
    static const char *const name[] = {"r(b%u)",    "w(b%u)",  "acq(l%u)", "rel(l%u)",  "racq(l%u)", "rrel(l%u)",
                                       "vw(v%u)",   "vr(v%u)", "bin(b%u)", "bout(b%u)", "fork(t%u)", "join(t%u)"};
    uint32_t thread = (uint32_t)(((const char *)e - (const char *)workers) / sizeof *workers);
    for (uint32_t i = 0; i < (e->op <= WRITE ? e->size : 1u); i++) {
        fprintf(out, "t%u|", thread);
        fprintf(out, name[e->op], e->at + i);
        fprintf(out, "|%u\n", i);
    }
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

UNSEEN void write_down(const char *directory)
{
    static const struct event *all[THREADS * EVENTS];
    size_t count = 0;
    for (uint32_t t = 0; t < worker_count; t++)
        for (uint32_t i = 0; i < workers[t].count; i++)
            all[count++] = &workers[t].event[i];
    qsort(all, count, sizeof *all, by_ticket);
    FILE *trace = create(directory, "trace.std"), *out = create(directory, "told");
    for (size_t i = 0; i < count; i++)
        write_event(trace, all[i]);
    for (uint32_t i = 0; i < told_count && i < TOLD; i++)
        fprintf(out, "%ld %zu %ld\n", number_of(told[i].access), told[i].size, number_of(told[i].byte));
    fclose(trace);
    fclose(out);
}

UNSEEN void wait_for_those_left_alone(void)
{
    for (uint32_t left = 1; left != 0; unseen_yield())
        __asm__ volatile("movl %1, %0" : "=r"(left) : "m"(left_alone) : "memory");
}

int main(int count, char **argument)
{
    if (count != 3)
        return 2;
    struct worker *self = new_worker(NULL);
    uint64_t seed = self->random = strtoull(argument[1], NULL, 10);
    static const uint32_t disciplines[] = {500, 900, 980, 995, 1000};
    disciplined = disciplines[below(self, 5)];
    writes = 5 + below(self, 60);
    steps = 20 + below(self, 120);
    workers_a_round = 2 + below(self, MOST_WORKERS - 1);
    with_barrier = below(self, 2);
    for (uint32_t i = 0; i < LOCKS; i++) {
        pthread_mutex_init(&locks[i], NULL);
        pthread_rwlock_init(&rwlocks[i], NULL);
    }
    if (seed % 2 == 1) {
        static const uint32_t spread[] = {1, 8, 64, WORDS};
        colliding = 1;
        writes = below(self, 8);
        workers_a_round = 2 + (below(self, 4) == 0);
        pages = spread[below(self, 4)];
    }
    for (int i = 0; i < (colliding ? 1 : ROUNDS); i++)
        round_of_workers(self);
    wait_for_those_left_alone();
    write_down(argument[2]);
    return 0;
}
