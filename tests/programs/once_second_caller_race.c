/* A thread that finds the initializer done passes nothing on. */
#include "pair.h"

int x, y;
static pthread_once_t once = PTHREAD_ONCE_INIT;

static void initialize(void)
{
    y = 1;
}

static void *first(void *unused)
{
    x = 1;
    pthread_once(&once, initialize);
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
    pthread_once(&once, initialize);
    pair(first, second);
    return 0;
}
