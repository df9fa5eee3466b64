/* Real threads access random addresses with random locking, and write down what they did
 * (tests/stress/log.h).
 *
 * What they do: plain accesses of all sizes under mutexes, readers-writer locks and spinlocks made of atomic
 * variables and fences, or under none; heap blocks that one thread allocates and another frees; atomic
 * accesses to data that others access plainly.
 *
 * With an odd seed they *collide*: they walk over the same words in step, with a little synchronization
 * between one walk and the next. What one handler loses of another's work in the first walk is a race that is
 * missed in a later one; every word is a chance for that. Where they are not each on a page of its own, the border of
 * two pages is somewhere among them, and accesses lie across it.
 *
 * Every fourth odd seed they *sweep*: they run loops over the same memory, with and without a lock.
 *
 * Every other odd seed they *send messages*: one writes a word and then an atomic variable, for whose new
 * value the others poll, to read the word. Loads that take no lock (src/shadow/atomic.h) meet the store in
 * all its stages.
 *
 * Built with pfcc. Releases and acquires by annotation, of which nobody can tell from outside when they
 * happened, exclude each other, and so do the users of a heap block.
 *
 *   stress SEED DIRECTORY    writes DIRECTORY/trace.std, one variable a byte, and DIRECTORY/told, one line
 * for each race that the detector tells of: first byte of the access, its size, the byte that races; and
 * DIRECTORY/places, where in the variable `arena` the bytes are
 *
 * Everything that must not be seen is in functions that are not instrumented; they call nothing that is
 * intercepted while the workers run.
 */
#include <dlfcn.h>

#include "accesses.h"

void __tsan_acquire(void *address);
void __tsan_release(void *address);

enum {
    LOCKS = 4, /* mutexes; readers-writer locks; objects of annotations */
    SPINS = 3, /* atomic variables */
    PART = 32, /* bytes that one lock protects */
    BYTES = (LOCKS + 1 + SPINS) * PART,
    ROUNDS = 4,
    MOST_WORKERS = 16,
};

static pthread_mutex_t locks[LOCKS];
static pthread_rwlock_t rwlocks[LOCKS];
static pthread_barrier_t barrier;
static char annotated[LOCKS];
static uint64_t spins[SPINS];
static uint32_t annotating, left_alone;
/* Looked up, not linked to: the runtime takes short cuts in programs that have no fences. */
static void (*fence)(int order);

/* How disciplined: per mille of accesses that hold the lock of their part of the arena. How often to do what,
 * per cent.
 */
static uint32_t disciplined, writes, steps, workers_a_round, with_barrier, colliding, messaging, sweeping,
    fences, weak, mixed;

/* --- not seen --- */

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

/* Where an access of this size begins, between first and last, that has bytes on both sides of the border, or nearly. */
static uint32_t across(struct worker *w, uint32_t first, uint32_t last, uint32_t border, uint32_t size)
{
    uint32_t back = below(w, 2) == 0 ? below(w, size + 1) : size / 8 * 4; /* whole words, or as it comes */
    uint32_t at = border < first + back ? first : border - back;
    return at > last ? last : at;
}

/* In [from, to). */
static void some_access(struct worker *w, uint32_t from, uint32_t to)
{
    static const uint8_t sizes[] = {1, 1, 2, 4, 4, 8, 16, 5};
    uint32_t size = sizes[below(w, sizeof sizes)], write = below(w, 100) < writes;
    uint32_t at = from + below(w, to - from - size + 1), border = PAGE - shift;
    if (border - from < to - from && below(w, 3) == 0)
        at = across(w, from, to - size, border, size);
    else if (below(w, 3) > 0)
        at = at - at % size < from ? at : at - at % size;
    if (below(w, 100) < mixed && size <= 8 && size != 5) {
        atomic_access(w, at - at % size, size, (int)write);
        return;
    }
    if (size == 16 && below(w, 2) == 0) {
        access_each(w, at, size, (int)write);
        return;
    }
    note(w, write ? WRITE : READ, at, size);
    access_at(w, at, size, (int)write);
}

/* Allocates, accesses or frees a block that all threads know. */
static void heap(struct worker *w, uint32_t index)
{
    struct slot slot = open_slot(index);
    if (slot.block == NULL) {
        uint32_t size = below(w, 20) == 0 ? 100000 + below(w, 100000) : BLOCK + below(w, 100);
        slot.block = below(w, 2) == 0 ? malloc(size) : calloc(1, size);
        if (slot.block == NULL)
            abort();
        slot.number = new_block(slot.block);
        note(w, WRITE, slot.number, BLOCK); /* who allocates it writes it */
    } else if (below(w, 3) == 0) {
        note(w, WRITE, slot.number, BLOCK);
        free(slot.block);
        slot.block = NULL;
    } else {
        uint32_t size = 1u << below(w, 5), at = below(w, BLOCK / size) * size, write = below(w, 100) < writes;
        note(w, write ? WRITE : READ, slot.number + at, size);
        access_there(w, slot.block + at, size, (int)write);
    }
    close_slot(slot);
}

/* --- seen: synchronization --- */

static void locked(struct worker *w, uint32_t lock, uint32_t from, uint32_t to)
{
    pthread_mutex_lock(&locks[lock]);
    note(w, LOCK, lock, 0);
    for (uint32_t n = 1 + below(w, 4); n > 0; n--)
        some_access(w, from, to);
    note(w, UNLOCK, lock, 0);
    pthread_mutex_unlock(&locks[lock]);
}

static void locked_heap(struct worker *w, uint32_t slot)
{
    uint32_t with_lock = below(w, 1000) < disciplined;
    if (with_lock) {
        pthread_mutex_lock(&locks[slot]);
        note(w, LOCK, slot, 0);
    }
    heap(w, slot);
    if (with_lock) {
        note(w, UNLOCK, slot, 0);
        pthread_mutex_unlock(&locks[slot]);
    }
}

static void read_locked(struct worker *w, uint32_t lock, uint32_t from, uint32_t to)
{
    uint32_t write = below(w, 100) < writes;
    if (write)
        pthread_rwlock_wrlock(&rwlocks[lock]);
    else
        pthread_rwlock_rdlock(&rwlocks[lock]);
    note(w, write ? LOCK : READ_LOCK, LOCKS + lock, 0);
    for (uint32_t n = 1 + below(w, 4); n > 0; n--) {
        uint32_t at = from + 4 * below(w, (to - from) / 4);
        note(w, write ? WRITE : READ, at, 4);
        access_at(w, at, 4, (int)write);
    }
    note(w, write ? UNLOCK : READ_UNLOCK, LOCKS + lock, 0);
    pthread_rwlock_unlock(&rwlocks[lock]);
}

static void annotate(struct worker *w, uint32_t object)
{
    uint32_t publish = below(w, 2);
    take_unseen(&annotating);
    note(w, publish ? PUBLISH : LEARN, object, 0);
    if (publish)
        __tsan_release(&annotated[object]);
    else
        __tsan_acquire(&annotated[object]);
    give_unseen(&annotating);
}

/* --- seen: atomic variables --- */

/* A variable's value is the name of the event that wrote it, and whether it is a lock that is held: that is
 * below. */
enum { HELD = 1 };
#define value_of(w, e, held) ((uint64_t)name_of(w, e) << 1 | (held))
#define event_of(value)      ((uint32_t)((value) >> 1))

static uint64_t load(struct worker *w, uint64_t *spin, uint32_t order)
{
    uint64_t value = __tsan_atomic64_load(spin, (int)order);
    note_atomic(w, LOAD, order, event_of(value));
    return value;
}

/* Replaces the value `seen` by one that is held or not; false if it is no longer there. */
static int replace(struct worker *w, uint64_t *spin, uint64_t seen, uint64_t held, uint32_t order)
{
    static const uint8_t failures[] = {RELAXED, CONSUME, ACQUIRE, SEQ_CST};
    uint32_t failure = failures[below(w, 4)];
    struct event *e = note_atomic(w, MODIFY, order, event_of(seen));
    uint64_t found =
        __tsan_atomic64_compare_exchange_val(spin, seen, value_of(w, e, held), (int)order, (int)failure);
    note_atomic(w, LOAD, found == seen ? order : failure, event_of(found));
    return found == seen;
}

static void some_fence(struct worker *w, uint32_t order)
{
    note_atomic(w, FENCE, order, 0);
    fence((int)order);
}

/* With fences, or with an order that is strong enough; or with one that is not. */
static uint32_t before_order(struct worker *w, uint32_t with_fence)
{
    static const uint8_t orders[] = {CONSUME, ACQUIRE, ACQ_REL, SEQ_CST};
    return with_fence || below(w, 100) < weak ? RELAXED : orders[below(w, 4)];
}

static uint32_t after_order(struct worker *w, uint32_t with_fence)
{
    return with_fence || below(w, 100) < weak ? RELAXED : below(w, 2) == 0 ? RELEASE : SEQ_CST;
}

static void unlock(struct worker *w, uint64_t *spin, uint32_t order)
{
    if (below(w, 2) == 0) {
        struct event *e = note_atomic(w, STORE, order, 0);
        __tsan_atomic64_store(spin, value_of(w, e, 0), (int)order);
        return;
    }
    struct event *e = note_atomic(w, MODIFY, order, 0);
    uint64_t found = __tsan_atomic64_exchange(spin, value_of(w, e, 0), (int)order);
    e->read = event_of(found);
    note_atomic(w, LOAD, order, e->read);
}

/* Accesses its part of the arena if nobody holds the lock. */
static void spin_locked(struct worker *w, uint32_t lock)
{
    uint64_t *spin = &spins[lock], seen = load(w, spin, RELAXED);
    uint32_t fence_before = below(w, 100) < fences, fence_after = below(w, 100) < fences;
    uint32_t from = (LOCKS + 1 + lock) * PART;
    if ((seen & HELD) || !replace(w, spin, seen, HELD, before_order(w, fence_before)))
        return;
    if (fence_before && below(w, 100) >= weak)
        some_fence(w, below(w, 2) == 0 ? ACQUIRE : ACQ_REL);
    for (uint32_t n = 1 + below(w, 4); n > 0; n--)
        some_access(w, from, from + PART);
    if (fence_after && below(w, 100) >= weak)
        some_fence(w, below(w, 2) == 0 ? RELEASE : SEQ_CST);
    unlock(w, spin, after_order(w, fence_after));
}

/* Continues the release sequence, or only looks, or both, or reads what the lock protects without holding it.
 */
static void meddle(struct worker *w, uint32_t lock)
{
    uint64_t *spin = &spins[lock], seen = load(w, spin, below(w, SEQ_CST + 1) % RELEASE);
    if (below(w, 2) == 0)
        replace(w, spin, seen, seen & HELD, below(w, SEQ_CST + 1));
    if (below(w, 100) < fences)
        some_fence(w, ACQUIRE + below(w, 4));
    if (below(w, 1000) >= disciplined)
        some_access(w, (LOCKS + 1 + lock) * PART, (LOCKS + 2 + lock) * PART);
}

/* --- what a worker does --- */

/* Each lock has its part of the arena: the mutexes, the first readers-writer lock, the spinlocks. */
static void one_step(struct worker *w)
{
    uint32_t what = below(w, 100), lock = below(w, LOCKS);
    if (what < 5)
        annotate(w, lock);
    else if (what < 15)
        locked_heap(w, lock % SLOTS);
    else if (what < 27)
        read_locked(w, 0, LOCKS * PART, (LOCKS + 1) * PART);
    else if (what < 47)
        spin_locked(w, lock % SPINS);
    else if (what < 55)
        meddle(w, lock % SPINS);
    else if (below(w, 1000) < disciplined)
        locked(w, lock, lock * PART, (lock + 1) * PART);
    else
        some_access(w, 0, BYTES);
}

static void *work_a_little(void *argument)
{
    struct worker *w = argument;
    for (uint32_t n = 1 + below(w, 5); n > 0; n--)
        one_step(w);
    return NULL;
}

/* A thread that lives for a few steps, while its creator makes a few. */
static void nest(struct worker *w)
{
    struct worker *child = nested_worker(w);
    if (child == NULL)
        return;
    note(w, FORK, child->id, 0);
    if (pthread_create(&child->handle, NULL, work_a_little, child) != 0)
        abort();
    for (uint32_t n = below(w, 3); n > 0; n--)
        one_step(w);
    pthread_join(child->handle, NULL);
    note(w, JOIN, child->id, 0);
}

static void walk(struct worker *w)
{
    for (uint32_t word = 0; word < WORDS; word++) {
        in_step(workers_a_round);
        for (uint32_t n = 1 + below(w, 3); n > 0; n--) {
            uint32_t size = 1u << below(w, 3), at = 4 * word + below(w, 4) / size * size;
            uint32_t write = below(w, 100) < writes;
            if (below(w, 100) < mixed) {
                atomic_access(w, at, size, (int)write);
                continue;
            }
            if (pages == 1 && word + 1 < WORDS && below(w, 4) == 0) {
                at = 4 * word;
                size = word % 2 == 0 && word + 3 < WORDS && below(w, 2) == 0 ? 16 : 8;
            }
            note(w, write ? WRITE : READ, at, size);
            access_at(w, at, size, (int)write);
        }
    }
}

static void sweep(struct worker *w)
{
    static void (*const sweeps[])(struct worker *, uint32_t, int, uint32_t, int) = {sweep1, sweep2, sweep4,
                                                                                    sweep8};
    uint32_t which = below(w, 4), size = 1u << which, gap = size * (1 + below(w, 2) * below(w, 3));
    uint32_t count = 1 + below(w, 40), first = below(w, 4 * WORDS / size - count * gap / size) * size;
    int write = below(w, 100) < writes;
    if (below(w, 4) == 0)
        sweeps[which](w, first + (count - 1) * gap, -(int)gap, count, write);
    else
        sweeps[which](w, first, (int)gap, count, write);
}

static void sweep_along(struct worker *w)
{
    for (int sweeps = 0; sweeps < 24; sweeps++) {
        in_step(workers_a_round);
        sweep(w);
        if (below(w, 3) == 0)
            annotate(w, 0);
        if (below(w, 3) == 0) {
            pthread_mutex_lock(&locks[0]);
            note(w, LOCK, 0, 0);
            sweep(w);
            note(w, UNLOCK, 0, 0);
            pthread_mutex_unlock(&locks[0]);
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

static void send(struct worker *w, uint32_t word)
{
    uint32_t order = after_order(w, 0);
    note(w, WRITE, 4 * word, 4);
    access_at(w, 4 * word, 4, 1);
    struct event *e = note_atomic(w, STORE, order, 0);
    __tsan_atomic64_store(&spins[0], value_of(w, e, 0), (int)order);
}

/* Loads that find the old value learn nothing that the last load has not learnt: only the new one is noted.
 */
static uint64_t receive(struct worker *w, uint32_t word, uint64_t seen)
{
    uint32_t order = before_order(w, 0), tries = 0;
    uint64_t value;
    while ((value = __tsan_atomic64_load(&spins[0], (int)order)) == seen)
        if (++tries % 256 == 0)
            unseen_yield();
    note_atomic(w, LOAD, order, event_of(value));
    note(w, READ, 4 * word, 4);
    access_at(w, 4 * word, 4, 0);
    return value;
}

static void message(struct worker *w)
{
    uint64_t seen = 0;
    for (uint32_t word = 0; word < WORDS; word++) {
        in_step(workers_a_round);
        if (w->id == 1)
            send(w, word);
        else
            seen = receive(w, word, seen);
    }
}

static void *work(void *argument)
{
    struct worker *w = argument;
    unseen_barrier((int)workers_a_round); /* all at once */
    if (colliding) {
        (messaging ? message : sweeping ? sweep_along : collide)(w);
        return NULL;
    }
    for (uint32_t step = 0; step < steps; step++) {
        if (with_barrier && step == steps / 2 && w->joined) {
            note(w, BARRIER_IN, 0, 0);
            pthread_barrier_wait(&barrier);
            note(w, BARRIER_OUT, 0, 0);
        }
        if (below(w, 50) == 0)
            nest(w);
        else
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

/* --- the end --- */

UNSEEN void wait_for_those_left_alone(void)
{
    for (uint32_t left = 1; left != 0; unseen_yield())
        __asm__ volatile("movl %1, %0" : "=r"(left) : "m"(left_alone) : "memory");
}

UNSEEN void look_up_fence(void)
{
    *(void **)&fence = dlsym(RTLD_DEFAULT, "__tsan_atomic_thread_fence");
    if (fences > 0)
        fence(RELAXED); /* orders nothing, but here are fences */
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
    workers_a_round = 2 + below(self, below(self, 4) == 0 ? MOST_WORKERS - 1 : 5);
    with_barrier = below(self, 2);
    fences = below(self, 2) == 0 ? 0 : 50;
    weak = below(self, 3) == 0 ? 3 : 0;
    mixed = fences == 0 && below(self, 3) == 0 ? 10 : 0; /* whose values do not say which write was read */
    look_up_fence();
    for (uint32_t i = 0; i < LOCKS; i++) {
        pthread_mutex_init(&locks[i], NULL);
        pthread_rwlock_init(&rwlocks[i], NULL);
    }
    if (seed % 2 == 1) {
        static const uint32_t spread[] = {1, 8, 64, WORDS};
        colliding = 1;
        messaging = seed % 4 == 3;
        sweeping = seed % 8 == 5;
        writes = below(self, 8);
        mixed = below(self, 2) == 0 ? 0 : 60;
        workers_a_round = 2 + (below(self, 4) == 0);
        pages = sweeping ? 1 : spread[below(self, 4)];
    }
    if (pages == 1 && below(self, 4) > 0) { /* what is aligned stays so where there are atomic accesses */
        uint32_t unit = mixed || sweeping ? 16 : 4, bytes = colliding ? 4 * WORDS : BYTES;
        shift = PAGE - unit * (1 + below(self, bytes / unit - 1));
    }
    for (int i = 0; i < (colliding ? 1 : ROUNDS); i++)
        round_of_workers(self);
    wait_for_those_left_alone();
    write_down(argument[2]);
    return 0;
}
