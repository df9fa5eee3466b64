/* What the cleanup handler of a cancelled thread does is checked like anything else. */
#include "pair.h"

int x;

static void cleanup(void *unused)
{
    (void)unused;
    x = 2;
}

static void *victim(void *unused)
{
    pthread_cleanup_push(cleanup, NULL);
    for (;;) {
        pthread_testcancel();
        unseen_yield();
    }
    pthread_cleanup_pop(0);
    return unused;
}

static void *other(void *unused)
{
    x = 1;
    unseen_signal(1);
    return unused;
}

int main(void)
{
    pthread_t a, b;
    pthread_create(&a, NULL, victim, NULL);
    pthread_create(&b, NULL, other, NULL);
    unseen_wait(1);
    pthread_cancel(a);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    return 0;
}
