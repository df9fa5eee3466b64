/* A loop reads a variable each time it begins. The compiler would read it again after the call that may have changed it,
 * also when the loop ends there (LLVM's GVN does). */
#include "pair.h"

enum { TIMES = 10, COUNTED = 4 };

int wanted = 1, count, sum;
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;

__attribute__((noinline)) static int work(int times)
{
    int found = 0;
    for (int i = 0; i < times; i++) {
        found += wanted;
        if (i % 3 == 0) {
            pthread_mutex_lock(&m);
            count++;
            pthread_mutex_unlock(&m);
        }
    }
    return found;
}

static void *first(void *unused)
{
    sum = work(TIMES);
    return unused;
}

/* When the other one has read it for the last time. */
static void *second(void *unused)
{
    for (int done = 0; !done;) {
        pthread_mutex_lock(&m);
        done = count == COUNTED;
        pthread_mutex_unlock(&m);
    }
    wanted = 0;
    return unused;
}

int main(void)
{
    pair(first, second);
    return sum != TIMES;
}
