/* A wait that is cancelled has the mutex again: the cleanup handler may use what it protects. */
#include "pair.h"

int x;
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t c = PTHREAD_COND_INITIALIZER;

static void cleanup(void *unused)
{
    (void)unused;
    x++;
    pthread_mutex_unlock(&m);
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
    for (int i = 0; i < 100; i++) {
        pthread_mutex_lock(&m);
        x++;
        pthread_mutex_unlock(&m);
    }
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
