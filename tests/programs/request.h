/* Something is asked of a thread of libc's, which calls done() in the end: after what its asker did before, not after what
 * the asker did since. The twin of a race-free program defines LATE and includes it. */
#pragma once

#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif

#include "must.h"
#include "unseen.h"

#include <semaphore.h>
#include <signal.h>
#include <string.h>

int x;
static sem_t called;

static void done(union sigval value)
{
    must(value.sival_int == 5);
    unseen_signal(1);
    unseen_wait(2);
    x = 2;
    sem_post(&called);
}

static const struct sigevent calls_done = {
    .sigev_notify = SIGEV_THREAD, .sigev_notify_function = done, .sigev_value.sival_int = 5};

static void ask(void);

static inline void request(void)
{
    sem_init(&called, 0, 0);
#ifndef LATE
    x = 1;
    ask();
#else
    ask();
    unseen_wait(1);
    x = 1;
#endif
    unseen_wait(1);
    unseen_signal(2);
    sem_wait(&called);
}
