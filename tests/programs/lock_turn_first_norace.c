/* A thread's first synchronization is with a lock that others have had since it was created. */
#include <pthread.h>

#include "must.h"
#include "unseen.h"

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int shared;

static void count(void)
{
    pthread_mutex_lock(&lock);
    shared++;
    pthread_mutex_unlock(&lock);
}

static void *later(void *unused)
{
    unseen_wait(1);
    count();
    return unused;
}

int main(void)
{
    pthread_t thread;
    must(pthread_create(&thread, NULL, later, NULL) == 0);
    for (int i = 0; i < 3; i++)
        count();
    unseen_signal(1);
    must(pthread_join(thread, NULL) == 0);
    return 0;
}
