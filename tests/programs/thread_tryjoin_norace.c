/* pthread_tryjoin_np, once it succeeds, is a join. */
#define _GNU_SOURCE
#include "pair.h"

static int x;

static void *writer(void *unused)
{
    x = 1;
    return unused;
}

int main(void)
{
    pthread_t t;
    pthread_create(&t, NULL, writer, NULL);
    while (pthread_tryjoin_np(t, NULL) != 0)
        unseen_yield();
    return x != 1;
}
