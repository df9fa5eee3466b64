/* A pointer to what is shared, or to a variable of the function; in the thread without the mutex it is the latter. The
 * compiler would read what is shared before it knows (LLVM's SROA does). */
#include "pair.h"

int shared = 1, seen[2];
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;

__attribute__((noinline)) static int value(int which, int own)
{
    int *p = &shared;
    if (which != 0)
        p = &own;
    return *p;
}

static void *first(void *unused)
{
    for (int i = 0; i < 1000; i++) {
        pthread_mutex_lock(&m);
        shared = value(0, i) + 1;
        pthread_mutex_unlock(&m);
    }
    return unused;
}

static void *second(void *unused)
{
    for (int i = 0; i < 1000; i++)
        seen[1] = value(1, i);
    return unused;
}

int main(void)
{
    pair(first, second);
    return shared != 1001;
}
