/* The creator writes after it has created the thread. */
#include "pair.h"

int x, seen;

static void *reader(void *unused)
{
    unseen_wait(1);
    seen = x;
    return unused;
}

int main(void)
{
    pthread_t t;
    pthread_create(&t, NULL, reader, NULL);
    x = 1;
    unseen_signal(1);
    pthread_join(t, NULL);
    return 0;
}
