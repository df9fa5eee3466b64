/* How a thread begins and ends under us, whichever function created it. */
#pragma once

#include "runtime/intercept/caller.h"

struct start {
    struct thread *thread;
    void *(*function)(void *); /* one of these two */
    int (*c11_function)(void *);
    void *argument;
    uint64_t signals; /* to be blocked in the new thread */
};

/* In the creator, before the real function: what the new thread is to be told. */
HIDDEN struct start *start_prepare(struct thread *creator, const struct start *what, bool detached,
                                   uintptr_t pc);
/* ... after it; `handle` 0 when it has failed. */
HIDDEN void start_created(struct thread *creator, struct start *start, struct thread *child,
                          uintptr_t handle);

/* In the new thread, before anything else. */
HIDDEN struct start start_begin(struct start *start);

/* The thread `ended`, or, if that is NULL, one that was not known before, has been joined, with this result of the real
 * function. */
HIDDEN int start_joined(struct thread *joiner, uintptr_t handle, struct thread *ended, int result,
                        uintptr_t pc);

/* Is our pthread_create the one in use? Not where the program has one, such as that of another sanitizer's runtime,
 * which calls ours as the next one. */
HIDDEN bool start_is_ours(void);

/* At the start of the runtime, in the main thread. */
HIDDEN void start_init(void);
/* A thread that we did not see created ends like the others. */
HIDDEN void start_adopted(struct thread *t);
/* In the child of a fork. */
HIDDEN void start_forked(void);
