/* An error-checking mutex: locking it twice fails, and changes nothing. */
#define _GNU_SOURCE
#include <errno.h>

#include "pair.h"

int x, errors;
static pthread_mutex_t m = PTHREAD_ERRORCHECK_MUTEX_INITIALIZER_NP;

static void *first(void *unused)
{
    for (int i = 0; i < 500; i++) {
        pthread_mutex_lock(&m);
        x++;
        errors += pthread_mutex_lock(&m) == EDEADLK;
        pthread_mutex_unlock(&m);
        if (pthread_mutex_unlock(&m) != EPERM)
            return &errors;
    }
    return unused;
}

static void *second(void *unused)
{
    for (int i = 0; i < 500; i++) {
        pthread_mutex_lock(&m);
        x++;
        errors += pthread_mutex_lock(&m) == EDEADLK;
        pthread_mutex_unlock(&m);
        if (pthread_mutex_unlock(&m) != EPERM)
            return &errors;
    }
    return unused;
}

int main(void)
{
    pair(first, second);
    return x != 1000 || errors != 1000;
}
