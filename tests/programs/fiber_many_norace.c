/* More fibers, one after the other, than there are slots for threads, and their ends in another thread. */
#include "fiber.h"

static struct fiber main_fiber, f;
static int x;

static void step(void)
{
    for (;;) {
        x++;
        fiber_go(&f, &main_fiber, 0);
    }
}

static void *many(void *unused)
{
    fiber_here(&main_fiber);
    for (int i = 0; i < 3000; i++) {
        fiber_start(&f, step);
        fiber_go(&main_fiber, &f, 0);
        x++;
        fiber_go(&main_fiber, &f, 0);
        fiber_end(&f);
    }
    return unused;
}

int main(void)
{
    pthread_t thread;
    pthread_create(&thread, NULL, many, NULL);
    pthread_join(thread, NULL);
    return x == 9000 ? 0 : 1;
}
