/* A counter under a mutex. */
#include "pair.h"

int x;
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;

static void *first(void *unused)
{
    for (int i = 0; i < 1000; i++) {
        pthread_mutex_lock(&m);
        x++;
        pthread_mutex_unlock(&m);
    }
    return unused;
}

static void *second(void *unused)
{
    for (int i = 0; i < 1000; i++) {
        pthread_mutex_lock(&m);
        x++;
        pthread_mutex_unlock(&m);
    }
    return unused;
}

int main(void)
{
    pair(first, second);
    return x != 2000;
}
