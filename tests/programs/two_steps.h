/* Two steps, each by a thread of its own, the first before the second as time goes. Nothing orders them but
 * time, unless ORDERED is defined: then a join does. The race-free twin of a program defines it and includes
 * the program. */
#pragma once

#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif

#include <pthread.h>

#include "unseen.h"

static void first(void);
static void second(void);

static void *first_thread(void *unused)
{
    first();
    unseen_signal(1);
    return unused;
}

int main(void)
{
    pthread_t thread;
    pthread_create(&thread, NULL, first_thread, NULL);
    unseen_wait(1);
#ifdef ORDERED
    pthread_join(thread, NULL);
#endif
    second();
#ifndef ORDERED
    pthread_join(thread, NULL);
#endif
    return 0;
}
