/* A function is asked for, and called in a thread of libc's much later. Meanwhile its asker writes to `x`, and so many threads that
 * know of it run at once that the detector has to make room for them: what all of those know may be forgotten, but not what
 * the function, which is still to come, does not know. */
#pragma once

#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif

#include "must.h"
#include "unseen.h"

#include <pthread.h>
#include <signal.h>
#include <unistd.h>

enum { CROWD = 1100 };
int x;

static __attribute__((noinline)) void called(union sigval value)
{
    must(value.sival_int == 5);
    x = 2;
    unseen_signal(1);
}

static const struct sigevent calls = {
    .sigev_notify = SIGEV_THREAD, .sigev_notify_function = called, .sigev_value.sival_int = 5};

static void ask(void);
static void come(void); /* unseen by the detector: the function is called */

static void *be_there(void *argument)
{
    static int together;
    (void)argument;
    __asm__ volatile("lock incl %0" : "+m"(together) : : "memory");
    for (int there = 0; there < CROWD; unseen_yield())
        __asm__ volatile("movl %1, %0" : "=r"(there) : "m"(together) : "memory");
    return NULL;
}

int main(void)
{
    static pthread_t thread[CROWD];
    pthread_attr_t small;
    pthread_attr_init(&small);
    pthread_attr_setstacksize(&small, 1 << 16);
    ask();
    x = 1;
    for (int i = 0; i < CROWD; i++)
        must(pthread_create(&thread[i], &small, be_there, NULL) == 0);
    for (int i = 0; i < CROWD; i++)
        pthread_join(thread[i], NULL);
    come();
    unseen_wait(1);
    return 0;
}
