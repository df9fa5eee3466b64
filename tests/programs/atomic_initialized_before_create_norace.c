/* Plain initialization before the threads exist, plain use after they have ended. */
#include <stdlib.h>

#include "threads_together.h"

static int counter;

THREAD(count)
{
    for (int i = 0; i < 1000; i++)
        __atomic_fetch_add(&counter, 1, __ATOMIC_RELAXED);
    return NULL;
}

int main(void)
{
    counter = 5;
    run(count, count, count);
    if (counter != 3005)
        abort();
    counter = 0;
    return 0;
}
