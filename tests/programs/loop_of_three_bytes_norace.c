/* The check of a loop over elements of three bytes (src/place/) ends where they do: the next byte is another thread's. One of
 * its words is known byte by byte already. */
#include <pthread.h>
#include <stddef.h>

#include "unseen.h"

void __pf_writes(void *first, size_t size, ptrdiff_t stride, size_t count);

static _Alignas(64) char text[64];
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static void *neighbour(void *nothing)
{
    text[12] = text[13] = 1;
    pthread_mutex_lock(&lock); /* the bytes are in the shadow */
    pthread_mutex_unlock(&lock);
    unseen_signal(1);
    return nothing;
}

int main(void)
{
    pthread_t thread;
    static pthread_mutex_t own = PTHREAD_MUTEX_INITIALIZER;
    pthread_create(&thread, NULL, neighbour, NULL);
    text[9] = 1;
    pthread_mutex_lock(&own);
    pthread_mutex_unlock(&own);
    unseen_wait(1);
    __pf_writes(text, 3, 3, 4);
    pthread_join(thread, NULL);
}
