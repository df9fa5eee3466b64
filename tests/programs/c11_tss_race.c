/* The destructors of thread-specific storage are checked. */
#include <threads.h>

#include "unseen.h"

int x, one = 1;
static tss_t key;

static void destructor(void *value)
{
    unseen_wait(1);
    x = *(int *)value;
}

static int first(void *argument)
{
    (void)argument;
    tss_set(key, &one);
    return 1;
}

static int second(void *argument)
{
    (void)argument;
    x = 2;
    unseen_signal(1);
    return 2;
}

int main(void)
{
    tss_create(&key, destructor);
    thrd_t a, b;
    int one, two;
    thrd_create(&a, first, NULL);
    thrd_create(&b, second, NULL);
    thrd_join(a, &one);
    thrd_join(b, &two);
    return 0;
}
