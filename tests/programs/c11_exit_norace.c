/* thrd_exit deep in a thread. */
#include <threads.h>

#include "unseen.h"

int x;

static _Noreturn void leave(int value)
{
    x += value;
    thrd_exit(value);
}

static int first(void *argument)
{
    (void)argument;
    leave(3);
    return 1;
}

static int second(void *argument)
{
    (void)argument;
    while (thrd_equal(thrd_current(), thrd_current()) == 0)
        thrd_yield();
    return 2;
}

int main(void)
{
    thrd_t a, b;
    int one, two;
    thrd_create(&a, first, NULL);
    thrd_join(a, &one);
    thrd_create(&b, second, NULL);
    x++;
    thrd_join(b, &two);
    return x != 4 || one != 3 || two != 2;
}
