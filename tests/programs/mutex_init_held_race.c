/* The same, and the mutex is held: whoever comes has to wait for it. It is told of the race first. */
#include "pair.h"

static pthread_mutex_t m;

void pf_on_race(const void *access, unsigned long size, const void *byte);
__attribute__((no_sanitize("thread"))) void pf_on_race(const void *access, unsigned long size,
                                                       const void *byte)
{
    (void)access, (void)size, (void)byte;
    unseen_signal(2);
}

static void *first(void *unused)
{
    pthread_mutex_init(&m, NULL);
    pthread_mutex_lock(&m);
    unseen_signal(1);
    unseen_wait(2); /* until the race is told, or for ever */
    pthread_mutex_unlock(&m);
    return unused;
}

static void *second(void *unused)
{
    unseen_wait(1);
    pthread_mutex_lock(&m);
    pthread_mutex_unlock(&m);
    return unused;
}

int main(void)
{
    pair(first, second);
    return 0;
}
