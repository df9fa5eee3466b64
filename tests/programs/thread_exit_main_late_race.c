/* The main thread's last write before its pthread_exit races with a thread that outlives it. */
#include "pair.h"

int x;

static void *survivor(void *unused)
{
    unseen_wait(1);
    x = 2;
    return unused;
}

int main(void)
{
    pthread_t t;
    pthread_create(&t, NULL, survivor, NULL);
    x = 1;
    unseen_signal(1);
    pthread_exit(NULL);
}
