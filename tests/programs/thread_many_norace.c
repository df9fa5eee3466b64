/* Hundreds of threads, created and joined one after the other, each handing the same variable on. */
#include "pair.h"

enum { THREADS = 600 };

static int x;

static void *worker(void *unused)
{
    x++;
    return unused;
}

int main(void)
{
    for (int i = 0; i < THREADS; i++) {
        pthread_t t;
        if (pthread_create(&t, NULL, worker, NULL) != 0)
            return 1;
        pthread_join(t, NULL);
    }
    return x != THREADS;
}
