/* Read-write locks. Unlock is one function for readers and writers; how the thread holds the lock says which
 * it is. */
#include <pthread.h>

#include "runtime/intercept/lock.h"

#define LOCKING(mode, lock, call)                                                                            \
    struct thread *t = caller();                                                                             \
    if (t != NULL)                                                                                           \
        object_shared(t, lock, CALLER_PC); /* before the real call: it may never return */                   \
    int result = call;                                                                                       \
    if (t != NULL && result == 0)                                                                            \
        lock_taken(t, lock, mode, CALLER_PC);                                                                \
    else if (t != NULL)                                                                                      \
        object_used(t, lock, false, CALLER_PC);                                                              \
    return result

INTERCEPT int pthread_rwlock_rdlock(pthread_rwlock_t *lock)
{
    LOCKING(HELD_READING, lock, REAL(pthread_rwlock_rdlock)(lock));
}

INTERCEPT int pthread_rwlock_tryrdlock(pthread_rwlock_t *lock)
{
    LOCKING(HELD_READING, lock, REAL(pthread_rwlock_tryrdlock)(lock));
}

INTERCEPT int pthread_rwlock_timedrdlock(pthread_rwlock_t *restrict lock,
                                         const struct timespec *restrict until)
{
    LOCKING(HELD_READING, lock, REAL(pthread_rwlock_timedrdlock)(lock, until));
}

INTERCEPT int pthread_rwlock_clockrdlock(pthread_rwlock_t *restrict lock, clockid_t clock,
                                         const struct timespec *restrict until)
{
    LOCKING(HELD_READING, lock, REAL(pthread_rwlock_clockrdlock)(lock, clock, until));
}

INTERCEPT int pthread_rwlock_wrlock(pthread_rwlock_t *lock)
{
    LOCKING(HELD_WRITING, lock, REAL(pthread_rwlock_wrlock)(lock));
}

INTERCEPT int pthread_rwlock_trywrlock(pthread_rwlock_t *lock)
{
    LOCKING(HELD_WRITING, lock, REAL(pthread_rwlock_trywrlock)(lock));
}

INTERCEPT int pthread_rwlock_timedwrlock(pthread_rwlock_t *restrict lock,
                                         const struct timespec *restrict until)
{
    LOCKING(HELD_WRITING, lock, REAL(pthread_rwlock_timedwrlock)(lock, until));
}

INTERCEPT int pthread_rwlock_clockwrlock(pthread_rwlock_t *restrict lock, clockid_t clock,
                                         const struct timespec *restrict until)
{
    LOCKING(HELD_WRITING, lock, REAL(pthread_rwlock_clockwrlock)(lock, clock, until));
}

INTERCEPT int pthread_rwlock_unlock(pthread_rwlock_t *lock)
{
    struct thread *t = caller();
    if (t != NULL)
        lock_giving_up(t, lock, CALLER_PC);
    return REAL(pthread_rwlock_unlock)(lock);
}

INTERCEPT int pthread_rwlock_init(pthread_rwlock_t *restrict lock,
                                  const pthread_rwlockattr_t *restrict attributes)
{
    struct thread *t = caller();
    int result = REAL(pthread_rwlock_init)(lock, attributes);
    if (t != NULL && result == 0)
        lock_made(t, lock, sizeof *lock, CALLER_PC);
    return result;
}

INTERCEPT int pthread_rwlock_destroy(pthread_rwlock_t *lock)
{
    struct thread *t = caller();
    if (t != NULL)
        lock_destroying(t, lock, sizeof *lock, CALLER_PC);
    int result = REAL(pthread_rwlock_destroy)(lock);
    if (t != NULL && result == 0)
        lock_destroyed(t, lock);
    return result;
}
