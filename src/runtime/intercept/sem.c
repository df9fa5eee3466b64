/* Semaphores. A wait learns what every earlier post knew: posts and waits are updates of one counter, each of
 * which continues what the ones before it released.
 *
 * The post is published before it is made: a waiter that gets through learns it for certain. A waiter that
 * was let through by an earlier post may learn it too, in the moment between: that can hide a race, never
 * invent one.
 *
 * A named semaphore is one object for the whole process, however often it is opened; it is forgotten with its
 * last close. What is attached to its sync object is how often it is open.
 */
#include <fcntl.h>
#include <semaphore.h>
#include <stdarg.h>

#include "runtime/intercept/caller.h"
#include "runtime/past_sync.h"
#include "runtime/sync.h"
#include "runtime/world.h"

static void passed(struct thread *t, sem_t *semaphore, uintptr_t pc)
{
    t->inside++;
    sync_acquire(t, (uintptr_t)semaphore);
    past_sync_add(t, SYNC_SEMAPHORE, HISTORY_ACQUIRES, (uintptr_t)semaphore, pc);
    thread_outside(t);
}

#define WAITING(semaphore, call)                                                                             \
    struct thread *t = caller();                                                                             \
    if (t != NULL)                                                                                           \
        object_used(t, semaphore, false, CALLER_PC); /* before the real call: it may never return */         \
    int result = call;                                                                                       \
    if (t != NULL && result == 0)                                                                            \
        passed(t, semaphore, CALLER_PC);                                                                     \
    return result

INTERCEPT int sem_wait(sem_t *semaphore)
{
    WAITING(semaphore, REAL(sem_wait)(semaphore));
}

INTERCEPT int sem_trywait(sem_t *semaphore)
{
    WAITING(semaphore, REAL(sem_trywait)(semaphore));
}

INTERCEPT int sem_timedwait(sem_t *restrict semaphore, const struct timespec *restrict until)
{
    WAITING(semaphore, REAL(sem_timedwait)(semaphore, until));
}

INTERCEPT int sem_clockwait(sem_t *restrict semaphore, clockid_t clock, const struct timespec *restrict until)
{
    WAITING(semaphore, REAL(sem_clockwait)(semaphore, clock, until));
}

INTERCEPT int sem_post(sem_t *semaphore)
{
    struct thread *t = caller();
    if (t != NULL) {
        object_used(t, semaphore, true, CALLER_PC); /* who waits may destroy it while this still returns */
        t->inside++;
        past_sync_add(t, SYNC_SEMAPHORE, HISTORY_RELEASES, (uintptr_t)semaphore, CALLER_PC);
        sync_publish(t, (uintptr_t)semaphore);
        thread_outside(t);
    }
    return REAL(sem_post)(semaphore);
}

/* It orders nothing: the value may have been another for long. */
INTERCEPT int sem_getvalue(sem_t *restrict semaphore, int *restrict value)
{
    struct thread *t = caller();
    if (t != NULL)
        object_used(t, semaphore, false, CALLER_PC);
    int result = REAL(sem_getvalue)(semaphore, value);
    if (t != NULL && result == 0)
        object_written(t, value, sizeof *value, CALLER_PC);
    return result;
}

static void forgotten(struct thread *t, sem_t *semaphore)
{
    t->inside++;
    sync_destroy((uintptr_t)semaphore);
    thread_outside(t);
}

INTERCEPT int sem_init(sem_t *semaphore, int shared, unsigned value)
{
    struct thread *t = caller();
    int result = REAL(sem_init)(semaphore, shared, value);
    if (t != NULL && result == 0) {
        forgotten(t, semaphore);
        object_written(t, semaphore, sizeof *semaphore, CALLER_PC);
    }
    return result;
}

INTERCEPT int sem_destroy(sem_t *semaphore)
{
    struct thread *t = caller();
    if (t != NULL)
        object_written(t, semaphore, sizeof *semaphore, CALLER_PC);
    int result = REAL(sem_destroy)(semaphore);
    if (t != NULL && result == 0)
        forgotten(t, semaphore);
    return result;
}

/* --- named ones --- */

static struct spin opens_lock;

/* Adds to how often it is open; returns the sum. */
static uintptr_t count_opens(struct thread *t, sem_t *semaphore, intptr_t change)
{
    t->inside++;
    world_enter(t);
    spin_lock(&opens_lock);
    uintptr_t opens = (uintptr_t)sync_attached(t, (uintptr_t)semaphore) + (uintptr_t)change;
    sync_attach(t, (uintptr_t)semaphore, (void *)opens);
    spin_unlock(&opens_lock);
    world_leave(t);
    thread_outside(t);
    return opens;
}

INTERCEPT sem_t *sem_open(const char *name, int flags, ...)
{
    struct thread *t = caller();
    va_list arguments;
    va_start(arguments, flags);
    bool may_create = (flags & O_CREAT) != 0;
    mode_t mode = may_create ? va_arg(arguments, mode_t) : 0;
    unsigned value = may_create ? va_arg(arguments, unsigned) : 0;
    va_end(arguments);
    sem_t *semaphore = REAL(sem_open)(name, flags, mode, value);
    if (t != NULL && semaphore != SEM_FAILED)
        count_opens(t, semaphore, 1);
    return semaphore;
}

INTERCEPT int sem_close(sem_t *semaphore)
{
    struct thread *t = caller();
    if (t != NULL && count_opens(t, semaphore, -1) == 0)
        forgotten(t, semaphore);
    return REAL(sem_close)(semaphore);
}
