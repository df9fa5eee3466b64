/* Destructors of several threads share data under a lock; they allocate and free, too. */
#include <stdlib.h>

#include "pair.h"

static pthread_key_t key;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int x;

static void destructor(void *value)
{
    pthread_mutex_lock(&lock);
    x += *(int *)value;
    pthread_mutex_unlock(&lock);
    free(value);
}

static void *worker(void *unused)
{
    int *one = malloc(sizeof *one);
    *one = 1;
    pthread_setspecific(key, one);
    return unused;
}

int main(void)
{
    pthread_key_create(&key, destructor);
    for (int i = 0; i < 20; i++)
        pair(worker, worker);
    return x != 40;
}
