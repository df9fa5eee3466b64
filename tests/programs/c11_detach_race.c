/* The end of a detached C11 thread is known to nobody. */
#include <threads.h>

#include "unseen.h"

int x;

static int first(void *argument)
{
    (void)argument;
    x = 1;
    unseen_signal(1);
    return 1;
}

static int second(void *argument)
{
    (void)argument;
    return 2;
}

int main(void)
{
    thrd_t a, b;
    thrd_create(&a, first, NULL);
    thrd_detach(a);
    thrd_create(&b, second, NULL);
    thrd_join(b, NULL);
    unseen_wait(1);
    x = 2;
    return 0;
}
