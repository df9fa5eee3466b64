/* One thread, two, one, and two again: the race is in the second phase with two. */
#include "pair.h"

int x, y;

static void *first(void *unused)
{
    y = 1;
    return unused;
}

static void *second(void *unused)
{
    unseen_wait(1);
    x = y;
    return unused;
}

int main(void)
{
    pthread_t t;
    x = y = 1;
    pthread_create(&t, NULL, first, NULL);
    pthread_join(t, NULL);
    x = y = 2;
    pthread_create(&t, NULL, second, NULL);
    x = 3;
    unseen_signal(1);
    pthread_join(t, NULL);
    return 0;
}
