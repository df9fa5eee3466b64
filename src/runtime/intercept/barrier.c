/* Barriers: every arrival of a round happens before every departure of that round.
 *
 * One clock a round. With a single clock for the barrier, a thread that is early for the next round would
 * leave its clock there before the last ones of this round have left, and hide its races with them.
 *
 * Which arrivals make up a round is known for certain only to the barrier itself: when more threads use it
 * than it lets through at a time, the order in which they come to us need not be the order in which they come
 * to the real function. So the barriers of one process are ours altogether, on a futex. An arrival and its
 * place in a round are then one step, under the barrier's lock. After that step a thread touches nothing but
 * its round, which lives until its last thread has left: the first to leave may destroy the barrier at once,
 * as POSIX allows.
 *
 * A barrier that is shared between processes stays the system's. Arrivals of other processes are unseen, so
 * rounds cannot be told apart: it has one clock. That may hide a race; it never invents one.
 */
#include <errno.h>
#include <limits.h>
#include <linux/futex.h>
#include <pthread.h>

#include "runtime/intercept/barrier.h"
#include "runtime/intercept/caller.h"
#include "runtime/past_sync.h"
#include "runtime/signals.h"
#include "runtime/sync.h"
#include "runtime/world.h"

struct round {
    struct round *next_free, *next;
    struct mailbox arrived;
    uint32_t count, left; /* threads of the round; how many have left, counted by themselves */
    uint32_t over;        /* futex: everybody is there */
};

struct barrier {
    struct barrier *next_free;
    struct spin lock;
    uint32_t count, arrived; /* threads a round; how many are there */
    struct round *round;     /* the current one */
};

/* --- rounds and barriers to use again --- */

static struct arena memory;
static struct spin lock;                   /* of the free lists */
static struct round *free_rounds, *rounds; /* rounds: all */
static struct barrier *free_barriers;

static struct round *make_round(void)
{
    struct round *r = arena_take(&memory, sizeof *r);
    spin_lock(&lock);
    r->next = rounds;
    rounds = r;
    spin_unlock(&lock);
    return r;
}

void barrier_each_mailbox(void (*visit)(struct mailbox *m))
{
    for (struct round *r = rounds; r != NULL; r = r->next)
        visit(&r->arrived);
}

static struct round *take_round(uint32_t count)
{
    spin_lock(&lock);
    struct round *r = free_rounds;
    if (r != NULL)
        free_rounds = r->next_free;
    spin_unlock(&lock);
    if (r == NULL)
        r = make_round();
    sync_forget(&r->arrived);
    r->count = count;
    r->left = 0;
    r->over = 0;
    return r;
}

/* The last one to leave gives the round back. */
static void leave_round(struct round *r)
{
    if (add_acq_rel(&r->left, 1) + 1 < r->count)
        return;
    spin_lock(&lock);
    r->next_free = free_rounds;
    free_rounds = r;
    spin_unlock(&lock);
}

static struct barrier *take_barrier(uint32_t count)
{
    spin_lock(&lock);
    struct barrier *b = free_barriers;
    if (b != NULL)
        free_barriers = b->next_free;
    spin_unlock(&lock);
    if (b == NULL)
        b = arena_take(&memory, sizeof *b);
    b->count = count;
    b->arrived = 0;
    b->round = NULL;
    return b;
}

static void give_barrier(struct barrier *b)
{
    if (b == NULL)
        return;
    spin_lock(&lock);
    b->next_free = free_barriers;
    free_barriers = b;
    spin_unlock(&lock);
}

void barrier_lost(void *attached)
{
    give_barrier(attached);
}

/* --- waiting --- */

/* Puts the thread into the current round; true for the last one, with which the round is complete. */
static bool arrive(struct thread *t, struct barrier *b, struct round **round)
{
    spin_lock(&b->lock);
    if (b->round == NULL)
        b->round = take_round(b->count);
    struct round *r = *round = b->round;
    sync_publish_into(t, &r->arrived);
    bool last = ++b->arrived == b->count;
    if (last) {
        b->arrived = 0;
        b->round = NULL;
    }
    spin_unlock(&b->lock);
    return last;
}

static int wait_for_round(struct thread *t, struct barrier *b, uintptr_t object, uintptr_t pc)
{
    struct round *r;
    t->inside++;
    world_enter(t);
    past_sync_add(t, SYNC_BARRIER, HISTORY_RELEASES, object, pc);
    bool last = arrive(t, b, &r);
    world_leave(t);
    thread_outside(t);
    if (last) {
        store_release(&r->over, 1);
        sys_call3(SYS_futex, (long)&r->over, FUTEX_WAKE_PRIVATE, INT_MAX);
    } else {
        signals_open(t);
        while (!load_acquire(&r->over))
            sys_call6(SYS_futex, (long)&r->over, FUTEX_WAIT_PRIVATE, 0, 0, 0, 0);
        signals_close(t);
    }
    t->inside++;
    world_enter(t);
    sync_acquire_from(t, &r->arrived);
    past_sync_add(t, SYNC_BARRIER, HISTORY_ACQUIRES, object, pc);
    leave_round(r);
    world_leave(t);
    thread_outside(t);
    return last ? PTHREAD_BARRIER_SERIAL_THREAD : 0;
}

static int wait_shared(struct thread *t, pthread_barrier_t *barrier, uintptr_t pc)
{
    t->inside++;
    past_sync_add(t, SYNC_BARRIER, HISTORY_RELEASES, (uintptr_t)barrier, pc);
    sync_publish(t, (uintptr_t)barrier);
    thread_outside(t);
    int result = REAL(pthread_barrier_wait)(barrier);
    t->inside++;
    sync_acquire(t, (uintptr_t)barrier);
    past_sync_add(t, SYNC_BARRIER, HISTORY_ACQUIRES, (uintptr_t)barrier, pc);
    thread_outside(t);
    return result;
}

INTERCEPT int pthread_barrier_wait(pthread_barrier_t *barrier)
{
    struct thread *t = caller();
    if (t == NULL)
        return REAL(pthread_barrier_wait)(barrier);
    object_used(t, barrier, true, CALLER_PC); /* before all who leave, of whom one may destroy it */
    struct barrier *b = sync_attached(t, (uintptr_t)barrier);
    return b != NULL ? wait_for_round(t, b, (uintptr_t)barrier, CALLER_PC)
                     : wait_shared(t, barrier, CALLER_PC);
}

/* --- making and destroying --- */

static bool is_shared(const pthread_barrierattr_t *attributes)
{
    int shared = PTHREAD_PROCESS_PRIVATE;
    if (attributes != NULL)
        pthread_barrierattr_getpshared(attributes, &shared);
    return shared == PTHREAD_PROCESS_SHARED;
}

INTERCEPT int pthread_barrier_init(pthread_barrier_t *restrict barrier,
                                   const pthread_barrierattr_t *restrict attributes, unsigned count)
{
    struct thread *t = caller();
    int result = REAL(pthread_barrier_init)(barrier, attributes, count);
    if (t == NULL || result != 0)
        return result;
    bool shared = is_shared(attributes);
    t->inside++;
    world_enter(t);
    sync_destroy((uintptr_t)barrier);
    give_barrier(sync_attach(t, (uintptr_t)barrier, shared ? NULL : take_barrier(count)));
    world_leave(t);
    thread_outside(t);
    object_written(t, barrier, sizeof *barrier, CALLER_PC);
    return 0;
}

INTERCEPT int pthread_barrier_destroy(pthread_barrier_t *barrier)
{
    struct thread *t = caller();
    if (t != NULL) {
        object_written(t, barrier, sizeof *barrier, CALLER_PC);
        t->inside++;
        world_enter(t);
        give_barrier(sync_attach(t, (uintptr_t)barrier, NULL));
        sync_destroy((uintptr_t)barrier);
        world_leave(t);
        thread_outside(t);
    }
    return REAL(pthread_barrier_destroy)(barrier);
}
