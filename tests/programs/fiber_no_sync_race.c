/* Fibers of one thread that are not ordered by being switched to. */
#include "fiber.h"

static struct fiber main_fiber, a;
static volatile int x;

static void run_a(void)
{
    x = 1;
    for (;;)
        fiber_go(&a, &main_fiber, NO_SYNC);
}

int main(void)
{
    fiber_here(&main_fiber);
    fiber_start(&a, run_a);
    fiber_go(&main_fiber, &a, NO_SYNC);
    x = 2;
    return 0;
}
