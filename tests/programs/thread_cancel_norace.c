/* A cancelled thread: what its cleanup handlers did is there for who joined it. */
#include "pair.h"

static int x;

static void cleanup(void *value)
{
    x += *(int *)value;
}

static void *victim(void *unused)
{
    int one = 1;
    pthread_cleanup_push(cleanup, &one);
    unseen_signal(1);
    for (;;) {
        pthread_testcancel();
        unseen_yield();
    }
    pthread_cleanup_pop(0);
    return unused;
}

int main(void)
{
    for (int i = 0; i < 10; i++) {
        pthread_t t;
        void *value;
        pthread_create(&t, NULL, victim, NULL);
        unseen_wait(1);
        pthread_cancel(t);
        pthread_join(t, &value);
        if (value != PTHREAD_CANCELED)
            return 1;
        unseen_signal(0);
    }
    return x != 10;
}
