/* More threads than the barrier lets through at a time. Whoever comes last is told so, once a round. */
#include "pair.h"

enum { THREADS = 6, AT_A_TIME = 2, WAITS = 600 };

static pthread_barrier_t b;
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static int begun, last, passed;

/* One more wait, if there is one left. */
static int take(int result)
{
    pthread_mutex_lock(&m);
    last += result == PTHREAD_BARRIER_SERIAL_THREAD;
    passed += result == 0;
    int more = begun < WAITS;
    begun += more;
    pthread_mutex_unlock(&m);
    return more;
}

static void *worker(void *unused)
{
    for (int result = 1; take(result);)
        result = pthread_barrier_wait(&b);
    return unused;
}

int main(void)
{
    pthread_t t[THREADS];
    pthread_barrier_init(&b, NULL, AT_A_TIME);
    for (int i = 0; i < THREADS; i++)
        pthread_create(&t[i], NULL, worker, NULL);
    for (int i = 0; i < THREADS; i++)
        pthread_join(t[i], NULL);
    return last != WAITS / AT_A_TIME || passed != WAITS - last;
}
