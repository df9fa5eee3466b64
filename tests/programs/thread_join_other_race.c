/* Joining one thread says nothing about another. */
#include "pair.h"

int x;

static void *idle(void *unused)
{
    return unused;
}

static void *writer(void *unused)
{
    x = 1;
    unseen_signal(1);
    return unused;
}

int main(void)
{
    pthread_t a, b;
    pthread_create(&a, NULL, writer, NULL);
    pthread_create(&b, NULL, idle, NULL);
    pthread_join(b, NULL);
    unseen_wait(1);
    x = 2;
    pthread_join(a, NULL);
    return 0;
}
