/* Spin locks: as mutexes, without types. */
#include <pthread.h>

#include "runtime/intercept/lock.h"

#define LOCKING(lock, call)                                                                                  \
    struct thread *t = caller();                                                                             \
    if (t != NULL)                                                                                           \
        object_shared(t, lock, CALLER_PC); /* before the real call: it may never return */                   \
    int result = call;                                                                                       \
    if (t != NULL && result == 0)                                                                            \
        lock_taken(t, lock, HELD_WRITING, CALLER_PC);                                                        \
    else if (t != NULL)                                                                                      \
        object_used(t, lock, false, CALLER_PC);                                                              \
    return result

INTERCEPT int pthread_spin_lock(pthread_spinlock_t *lock)
{
    LOCKING(lock, REAL(pthread_spin_lock)(lock));
}

INTERCEPT int pthread_spin_trylock(pthread_spinlock_t *lock)
{
    LOCKING(lock, REAL(pthread_spin_trylock)(lock));
}

INTERCEPT int pthread_spin_unlock(pthread_spinlock_t *lock)
{
    struct thread *t = caller();
    if (t != NULL)
        lock_giving_up(t, lock, CALLER_PC);
    return REAL(pthread_spin_unlock)(lock);
}

INTERCEPT int pthread_spin_init(pthread_spinlock_t *lock, int shared)
{
    struct thread *t = caller();
    int result = REAL(pthread_spin_init)(lock, shared);
    if (t != NULL && result == 0)
        lock_made(t, lock, sizeof *lock, CALLER_PC);
    return result;
}

INTERCEPT int pthread_spin_destroy(pthread_spinlock_t *lock)
{
    struct thread *t = caller();
    if (t != NULL)
        lock_destroying(t, lock, sizeof *lock, CALLER_PC);
    int result = REAL(pthread_spin_destroy)(lock);
    if (t != NULL && result == 0)
        lock_destroyed(t, lock);
    return result;
}
