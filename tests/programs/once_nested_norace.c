/* An initializer that needs another initializer. */
#include "pair.h"

int x, y, sum[2];
static pthread_once_t outer = PTHREAD_ONCE_INIT, inner = PTHREAD_ONCE_INIT;

static void initialize_y(void)
{
    y = 3;
}

static void initialize_x(void)
{
    pthread_once(&inner, initialize_y);
    x = y + 1;
}

static void *first(void *unused)
{
    pthread_once(&outer, initialize_x);
    sum[0] = x + y;
    return unused;
}

static void *second(void *unused)
{
    pthread_once(&outer, initialize_x);
    sum[1] = x + y;
    return unused;
}

int main(void)
{
    pair(first, second);
    return sum[0] + sum[1] != 14;
}
