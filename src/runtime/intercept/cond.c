/* Condition variables. They order nothing by themselves: wait is an unlock and a lock of its mutex, and
 * whatever signals holds or held that mutex. */
#include "runtime/intercept/cond.h"

void cond_used(struct thread *t, const volatile void *cond, uintptr_t pc)
{
    if (caller_module(pc) != NULL && !thread_ignores(t, ATOMIC_READ))
        access_use(t, (uintptr_t)cond, false, pc);
}

void cond_written(struct thread *t, const volatile void *cond, uintptr_t pc)
{
    (void)t;
    if (caller_module(pc) != NULL)
        access_slow((uintptr_t)cond, sizeof(pthread_cond_t), PLAIN_WRITE, pc);
}

/* Called while the thread still holds the mutex: once all waiters are woken, POSIX allows destroying the condition variable,
 * though some of them have not returned yet. */
void cond_waiting(const struct cond_wait *wait, const void *cond)
{
    cond_used(wait->thread, cond, wait->pc);
    mutex_unlocking(wait->thread, wait->mutex, wait->pc);
}

void cond_woken(void *argument)
{
    const struct cond_wait *wait = argument;
    mutex_locked(wait->thread, wait->mutex, wait->pc);
}

INTERCEPT int pthread_cond_wait(pthread_cond_t *restrict cond, pthread_mutex_t *restrict mutex)
{
    int result;
    COND_WAIT(result, cond, mutex, REAL(pthread_cond_wait)(cond, mutex));
    return result;
}

INTERCEPT int pthread_cond_timedwait(pthread_cond_t *restrict cond, pthread_mutex_t *restrict mutex,
                                     const struct timespec *restrict until)
{
    int result;
    COND_WAIT(result, cond, mutex, REAL(pthread_cond_timedwait)(cond, mutex, until));
    return result;
}

INTERCEPT int pthread_cond_clockwait(pthread_cond_t *restrict cond, pthread_mutex_t *restrict mutex,
                                     clockid_t clock, const struct timespec *restrict until)
{
    int result;
    COND_WAIT(result, cond, mutex, REAL(pthread_cond_clockwait)(cond, mutex, clock, until));
    return result;
}

INTERCEPT int pthread_cond_signal(pthread_cond_t *cond)
{
    struct thread *t = caller();
    if (t != NULL)
        cond_used(t, cond, CALLER_PC);
    return REAL(pthread_cond_signal)(cond);
}

INTERCEPT int pthread_cond_broadcast(pthread_cond_t *cond)
{
    struct thread *t = caller();
    if (t != NULL)
        cond_used(t, cond, CALLER_PC);
    return REAL(pthread_cond_broadcast)(cond);
}

INTERCEPT int pthread_cond_init(pthread_cond_t *restrict cond, const pthread_condattr_t *restrict attributes)
{
    struct thread *t = caller();
    int result = REAL(pthread_cond_init)(cond, attributes);
    if (t != NULL && result == 0)
        cond_written(t, cond, CALLER_PC);
    return result;
}

INTERCEPT int pthread_cond_destroy(pthread_cond_t *cond)
{
    struct thread *t = caller();
    if (t != NULL)
        cond_written(t, cond, CALLER_PC);
    return REAL(pthread_cond_destroy)(cond);
}
