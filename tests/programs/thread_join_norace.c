/* What a thread wrote is there for who joined it. */
#include "pair.h"

static int x;

static void *writer(void *unused)
{
    x++;
    return unused;
}

int main(void)
{
    pthread_t t;
    x = 1;
    pthread_create(&t, NULL, writer, NULL);
    pthread_join(t, NULL);
    x++;
    return x != 3;
}
