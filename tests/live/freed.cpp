// Blocks that one thread uses and another gives back, unordered: by each function that does.
#include <pthread.h>
#include <stdlib.h>

#include "../programs/unseen.h"

static volatile int *block[5];
static int *volatile moved;

static void *user(void *unused)
{
    for (volatile int *b : block)
        b[7] = 1;
    unseen_signal(1);
    return unused;
}

static void *giver(void *unused)
{
    unseen_wait(1);
    free((void *)block[0]);
    moved = (int *)realloc((void *)block[1], 1 << 10);
    delete block[2];
    delete[] block[3];
    free((void *)block[4]);
    return unused;
}

int main()
{
    pthread_t a, b;
    block[0] = (int *)malloc(80);
    block[1] = (int *)malloc(80);
    block[2] = (volatile int *)operator new(80);
    block[3] = new int[20];
    block[4] = (int *)malloc(1 << 20); // a mapping of its own
    pthread_create(&a, NULL, user, NULL);
    pthread_create(&b, NULL, giver, NULL);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
}
