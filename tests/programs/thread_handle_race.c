/* pthread_create fills in the handle: a thread that reads it meanwhile races with that. */
#include "pair.h"

static pthread_t handle;

static void *idle(void *unused)
{
    return unused;
}

static void *creator(void *unused)
{
    pthread_create(&handle, NULL, idle, NULL);
    unseen_signal(1);
    return unused;
}

static void *reader(void *unused)
{
    unseen_wait(1);
    pthread_t copy = handle;
    pthread_join(copy, NULL);
    return unused;
}

int main(void)
{
    pair(creator, reader);
    return 0;
}
