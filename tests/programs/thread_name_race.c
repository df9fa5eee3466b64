/* Threads with names, given by themselves and by others. */
#define _GNU_SOURCE
#include "pair.h"

int x;

static void *first(void *unused)
{
    pthread_setname_np(pthread_self(), "first");
    x = 1;
    unseen_signal(1);
    return unused;
}

static void *second(void *unused)
{
    unseen_wait(2);
    x = 2;
    return unused;
}

int main(void)
{
    pthread_t a, b;
    pthread_create(&a, NULL, first, NULL);
    pthread_create(&b, NULL, second, NULL);
    pthread_setname_np(b, "second");
    unseen_wait(1);
    unseen_signal(2);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    return 0;
}
