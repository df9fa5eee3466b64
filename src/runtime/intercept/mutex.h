/* What happens to a mutex, for whoever locks one: pthread mutexes, condition variables, C11. */
#pragma once

#include <pthread.h>

#include "runtime/intercept/lock.h"

/* After the real lock has been taken. */
HIDDEN void mutex_locked(struct thread *t, pthread_mutex_t *mutex, uintptr_t pc);
/* Before the real lock is given up. */
HIDDEN void mutex_unlocking(struct thread *t, pthread_mutex_t *mutex, uintptr_t pc);

/* The thread ends: robust mutexes that it still holds go to whoever comes next. */
HIDDEN void mutex_left_behind(struct thread *t);
