/* Functions that are not instrumented lock for those that are. */
#include "pair.h"

int x;
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;

static __attribute__((no_sanitize("thread"), noinline)) void enter(void)
{
    pthread_mutex_lock(&m);
}

static __attribute__((no_sanitize("thread"), noinline)) void leave(void)
{
    pthread_mutex_unlock(&m);
}

static void *first(void *unused)
{
    for (int i = 0; i < 1000; i++) {
        enter();
        x++;
        leave();
    }
    return unused;
}

static void *second(void *unused)
{
    for (int i = 0; i < 1000; i++) {
        enter();
        x++;
        leave();
    }
    return unused;
}

int main(void)
{
    pair(first, second);
    return x != 2000;
}
