/* Four threads wait for one broadcast. */
#include "pair.h"

enum { THREADS = 4 };

int x, go, sum;
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t c;

static void *waiter(void *unused)
{
    pthread_mutex_lock(&m);
    while (!go)
        pthread_cond_wait(&c, &m);
    sum += x;
    pthread_mutex_unlock(&m);
    return unused;
}

int main(void)
{
    pthread_t t[THREADS];
    pthread_cond_init(&c, NULL);
    for (int i = 0; i < THREADS; i++)
        pthread_create(&t[i], NULL, waiter, NULL);
    x = 5;
    pthread_mutex_lock(&m);
    go = 1;
    pthread_mutex_unlock(&m);
    pthread_cond_broadcast(&c);
    for (int i = 0; i < THREADS; i++)
        pthread_join(t[i], NULL);
    pthread_cond_destroy(&c);
    return sum != THREADS * 5;
}
