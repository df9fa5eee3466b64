/* Condition variables. They order nothing by themselves: wait is an unlock and a lock of its mutex, and
 * whatever signals holds or held that mutex. */
#include "runtime/intercept/cond.h"

void cond_waiting(const struct cond_wait *wait, const void *cond)
{
    object_shared(wait->thread, cond, wait->pc);
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
        object_shared(t, cond, CALLER_PC);
    return REAL(pthread_cond_signal)(cond);
}

INTERCEPT int pthread_cond_broadcast(pthread_cond_t *cond)
{
    struct thread *t = caller();
    if (t != NULL)
        object_shared(t, cond, CALLER_PC);
    return REAL(pthread_cond_broadcast)(cond);
}

INTERCEPT int pthread_cond_init(pthread_cond_t *restrict cond, const pthread_condattr_t *restrict attributes)
{
    struct thread *t = caller();
    int result = REAL(pthread_cond_init)(cond, attributes);
    if (t != NULL && result == 0)
        object_written(t, cond, sizeof *cond, CALLER_PC);
    return result;
}

INTERCEPT int pthread_cond_destroy(pthread_cond_t *cond)
{
    struct thread *t = caller();
    if (t != NULL)
        object_written(t, cond, sizeof *cond, CALLER_PC);
    return REAL(pthread_cond_destroy)(cond);
}
