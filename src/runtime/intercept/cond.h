/* Waiting for a condition variable, for pthread and C11 functions alike. */
#pragma once

#include <errno.h>

#include "runtime/intercept/mutex.h"

struct cond_wait {
    struct thread *thread;
    pthread_mutex_t *mutex;
    uintptr_t pc;
};

/* The mutex as the detector sees it: given up, then taken again, also when the wait ends in cancellation
 * (then cond_woken runs as the innermost cleanup handler, with the mutex locked). */
HIDDEN void cond_waiting(const struct cond_wait *wait, const void *cond);
HIDDEN void cond_woken(void *wait);

/* Signalled; made or destroyed. The C++ library's calls are the program's, too. */
HIDDEN void cond_used(struct thread *t, const volatile void *cond, uintptr_t pc);
HIDDEN void cond_written(struct thread *t, const volatile void *cond, uintptr_t pc);

/* int result = call, a call that waits for `cond` and meanwhile gives up `mutex`. */
#define COND_WAIT(result, cond, lock, call)                                                                  \
    do {                                                                                                     \
        struct cond_wait wait_ = {caller(), lock, CALLER_PC};                                                \
        if (wait_.thread == NULL) {                                                                          \
            result = call;                                                                                   \
            break;                                                                                           \
        }                                                                                                    \
        cond_waiting(&wait_, cond);                                                                          \
        pthread_cleanup_push(cond_woken, &wait_);                                                            \
        result = call;                                                                                       \
        pthread_cleanup_pop(0);                                                                              \
        if (result != EPERM && result != ENOTRECOVERABLE) /* those two: the thread does not hold it */       \
            cond_woken(&wait_);                                                                              \
    } while (0)
