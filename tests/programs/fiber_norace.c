/* Fibers that hand over to each other are ordered by that, in whichever thread they go on. */
#include "fiber.h"

static struct fiber main_fiber, a, b;
static int x, rounds;

static void run_a(void)
{
    for (;;) {
        x++;
        fiber_go(&a, &b, 0);
    }
}

static void run_b(void)
{
    for (;;) {
        x += 2;
        if (++rounds % 50 == 0)
            fiber_go(&b, &main_fiber, 0);
        else
            fiber_go(&b, &a, 0);
    }
}

static void *other_thread(void *unused)
{
    fiber_here(&main_fiber);
    x++;
    fiber_go(&main_fiber, &a, 0);
    x++;
    return unused;
}

int main(void)
{
    pthread_t thread;
    fiber_here(&main_fiber);
    fiber_start(&a, run_a);
    fiber_start(&b, run_b);
    __tsan_set_fiber_name(a.told, "a fiber with a name that is too long");
    fiber_go(&main_fiber, &a, 0);
    pthread_create(&thread, NULL, other_thread, NULL);
    pthread_join(thread, NULL);
    fiber_end(&a);
    fiber_end(&b);
    return x > 0 ? 0 : 1;
}
