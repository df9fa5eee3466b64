/* A condition variable is destroyed, unordered, after another thread has signalled it. */
#include "pair.h"

static pthread_cond_t c = PTHREAD_COND_INITIALIZER;

static void *first(void *unused)
{
    pthread_cond_signal(&c);
    unseen_signal(1);
    return unused;
}

static void *second(void *unused)
{
    unseen_wait(1);
    pthread_cond_destroy(&c);
    return unused;
}

int main(void)
{
    pair(first, second);
    return 0;
}
