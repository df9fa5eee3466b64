/* pthread_once passes on what the initializer did, not what its thread does afterwards. */
#include "pair.h"

int x;
static pthread_once_t once = PTHREAD_ONCE_INIT;

static void initialize(void)
{
}

static void *first(void *unused)
{
    pthread_once(&once, initialize);
    x = 1;
    unseen_signal(1);
    return unused;
}

static void *second(void *unused)
{
    unseen_wait(1);
    pthread_once(&once, initialize);
    x = 2;
    return unused;
}

int main(void)
{
    pair(first, second);
    return 0;
}
