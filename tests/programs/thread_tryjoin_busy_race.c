/* pthread_tryjoin_np that finds the thread busy orders nothing. */
#define _GNU_SOURCE
#include <errno.h>

#include "pair.h"

int x;

static void *writer(void *unused)
{
    x = 1;
    unseen_signal(1);
    unseen_wait(2);
    return unused;
}

int main(void)
{
    pthread_t t;
    pthread_create(&t, NULL, writer, NULL);
    unseen_wait(1);
    if (pthread_tryjoin_np(t, NULL) != EBUSY)
        return 1;
    x = 2;
    unseen_signal(2);
    pthread_join(t, NULL);
    return 0;
}
