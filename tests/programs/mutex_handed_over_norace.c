/* A mutex locked by one thread and unlocked by another, as a signal. POSIX does not promise it; it works. */
#include "pair.h"

int x;
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;

static void *first(void *unused)
{
    unseen_wait(1);
    pthread_mutex_lock(&m);
    x++;
    pthread_mutex_unlock(&m);
    return unused;
}

static void *second(void *unused)
{
    unseen_signal(1);
    x++;
    pthread_mutex_unlock(&m);
    return unused;
}

int main(void)
{
    pthread_mutex_lock(&m);
    pair(first, second);
    return x != 2;
}
