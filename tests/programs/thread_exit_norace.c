/* pthread_exit deep in a thread: its value and its writes arrive with the join. */
#include "pair.h"

static int x;

static __attribute__((noinline)) void leave(int value)
{
    x = value;
    pthread_exit(&x);
}

static void *writer(void *unused)
{
    leave(7);
    return unused;
}

int main(void)
{
    pthread_t t;
    void *value;
    pthread_create(&t, NULL, writer, NULL);
    pthread_join(t, &value);
    return value != &x || *(int *)value != 7;
}
