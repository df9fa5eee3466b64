/* The same, after the writer has told the other one by a mutex; and other bytes of the words around it wait
 * meanwhile. */
#include "heap_byte_waits.h"

#include <pthread.h>

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static char *next;

THREAD(first)
{
    block[5] = 1;
    pthread_mutex_lock(&mutex);
    next[1] = 1;
    pthread_mutex_unlock(&mutex);
    next[9] = 1;
    unseen_signal(1);
    unseen_wait(2);
    return NULL;
}

THREAD(second)
{
    unseen_wait(1);
    pthread_mutex_lock(&mutex);
    pthread_mutex_unlock(&mutex);
    char *old = block;
    free(old);
    again_block = malloc(64);
    if (again_block != old)
        abort();
    for (int i = 0; i < 64; i++)
        again_block[i] = 1;
    unseen_signal(2);
    return NULL;
}

int main(void)
{
    block = malloc(64);
    next = malloc(64);
    run(first, second);
    free(again_block);
    free(next);
    return 0;
}
