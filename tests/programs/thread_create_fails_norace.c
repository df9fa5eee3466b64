/* A thread that cannot be created leaves everything as it was. */
#include "pair.h"

static int x;

static void *worker(void *unused)
{
    x++;
    return unused;
}

int main(void)
{
    pthread_t t;
    pthread_attr_t attributes;
    pthread_attr_init(&attributes);
    pthread_attr_setstacksize(&attributes, (size_t)1 << 46);
    for (int i = 0; i < 5; i++)
        if (pthread_create(&t, &attributes, worker, NULL) == 0)
            return 1;
    x++;
    if (pthread_create(&t, NULL, worker, NULL) != 0)
        return 1;
    pthread_join(t, NULL);
    return x != 2;
}
