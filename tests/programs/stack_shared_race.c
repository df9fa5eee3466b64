/* A variable on a thread's stack that the thread's child writes, too. */
#include "pair.h"

static void *child(void *variable)
{
    unseen_wait(1);
    *(volatile int *)variable = 1;
    return NULL;
}

int main(void)
{
    volatile int local = 0;
    pthread_t t;
    pthread_create(&t, NULL, child, (void *)&local);
    local = 2;
    unseen_signal(1);
    pthread_join(t, NULL);
    return 0;
}
