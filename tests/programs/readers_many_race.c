/* Many threads read a global in one epoch after the other, more and more of them: whoever was among the first is not
 * forgotten when the last ones come. The writer has joined all but the first. */
#include <pthread.h>
#include <stddef.h>

#include "unseen.h"

#ifndef FIRST_JOINED
#define FIRST_JOINED 1
#endif
enum { THREADS = 40, TIMES = 300 };
static int value;
static pthread_mutex_t own[THREADS];

static void *reader(void *argument)
{
    int me = (int)(long)argument;
    unseen_wait(me);
    for (int i = 0; i < TIMES; i++) {
        pthread_mutex_lock(&own[me]);
        (void)*(volatile int *)&value;
        pthread_mutex_unlock(&own[me]);
    }
    unseen_signal(me + 1);
    if (me < FIRST_JOINED)
        unseen_wait(THREADS + 1);
    return NULL;
}

int main(void)
{
    pthread_t thread[THREADS];
    for (long i = 0; i < THREADS; i++) {
        pthread_mutex_init(&own[i], NULL);
        pthread_create(&thread[i], NULL, reader, (void *)i);
    }
    for (int i = FIRST_JOINED; i < THREADS; i++)
        pthread_join(thread[i], NULL);
    value = 1;
    unseen_signal(THREADS + 1);
    for (int i = 0; i < FIRST_JOINED; i++)
        pthread_join(thread[i], NULL);
    return 0;
}
