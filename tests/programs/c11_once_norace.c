/* What the initializer did is there after call_once. */
#include <threads.h>

#include "unseen.h"

int x, sum[2];
static once_flag flag = ONCE_FLAG_INIT;

static void initialize(void)
{
    x = 5;
}

static int first(void *argument)
{
    (void)argument;
    call_once(&flag, initialize);
    sum[0] = x;
    return 1;
}

static int second(void *argument)
{
    (void)argument;
    call_once(&flag, initialize);
    sum[1] = x;
    return 2;
}

int main(void)
{
    thrd_t a, b;
    int one, two;
    thrd_create(&a, first, NULL);
    thrd_create(&b, second, NULL);
    thrd_join(a, &one);
    thrd_join(b, &two);
    return sum[0] + sum[1] != 10;
}
