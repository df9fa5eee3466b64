/* The end of a detached thread is known to nobody. */
#include "pair.h"

int x;

static void *writer(void *unused)
{
    x = 1;
    unseen_signal(1);
    return unused;
}

int main(void)
{
    pthread_t t;
    pthread_attr_t attributes;
    pthread_attr_init(&attributes);
    pthread_attr_setdetachstate(&attributes, PTHREAD_CREATE_DETACHED);
    pthread_create(&t, &attributes, writer, NULL);
    unseen_wait(1);
    x = 2;
    return 0;
}
