/* C11 threads, a C11 mutex, and what the threads return. */
#include <threads.h>

#include "unseen.h"

int x;
static mtx_t m;

static int first(void *argument)
{
    (void)argument;
    for (int i = 0; i < 1000; i++) {
        mtx_lock(&m);
        x++;
        mtx_unlock(&m);
    }
    return 1;
}

static int second(void *argument)
{
    (void)argument;
    for (int i = 0; i < 1000; i++) {
        while (mtx_trylock(&m) != thrd_success)
            thrd_yield();
        x++;
        mtx_unlock(&m);
    }
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
    mtx_destroy(&m);
    return x != 2000 || one != 1 || two != 2;
}
