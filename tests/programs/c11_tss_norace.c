/* What the destructors of thread-specific storage did is there after join. */
#include <threads.h>

#include "unseen.h"

int x;
static tss_t key;

static void destructor(void *value)
{
    x += *(int *)value;
}

static int first(void *argument)
{
    (void)argument;
    static int one = 1;
    tss_set(key, &one);
    return 1;
}

static int second(void *argument)
{
    (void)argument;
    static int two = 2;
    tss_set(key, &two);
    if (*(int *)tss_get(key) != 2)
        return 0;
    return 2;
}

int main(void)
{
    thrd_t t;
    int one, two;
    tss_create(&key, destructor);
    thrd_create(&t, first, NULL);
    thrd_join(t, &one);
    thrd_create(&t, second, NULL);
    thrd_join(t, &two);
    return x != 3 || one != 1 || two != 2;
}
