/* A thread makes more accesses at one place, in one epoch, than its history has entries; another races with the last. */
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "../programs/unseen.h"

enum { COUNT = 30000, STEP = 1024, SIZE = 300 };
static char *to, from[SIZE];

static void *copier(void *unused)
{
    unsigned random = 1;
    for (size_t i = 0; i < COUNT; i++) {
        random = random * 1664525 + 1013904223;
        memcpy(to + i * STEP + (i < COUNT - 1 ? (random >> 26) * 8 : 0), from, SIZE);
    }
    unseen_signal(1);
    return unused;
}

static void *writer(void *unused)
{
    unseen_wait(1);
    *(volatile char *)(to + (COUNT - 1) * STEP + 7) = 1;
    return unused;
}

int main(void)
{
    pthread_t thread[2];
    to = malloc(COUNT * STEP);
    pthread_create(&thread[0], NULL, copier, NULL);
    pthread_create(&thread[1], NULL, writer, NULL);
    pthread_join(thread[0], NULL);
    pthread_join(thread[1], NULL);
    return 0;
}
