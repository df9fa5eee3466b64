/* A loop that counts under a condition, in threads that hold the mutex; in another one there is nothing to be counted.
 * The compiler would read the counter before the loop (LLVM's LICM does). */
#include "pair.h"

enum { VALUES = 8 };

int found;
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static int some[VALUES] = {7, 1, 7}, none[VALUES];

__attribute__((noinline)) static void count(const int *value, int wanted)
{
    for (int i = 0; i < VALUES; i++)
        if (value[i] == wanted)
            found++;
}

static void *first(void *unused)
{
    pthread_mutex_lock(&m);
    count(some, 7);
    pthread_mutex_unlock(&m);
    return unused;
}

static void *second(void *unused)
{
    count(none, 7);
    return unused;
}

int main(void)
{
    pair(first, second);
    return found != 2;
}
