/* The steps of loops are checked some at a time, by other threads, too: each with what its own thread knew. */
#include <pthread.h>

#include "threads_together.h"
#include "unseen.h"

static long element[256], other[256];
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static void add(long *to, int from)
{
    for (int i = from; i < 200; i += 2)
        ++*(volatile long *)&to[i];
}

THREAD(first)
{
    pthread_mutex_lock(&lock);
    add(element, 0);
    pthread_mutex_unlock(&lock);
    add(other, 0);
    unseen_signal(1);
    unseen_wait(2);
    return NULL;
}

/* The elements of its own are between those of the first, who is still on the page. */
THREAD(second)
{
    unseen_wait(1);
    add(other, 1);
    pthread_mutex_lock(&lock);
    add(element, 0);
    pthread_mutex_unlock(&lock);
    unseen_signal(2);
    return NULL;
}

int main(void)
{
    run(first, second);
    return 0;
}
