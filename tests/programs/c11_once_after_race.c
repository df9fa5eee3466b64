/* call_once passes on what the initializer did, not what its thread does afterwards. */
#include <threads.h>

#include "unseen.h"

int x;
static once_flag flag = ONCE_FLAG_INIT;

static void initialize(void)
{
}

static int first(void *argument)
{
    (void)argument;
    call_once(&flag, initialize);
    x = 1;
    unseen_signal(1);
    return 1;
}

static int second(void *argument)
{
    (void)argument;
    unseen_wait(1);
    call_once(&flag, initialize);
    x = 2;
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
    return 0;
}
