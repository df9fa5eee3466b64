/* flockfile() is a lock, also when it is locked several times. */
#include <stdio.h>

#include "pair.h"

int x; /* not static: flockfile() is declared as one that cannot touch what is */

static void *worker(void *unused)
{
    for (int i = 0; i < 100; i++) {
        flockfile(stdout);
        flockfile(stdout);
        x++;
        funlockfile(stdout);
        x++;
        funlockfile(stdout);
        while (ftrylockfile(stdout) != 0)
            ;
        x++;
        funlockfile(stdout);
    }
    return unused;
}

int main(void)
{
    pair(worker, worker);
    return x != 600;
}
