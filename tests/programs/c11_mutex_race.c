/* The write comes after the unlock. */
#include <threads.h>

#include "unseen.h"

int x;
static mtx_t m;

static int first(void *argument)
{
    (void)argument;
    mtx_lock(&m);
    mtx_unlock(&m);
    x = 1;
    unseen_signal(1);
    return 1;
}

static int second(void *argument)
{
    (void)argument;
    unseen_wait(1);
    mtx_lock(&m);
    x = 2;
    mtx_unlock(&m);
    return 2;
}

int main(void)
{
    mtx_init(&m, mtx_plain);
    thrd_t a, b;
    int one, two;
    thrd_create(&a, first, NULL);
    thrd_create(&b, second, NULL);
    thrd_join(a, &one);
    thrd_join(b, &two);
    return 0;
}
