/* cnd_wait and cnd_timedwait: a value handed over, twice. */
#include <time.h>
#include <threads.h>

#include "unseen.h"

int x, turn, seen;
static mtx_t m;
static cnd_t c;

static int first(void *argument)
{
    (void)argument;
    mtx_lock(&m);
    x = 1;
    turn = 1;
    cnd_signal(&c);
    while (turn != 2)
        cnd_wait(&c, &m);
    mtx_unlock(&m);
    x++;
    return 1;
}

static int second(void *argument)
{
    (void)argument;
    struct timespec until;
    timespec_get(&until, TIME_UTC);
    until.tv_sec += 3600;
    mtx_lock(&m);
    while (turn != 1)
        cnd_timedwait(&c, &m, &until);
    mtx_unlock(&m);
    x++;
    mtx_lock(&m);
    turn = 2;
    cnd_broadcast(&c);
    mtx_unlock(&m);
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
    cnd_destroy(&c);
    mtx_destroy(&m);
    return x != 3;
}
