/* The first unlock comes after the second lock: no edge from the first thread to the second. */
#include "pair.h"

int x;
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;

static void *first(void *unused)
{
    unseen_wait(1);
    x = 1;
    pthread_mutex_lock(&m);
    pthread_mutex_unlock(&m);
    unseen_signal(2);
    return unused;
}

static void *second(void *unused)
{
    pthread_mutex_lock(&m);
    pthread_mutex_unlock(&m);
    unseen_signal(1);
    unseen_wait(2);
    x = 2;
    return unused;
}

int main(void)
{
    pair(first, second);
    return 0;
}
