/* A thread that ends as another fiber than it began as: who joins it knows what both did. */
#include "fiber.h"

static struct fiber began, f;
static int x, y;

static void last(void)
{
    y = 1;
    pthread_exit(NULL);
}

static void *thread(void *unused)
{
    fiber_here(&began);
    x = 1;
    fiber_start(&f, last);
    fiber_go(&began, &f, NO_SYNC);
    return unused;
}

int main(void)
{
    pthread_t id;
    pthread_create(&id, NULL, thread, NULL);
    pthread_join(id, NULL);
    x = y = 2;
    fiber_end(&f);
    return 0;
}
