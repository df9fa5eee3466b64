/* More releases than a clock has ticks (2^21), by two threads in turn: what happened before is known on both sides. */
#include <pthread.h>

enum { RELEASES = (1 << 21) + 1000 };

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
int before, shared, after;

static void *work(void *unused)
{
    for (int i = 0; i < RELEASES; i++) {
        pthread_mutex_lock(&mutex);
        shared++;
        pthread_mutex_unlock(&mutex);
    }
    after = before;
    return unused;
}

int main(void)
{
    pthread_t t;
    before = 1;
    pthread_create(&t, NULL, work, NULL);
    for (int i = 0; i < 1000; i++) {
        pthread_mutex_lock(&mutex);
        shared++;
        pthread_mutex_unlock(&mutex);
    }
    pthread_join(t, NULL);
    return shared == RELEASES + 1000 && after == 1 ? 0 : 2;
}
