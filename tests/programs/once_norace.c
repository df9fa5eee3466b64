/* What the initializer did is there after pthread_once, whoever ran it. */
#include "pair.h"

int x, sum[2];
static pthread_once_t once = PTHREAD_ONCE_INIT;

static void initialize(void)
{
    x = 5;
}

static void *first(void *unused)
{
    pthread_once(&once, initialize);
    sum[0] = x;
    return unused;
}

static void *second(void *unused)
{
    pthread_once(&once, initialize);
    sum[1] = x;
    return unused;
}

int main(void)
{
    pair(first, second);
    return sum[0] + sum[1] != 10;
}
