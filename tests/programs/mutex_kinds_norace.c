/* Adaptive, priority-inheriting and process-shared mutexes. */
#define _GNU_SOURCE
#include "pair.h"

enum { KINDS = 3 };

int x[KINDS];
static pthread_mutex_t m[KINDS];

static void *first(void *unused)
{
    for (int i = 0; i < 900; i++) {
        pthread_mutex_lock(&m[i % KINDS]);
        x[i % KINDS]++;
        pthread_mutex_unlock(&m[i % KINDS]);
    }
    return unused;
}

static void *second(void *unused)
{
    for (int i = 0; i < 900; i++) {
        pthread_mutex_lock(&m[i % KINDS]);
        x[i % KINDS]++;
        pthread_mutex_unlock(&m[i % KINDS]);
    }
    return unused;
}

int main(void)
{
    pthread_mutexattr_t attributes;
    pthread_mutexattr_init(&attributes);
    pthread_mutexattr_settype(&attributes, PTHREAD_MUTEX_ADAPTIVE_NP);
    pthread_mutex_init(&m[0], &attributes);
    pthread_mutexattr_init(&attributes);
    pthread_mutexattr_setprotocol(&attributes, PTHREAD_PRIO_INHERIT);
    pthread_mutex_init(&m[1], &attributes);
    pthread_mutexattr_init(&attributes);
    pthread_mutexattr_setpshared(&attributes, PTHREAD_PROCESS_SHARED);
    pthread_mutex_init(&m[2], &attributes);
    pair(first, second);
    return x[0] + x[1] + x[2] != 1800;
}
