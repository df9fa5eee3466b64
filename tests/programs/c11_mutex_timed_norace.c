/* mtx_timedlock, and a recursive mutex. */
#include <time.h>
#include <threads.h>

#include "unseen.h"

int x;
static mtx_t m;

static int first(void *argument)
{
    (void)argument;
    struct timespec until;
    timespec_get(&until, TIME_UTC);
    until.tv_sec += 3600;
    for (int i = 0; i < 1000; i++) {
        if (mtx_timedlock(&m, &until) != thrd_success)
            return 0;
        mtx_lock(&m);
        x++;
        mtx_unlock(&m);
        mtx_unlock(&m);
    }
    return 1;
}

static int second(void *argument)
{
    (void)argument;
    for (int i = 0; i < 1000; i++) {
        mtx_lock(&m);
        x++;
        mtx_unlock(&m);
    }
    return 2;
}

int main(void)
{
    mtx_init(&m, mtx_timed | mtx_recursive);
    thrd_t a, b;
    int one, two;
    thrd_create(&a, first, NULL);
    thrd_create(&b, second, NULL);
    thrd_join(a, &one);
    thrd_join(b, &two);
    return x != 2000 || one != 1 || two != 2;
}
