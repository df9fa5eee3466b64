/* A robust mutex that is not made consistent again cannot be locked any more. */
#include <errno.h>

#include "pair.h"

int x;
static pthread_mutex_t m;

static void *dies(void *unused)
{
    pthread_mutex_lock(&m);
    x = 1;
    return unused;
}

int main(void)
{
    pthread_t t;
    pthread_mutexattr_t attributes;
    pthread_mutexattr_init(&attributes);
    pthread_mutexattr_setrobust(&attributes, PTHREAD_MUTEX_ROBUST);
    pthread_mutex_init(&m, &attributes);
    pthread_create(&t, NULL, dies, NULL);
    if (pthread_mutex_lock(&m) == 0) {
        pthread_mutex_unlock(&m);
        pthread_join(t, NULL);
        if (pthread_mutex_lock(&m) != EOWNERDEAD)
            return 1;
    }
    pthread_mutex_unlock(&m);
    return pthread_mutex_lock(&m) != ENOTRECOVERABLE;
}
