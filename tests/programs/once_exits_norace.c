/* A thread that ends in its initializer, which another initializer has called, leaves both to others. */
#include <pthread.h>

#include "unseen.h"

static pthread_once_t outer = PTHREAD_ONCE_INIT, inner = PTHREAD_ONCE_INIT;
static pthread_key_t key;
static int x, y;

static void leave(void)
{
    x = 1;
    pthread_exit(NULL);
}

static void call_inner(void)
{
    y = 1;
    pthread_once(&inner, leave);
}

static void *first(void *key_value)
{
    pthread_setspecific(key, key_value);
    pthread_once(&outer, call_inner);
    return NULL;
}

static void at_the_end(void *nothing)
{
    (void)nothing;
    unseen_signal(1);
}

static void add_x(void)
{
    x++;
}

static void add_y(void)
{
    y++;
}

static void *second(void *nothing)
{
    unseen_wait(1);
    pthread_once(&inner, add_x);
    pthread_once(&outer, add_y);
    return nothing;
}

int main(void)
{
    pthread_t a, b;
    pthread_key_create(&key, at_the_end);
    pthread_create(&a, NULL, first, &key);
    pthread_create(&b, NULL, second, NULL);
    pthread_join(b, NULL);
    pthread_join(a, NULL);
    return x != 2 || y != 2;
}
