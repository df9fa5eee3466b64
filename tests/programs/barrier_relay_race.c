/* Three threads at a barrier for two: what the first does after it has left does not reach the third. */
#include "pair.h"

int x;
static pthread_barrier_t b;

static void *sender(void *unused)
{
    pthread_barrier_wait(&b);
    x = 1;
    unseen_signal(1);
    return unused;
}

static void *relay(void *unused)
{
    pthread_barrier_wait(&b);
    pthread_barrier_wait(&b);
    return unused;
}

static void *receiver(void *unused)
{
    unseen_wait(1);
    pthread_barrier_wait(&b);
    x = 2;
    return unused;
}

int main(void)
{
    pthread_t t[3];
    pthread_barrier_init(&b, NULL, 2);
    pthread_create(&t[0], NULL, sender, NULL);
    pthread_create(&t[1], NULL, relay, NULL);
    pthread_create(&t[2], NULL, receiver, NULL);
    for (int i = 0; i < 3; i++)
        pthread_join(t[i], NULL);
    return 0;
}
