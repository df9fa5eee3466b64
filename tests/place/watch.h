/* One more thread, which looks at what each step did: finer than whether it raced with another step.
 *
 * The watcher knows all steps before the last one: each ends with a release that nobody else acquires. So if
 * it now touches all memory, it races with just what the last step accessed; having taken all locks first,
 * with what the step accessed after it had released them. It does so in a child process each time, and the
 * program goes on as if nothing had been touched.
 *
 *   W3 a0+4..8     step 3 accessed the bytes 4 to 7 of a0
 *   R3 a0+4..8     ... wrote them
 *   L3 a0+4..8     ... accessed them after its last release
 *
 * Or it intrudes: before each step it touches all memory with all locks held. What the step then accesses
 * before it has acquired anything races.
 *
 *   I3 a0+4..8     step 3 accessed them before its first acquire
 *
 * A check that was moved over a step's end, an acquire or a release in the wrong direction, one for bytes
 * that were not accessed, and a check that is missing although another step's covers the same bytes, are all
 * seen.
 */
#pragma once

#include <sys/syscall.h>

#include "regions.h"

void __tsan_acquire(void *address), __tsan_release(void *address);

static struct {
    pthread_mutex_t *mutex;
    int mutexes;
    pthread_rwlock_t *rwlock;
    int *atomic;
    int atomics;
} locks;

enum watching { NOT_WATCHING, WATCHING, INTRUDING };
static enum watching watching;
static char watcher_clock, swept; /* only their addresses matter */

UNSEEN long system_call(long number, long a, long b)
{
    long result;
    register long none __asm__("r10") = 0;
    __asm__ volatile("syscall"
                     : "=a"(result)
                     : "a"(number), "D"(a), "S"(b), "d"(0L), "r"(none)
                     : "rcx", "r11", "memory");
    return result;
}

/* --- turns --- */

UNSEEN void step_begins(int step)
{
    unseen_wait(2 * step);
}

UNSEEN void step_ends(int step)
{
    if (watching != NOT_WATCHING)
        __tsan_release(&watcher_clock);
    unseen_signal(watching == NOT_WATCHING ? 2 * step + 2 : 2 * step + 1);
}

/* A thread is on its way for a while, in the middle of what is not a step. Whoever creates one waits for it.
 */
static int threads_arrived;

UNSEEN void thread_arrives(void)
{
    __asm__ volatile("lock incl %0" : "+m"(threads_arrived) : : "memory");
}

UNSEEN void await_threads(int count)
{
    for (int arrived = 0; arrived < count; unseen_yield())
        __asm__ volatile("movl %1, %0" : "=r"(arrived) : "m"(threads_arrived) : "memory");
}

/* --- looking --- */

UNSEEN void sweep(int write)
{
    for (int i = 0; i < region_count; i++)
        if (write)
            __tsan_write_range((void *)regions[i].first, regions[i].size);
        else
            __tsan_read_range((void *)regions[i].first, regions[i].size);
    __tsan_release(&swept);
}

/* The detector sees this. */
static __attribute__((noinline)) void take_locks(int taken[])
{
    for (int i = 0; i < locks.mutexes; i++)
        taken[i] = pthread_mutex_trylock(&locks.mutex[i]) == 0; /* one may be held from step to step */
    pthread_rwlock_wrlock(locks.rwlock);
    for (int i = 0; i < locks.atomics; i++)
        __atomic_fetch_add(&locks.atomic[i], 1, __ATOMIC_ACQ_REL);
}

static __attribute__((noinline)) void give_locks(const int taken[])
{
    for (int i = 0; i < locks.atomics; i++)
        __atomic_fetch_add(&locks.atomic[i], 1, __ATOMIC_ACQ_REL);
    pthread_rwlock_unlock(locks.rwlock);
    for (int i = 0; i < locks.mutexes; i++)
        if (taken[i])
            pthread_mutex_unlock(&locks.mutex[i]);
}

UNSEEN void look(int step, int with_locks)
{
    int taken[8];
    long child = system_call(SYS_fork, 0, 0);
    if (child > 0) {
        system_call(SYS_wait4, child, 0);
        return;
    }
    collecting = 1;
    forget_told();
    if (with_locks) {
        take_locks(taken);
        forget_told();
        sweep(1);
        say_told('L', step);
    } else {
        sweep(0);
        say_told('R', step);
        sweep(1);
        say_told('W', step);
    }
    system_call(SYS_exit_group, 0, 0);
}

UNSEEN void intrude(void)
{
    int taken[8];
    collecting = 1;
    take_locks(taken);
    sweep(1);
    give_locks(taken);
    forget_told();
}

UNSEEN void *watch(void *unused)
{
    if (watching == INTRUDING)
        intrude();
    unseen_signal(0);
    for (int step = 0;; step++) {
        unseen_wait(2 * step + 1);
        if (watching == WATCHING) {
            look(step, 0);
            look(step, 1);
        }
        __tsan_acquire(&watcher_clock);
        if (watching == INTRUDING) {
            say_told('I', step);
            intrude();
        }
        unseen_signal(2 * step + 2);
    }
    return unused;
}

/* The only thread there is calls this, after the first values were written. */
UNSEEN void watch_begins(pthread_mutex_t *mutex, int mutexes, pthread_rwlock_t *rwlock, int *atomic,
                         int atomics)
{
    pthread_t watcher;
    locks.mutex = mutex;
    locks.mutexes = mutexes;
    locks.rwlock = rwlock;
    locks.atomic = atomic;
    locks.atomics = atomics;
    if (watching == NOT_WATCHING)
        return;
    unseen_signal(-1);
    pthread_create(&watcher, NULL, watch, NULL);
}
