/* A write, 12 million accesses of the same thread to other memory, and then the access that it races with. */
#include <pthread.h>

#include "unseen.h"

enum { ACCESSES = 12 * 1000 * 1000, WORDS = 4096 };

int shared;
volatile int other[WORDS];

static void *write_long_ago(void *argument)
{
    shared = 1;
    for (int i = 0; i < ACCESSES / 2; i++)
        other[i * 61 % WORDS]++;
    unseen_signal(1);
    return argument;
}

int main(void)
{
    pthread_t thread;
    pthread_create(&thread, NULL, write_long_ago, NULL);
    unseen_wait(1);
    int seen = shared;
    pthread_join(thread, NULL);
    return seen != 1;
}
