/* A read that races with a later write, and between them 64 reads by other threads that are ordered before
 * it. */
#include <pthread.h>

#include "unseen.h"

enum { READERS = 64 };

int shared;
static int seen[READERS + 1];

static void *read_unordered(void *argument)
{
    seen[READERS] = shared;
    unseen_signal(1);
    return argument;
}

static void *read_ordered(void *argument)
{
    *(int *)argument = shared;
    return argument;
}

int main(void)
{
    pthread_t first, reader;
    pthread_create(&first, NULL, read_unordered, NULL);
    unseen_wait(1);
    for (int i = 0; i < READERS; i++) {
        pthread_create(&reader, NULL, read_ordered, &seen[i]);
        pthread_join(reader, NULL);
    }
    shared = 1;
    pthread_join(first, NULL);
    return 0;
}
