/* A loop that reads a variable under a condition, in a thread that holds the mutex; in another one the condition never holds.
 * The compiler would read it before the loop (gcc's -ftree-loop-im does). */
#include "pair.h"

enum { VALUES = 8 };

int added = 1, sum;
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static int some[VALUES] = {7, 1, 7}, none[VALUES];

__attribute__((noinline)) static int add(const int *value)
{
    int all = 0;
    for (int i = 0; i < VALUES; i++)
        if (value[i] == 7)
            all += added;
    return all;
}

static void *first(void *unused)
{
    pthread_mutex_lock(&m);
    added = add(some);
    pthread_mutex_unlock(&m);
    return unused;
}

static void *second(void *unused)
{
    sum = add(none);
    return unused;
}

int main(void)
{
    pair(first, second);
    return added != 2 || sum != 0;
}
