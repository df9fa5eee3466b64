/* What most of these programs need: threads, the order that the detector cannot see, and two threads at a time. */
#pragma once

#include <pthread.h>
#include <stddef.h>

#include "unseen.h"

/* Runs both at once and waits for them. */
static inline void pair(void *(*a)(void *), void *(*b)(void *))
{
    pthread_t first, second;
    pthread_create(&first, NULL, a, NULL);
    pthread_create(&second, NULL, b, NULL);
    pthread_join(first, NULL);
    pthread_join(second, NULL);
}
