/* A function is given a pointer, and looks there only if it is told to. The compiler would read it before the call, and
 * pass the value instead (LLVM's ArgumentPromotion does, at -O3).
 * build: -O3 */
#include "pair.h"

int x, y, seen;
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;

__attribute__((noinline)) static int look(const int *p, int really, int by)
{
    return really ? *p + by : by;
}

static void *first(void *unused)
{
    pthread_mutex_lock(&m);
    x = look(&y, unused == NULL, 1);
    y = look(&x, unused == NULL, 2);
    pthread_mutex_unlock(&m);
    return unused;
}

static void *second(void *unused)
{
    seen = look(&x, unused != NULL, 3);
    return unused;
}

int main(void)
{
    pair(first, second);
    return y != 3;
}
