/* cnd_timedwait that runs out of time has the mutex again. */
#include <time.h>
#include <threads.h>

#include "unseen.h"

int x;
static mtx_t m;
static cnd_t c;

static int first(void *argument)
{
    (void)argument;
    struct timespec past = {0, 0};
    for (int i = 0; i < 200; i++) {
        mtx_lock(&m);
        if (cnd_timedwait(&c, &m, &past) == thrd_timedout)
            x++;
        mtx_unlock(&m);
    }
    return 1;
}

static int second(void *argument)
{
    (void)argument;
    for (int i = 0; i < 200; i++) {
        mtx_lock(&m);
        x++;
        mtx_unlock(&m);
    }
    return 2;
}

int main(void)
{
    mtx_init(&m, mtx_plain);
    cnd_init(&c);
    thrd_t a, b;
    int one, two;
    thrd_create(&a, first, NULL);
    thrd_create(&b, second, NULL);
    thrd_join(a, &one);
    thrd_join(b, &two);
    return x != 400;
}
