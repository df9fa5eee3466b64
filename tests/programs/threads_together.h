/* Runs each function in a thread of its own, all at once, and waits for them: run(f, g, h). */
#pragma once

#include <pthread.h>
#include <stddef.h>

typedef void *thread_function(void *);

static inline void run_all(thread_function **function, int count)
{
    pthread_t thread[16];
    for (int i = 0; i < count; i++)
        pthread_create(&thread[i], NULL, function[i], NULL);
    for (int i = 0; i < count; i++)
        pthread_join(thread[i], NULL);
}

#define run(...)                                                                                             \
    do {                                                                                                     \
        thread_function *functions_[] = {__VA_ARGS__};                                                       \
        run_all(functions_, (int)(sizeof functions_ / sizeof *functions_));                                  \
    } while (0)

#define THREAD(name) static void *name(void *unused_argument __attribute__((unused)))
