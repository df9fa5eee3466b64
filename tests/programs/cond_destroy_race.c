/* A condition variable is destroyed while another thread is about to signal it. */
#include "pair.h"

int unused_;
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t c = PTHREAD_COND_INITIALIZER;

static void *first(void *unused)
{
    pthread_cond_destroy(&c);
    unseen_signal(1);
    return unused;
}

static void *second(void *unused)
{
    unseen_wait(1);
    pthread_cond_signal(&c);
    return unused;
}

int main(void)
{
    pair(first, second);
    return 0;
}
