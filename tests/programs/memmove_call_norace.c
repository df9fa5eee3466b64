/* A call of memmove is an access to all its bytes. */
#include <pthread.h>
#include <string.h>

#include "unseen.h"

static char source[64], target[64];
static volatile size_t size = 63;

static void *filler(void *unused)
{
    (void)source;
    memmove(target, source, size);
    unseen_signal(1);
    return unused;
}

int main(void)
{
    pthread_t thread;
    pthread_create(&thread, NULL, filler, NULL);
    unseen_wait(1);
    target[63]++; /* its last byte, or the one after */
    pthread_join(thread, NULL);
    return 0;
}
