/* Mutexes of all types.
 *
 * A recursive mutex synchronizes when it is first locked and last unlocked; glibc counts in the mutex. An
 * unlock that will fail, because glibc knows the owner to be another thread, releases nothing. Nor do the
 * allocator's own mutexes (intercept/memory.h).
 */
#include "runtime/intercept/mutex.h"

#include <errno.h>

#include "runtime/intercept/memory.h"
#include "runtime/sync.h"

/* Of mutex->__data.__kind; glibc's nptl/pthreadP.h. Static initializers have fixed them for good. */
enum {
    TYPE = 3,
    ROBUST = 16,
    PRIORITY_INHERITING = 32,
    PRIORITY_PROTECTED = 64,
    OWNER_OF_FUTEX = 0x3fffffff
};

/* Locked by this thread more than once? */
static bool inner(const pthread_mutex_t *mutex)
{
    return (mutex->__data.__kind & TYPE) == PTHREAD_MUTEX_RECURSIVE && mutex->__data.__count > 1;
}

/* Does the real unlock look at the owner, and find another thread? */
static bool unlock_fails(const struct thread *t, const pthread_mutex_t *mutex)
{
    int kind = mutex->__data.__kind, type = kind & TYPE, owner;
    if (kind & (ROBUST | PRIORITY_INHERITING))
        owner = load_relaxed(&mutex->__data.__lock) & OWNER_OF_FUTEX;
    else if (type == PTHREAD_MUTEX_RECURSIVE || type == PTHREAD_MUTEX_ERRORCHECK)
        owner = load_relaxed(&mutex->__data.__owner);
    else
        return false;
    return unlikely(owner != t->kernel_id) && owner != (int)sys_call3(SYS_gettid, 0, 0, 0); /* after fork */
}

void mutex_locked(struct thread *t, pthread_mutex_t *mutex, uintptr_t pc)
{
    if (!inner(mutex) && !memory_is_allocator(pc))
        lock_taken(t, mutex, mutex->__data.__kind & ROBUST ? HELD_ROBUST : HELD_WRITING, pc);
}

void mutex_unlocking(struct thread *t, pthread_mutex_t *mutex, uintptr_t pc)
{
    if (!inner(mutex) && !memory_is_allocator(pc) && !unlock_fails(t, mutex))
        lock_giving_up(t, mutex, pc);
}

void mutex_left_behind(struct thread *t)
{
    for (uint32_t i = 0; i < t->held_count; i++)
        if (held_mode(t->held[i]) == HELD_ROBUST)
            sync_publish(t, held_lock(t->held[i]));
}

/* --- the functions --- */

static bool succeeded(int result)
{
    return result == 0 || result == EOWNERDEAD;
}

#define LOCKING(mutex, call)                                                                                 \
    struct thread *t = caller();                                                                             \
    if (t != NULL)                                                                                           \
        object_shared(t, mutex, CALLER_PC); /* before the real call: it may never return */                  \
    int result = call;                                                                                       \
    if (t != NULL && succeeded(result))                                                                      \
        mutex_locked(t, mutex, CALLER_PC);                                                                   \
    else if (t != NULL)                                                                                      \
        object_used(t, mutex, false, CALLER_PC);                                                             \
    return result

/* Is to lock it to try until it is free? (To try a robust one that is lost leaves it locked, glibc 2.36.) */
static bool is_simple(const pthread_mutex_t *mutex)
{
    int kind = mutex->__data.__kind;
    return (kind & TYPE) != PTHREAD_MUTEX_RECURSIVE &&
           !(kind & (ROBUST | PRIORITY_INHERITING | PRIORITY_PROTECTED));
}

/* Under a detector locks are held for longer than in a plain program, and whoever comes to one would sleep more
 * often: two calls of the kernel, one of them while the lock is held. Within the time of a few accesses it is
 * mostly free. Now and then it sleeps all the same: with more threads than processors, one that does not want the
 * lock gets its turn. */
static bool locked_soon(struct thread *t, pthread_mutex_t *mutex)
{
    enum { TRIES = 30, TIMES_TO_SLEEP = 16 };
    if (t != NULL && ++t->waited % TIMES_TO_SLEEP == 0)
        return false;
    for (unsigned tries = 0; tries < TRIES; tries++) {
        if (load_relaxed(&mutex->__data.__lock) == 0 && REAL(pthread_mutex_trylock)(mutex) == 0)
            return true;
        __builtin_ia32_pause();
    }
    return false;
}

static int lock(struct thread *t, pthread_mutex_t *mutex, uintptr_t pc)
{
    bool simple = likely(is_simple(mutex));
    if (simple && lock_taken_compares && likely(REAL(pthread_mutex_trylock)(mutex) == 0))
        return 0;
    if (t != NULL)
        object_shared(t, mutex, pc); /* before the real call: it may never return */
    return simple && locked_soon(t, mutex) ? 0 : REAL(pthread_mutex_lock)(mutex);
}

INTERCEPT int pthread_mutex_lock(pthread_mutex_t *mutex)
{
    struct thread *t = caller();
    int result = lock(t, mutex, CALLER_PC);
    if (t != NULL && succeeded(result))
        mutex_locked(t, mutex, CALLER_PC);
    return result;
}

INTERCEPT int pthread_mutex_trylock(pthread_mutex_t *mutex)
{
    LOCKING(mutex, REAL(pthread_mutex_trylock)(mutex));
}

INTERCEPT int pthread_mutex_timedlock(pthread_mutex_t *restrict mutex, const struct timespec *restrict until)
{
    LOCKING(mutex, REAL(pthread_mutex_timedlock)(mutex, until));
}

INTERCEPT int pthread_mutex_clocklock(pthread_mutex_t *restrict mutex, clockid_t clock,
                                      const struct timespec *restrict until)
{
    LOCKING(mutex, REAL(pthread_mutex_clocklock)(mutex, clock, until));
}

INTERCEPT int pthread_mutex_unlock(pthread_mutex_t *mutex)
{
    struct thread *t = caller();
    if (t != NULL)
        mutex_unlocking(t, mutex, CALLER_PC);
    return REAL(pthread_mutex_unlock)(mutex);
}

INTERCEPT int pthread_mutex_init(pthread_mutex_t *mutex, const pthread_mutexattr_t *attributes)
{
    struct thread *t = caller();
    int result = REAL(pthread_mutex_init)(mutex, attributes);
    if (t != NULL && result == 0)
        lock_made(t, mutex, sizeof *mutex, CALLER_PC);
    return result;
}

INTERCEPT int pthread_mutex_destroy(pthread_mutex_t *mutex)
{
    struct thread *t = caller();
    if (t != NULL)
        lock_destroying(t, mutex, sizeof *mutex, CALLER_PC);
    int result = REAL(pthread_mutex_destroy)(mutex);
    if (t != NULL && result == 0)
        lock_destroyed(t, mutex);
    return result;
}
