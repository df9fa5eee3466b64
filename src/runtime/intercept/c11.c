/* C11 threads. glibc's versions reach past our pthread functions to its internal ones, so they have their
 * own. An mtx_t is a pthread_mutex_t, a cnd_t a pthread_cond_t in all but name.
 *
 * thrd_exit and the destructors of tss_create need nothing here: such threads end as all do (thread.c).
 */
#include <threads.h>

#include "runtime/intercept/cond.h"
#include "runtime/intercept/mutex.h"
#include "runtime/intercept/start.h"

_Static_assert(sizeof(mtx_t) == sizeof(pthread_mutex_t) && sizeof(cnd_t) == sizeof(pthread_cond_t),
               "glibc's C11 types are its pthread types");

/* --- threads --- */

static int run(void *argument)
{
    struct start start = start_begin(argument);
    return start.c11_function(start.argument);
}

INTERCEPT int thrd_create(thrd_t *handle, thrd_start_t function, void *argument)
{
    runtime_wake();
    struct thread *self = caller();
    if (self == NULL)
        return REAL(thrd_create)(handle, function, argument);
    object_written(self, handle, sizeof *handle, CALLER_PC);
    struct start *start = start_prepare(self, &(struct start){.c11_function = function, .argument = argument},
                                        false, CALLER_PC);
    struct thread *child = start->thread;
    int result = REAL(thrd_create)(handle, run, start);
    start_created(self, start, child, result == thrd_success ? (uintptr_t)*handle : 0);
    return result;
}

INTERCEPT int thrd_join(thrd_t handle, int *value)
{
    struct thread *self = caller();
    if (self == NULL)
        return REAL(thrd_join)(handle, value);
    struct thread *ended = thread_by_handle((uintptr_t)handle);
    int result = start_joined(self, (uintptr_t)handle, ended, REAL(thrd_join)(handle, value), CALLER_PC);
    if (result == thrd_success && value != NULL)
        object_written(self, value, sizeof *value, CALLER_PC);
    return result;
}

INTERCEPT int thrd_detach(thrd_t handle)
{
    struct thread *t = caller() != NULL ? thread_by_handle((uintptr_t)handle) : NULL;
    if (t != NULL)
        thread_detach(t);
    return REAL(thrd_detach)(handle);
}

/* --- mutexes --- */

#define LOCKING(mutex, call)                                                                                 \
    struct thread *t = caller();                                                                             \
    if (t != NULL)                                                                                           \
        object_shared(t, mutex, CALLER_PC); /* before the real call: it may never return */                  \
    int result = call;                                                                                       \
    if (t != NULL && result == thrd_success)                                                                 \
        mutex_locked(t, (pthread_mutex_t *)mutex, CALLER_PC);                                                \
    else if (t != NULL)                                                                                      \
        object_used(t, mutex, false, CALLER_PC);                                                             \
    return result

INTERCEPT int mtx_lock(mtx_t *mutex)
{
    LOCKING(mutex, REAL(mtx_lock)(mutex));
}

INTERCEPT int mtx_trylock(mtx_t *mutex)
{
    LOCKING(mutex, REAL(mtx_trylock)(mutex));
}

INTERCEPT int mtx_timedlock(mtx_t *restrict mutex, const struct timespec *restrict until)
{
    LOCKING(mutex, REAL(mtx_timedlock)(mutex, until));
}

INTERCEPT int mtx_unlock(mtx_t *mutex)
{
    struct thread *t = caller();
    if (t != NULL)
        mutex_unlocking(t, (pthread_mutex_t *)mutex, CALLER_PC);
    return REAL(mtx_unlock)(mutex);
}

INTERCEPT int mtx_init(mtx_t *mutex, int type)
{
    struct thread *t = caller();
    int result = REAL(mtx_init)(mutex, type);
    if (t != NULL && result == thrd_success)
        lock_made(t, mutex, sizeof *mutex, CALLER_PC);
    return result;
}

INTERCEPT void mtx_destroy(mtx_t *mutex)
{
    struct thread *t = caller();
    if (t != NULL) {
        lock_destroying(t, mutex, sizeof *mutex, CALLER_PC);
        lock_destroyed(t, mutex);
    }
    REAL(mtx_destroy)(mutex);
}

/* --- condition variables --- */

INTERCEPT int cnd_wait(cnd_t *cond, mtx_t *mutex)
{
    int result;
    COND_WAIT(result, cond, (pthread_mutex_t *)mutex, REAL(cnd_wait)(cond, mutex));
    return result;
}

INTERCEPT int cnd_timedwait(cnd_t *restrict cond, mtx_t *restrict mutex,
                            const struct timespec *restrict until)
{
    int result;
    COND_WAIT(result, cond, (pthread_mutex_t *)mutex, REAL(cnd_timedwait)(cond, mutex, until));
    return result;
}

INTERCEPT int cnd_signal(cnd_t *cond)
{
    struct thread *t = caller();
    if (t != NULL)
        cond_used(t, cond, CALLER_PC);
    return REAL(cnd_signal)(cond);
}

INTERCEPT int cnd_broadcast(cnd_t *cond)
{
    struct thread *t = caller();
    if (t != NULL)
        cond_used(t, cond, CALLER_PC);
    return REAL(cnd_broadcast)(cond);
}

INTERCEPT int cnd_init(cnd_t *cond)
{
    struct thread *t = caller();
    int result = REAL(cnd_init)(cond);
    if (t != NULL && result == thrd_success)
        cond_written(t, cond, CALLER_PC);
    return result;
}

INTERCEPT void cnd_destroy(cnd_t *cond)
{
    struct thread *t = caller();
    if (t != NULL)
        cond_written(t, cond, CALLER_PC);
    REAL(cnd_destroy)(cond);
}
