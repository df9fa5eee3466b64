/* glibc changes the environment under a lock. */
#include <stdlib.h>

#include "pair.h"

static void *worker(void *name)
{
    for (int i = 0; i < 20; i++) {
        setenv("PF_SHARED", "1", 1);
        unsetenv("PF_SHARED");
    }
    return name;
}

int main(void)
{
    pair(worker, worker);
    return 0;
}
