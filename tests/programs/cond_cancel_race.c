/* A wait that is cancelled has the mutex again; once the cleanup handler has unlocked it, nothing protects it. */
#include "pair.h"

int x;
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t c = PTHREAD_COND_INITIALIZER;

static void cleanup(void *unused)
{
    (void)unused;
    pthread_mutex_unlock(&m);
    unseen_wait(2);
    x = 1;
}

static void *waiter(void *unused)
{
    pthread_mutex_lock(&m);
    pthread_cleanup_push(cleanup, NULL);
    unseen_signal(1);
    for (;;)
        pthread_cond_wait(&c, &m);
    pthread_cleanup_pop(0);
    return unused;
}

static void *other(void *unused)
{
    unseen_wait(1);
    x = 2;
    unseen_signal(2);
    return unused;
}

int main(void)
{
    pthread_t a, b;
    pthread_create(&a, NULL, waiter, NULL);
    unseen_wait(1);
    pthread_mutex_lock(&m); /* the waiter waits now */
    pthread_mutex_unlock(&m);
    pthread_create(&b, NULL, other, NULL);
    pthread_cancel(a);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    return 0;
}
