/* mtx_trylock and mtx_timedlock order nothing when they fail. */
#include <time.h>
#include <threads.h>

#include "unseen.h"

int x;
static mtx_t m;

static int first(void *argument)
{
    (void)argument;
    x = 1;
    mtx_lock(&m);
    mtx_unlock(&m);
    mtx_lock(&m);
    unseen_signal(1);
    unseen_wait(2);
    mtx_unlock(&m);
    return 1;
}

static int second(void *argument)
{
    (void)argument;
    struct timespec past = {0, 0};
    unseen_wait(1);
    if (mtx_trylock(&m) == thrd_busy && mtx_timedlock(&m, &past) == thrd_timedout)
        x = 2;
    unseen_signal(2);
    return 2;
}

int main(void)
{
    mtx_init(&m, mtx_timed);
    thrd_t a, b;
    int one, two;
    thrd_create(&a, first, NULL);
    thrd_create(&b, second, NULL);
    thrd_join(a, &one);
    thrd_join(b, &two);
    return 0;
}
