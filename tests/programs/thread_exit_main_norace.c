/* The main thread leaves with pthread_exit and is joined by another. */
#include <stdlib.h>

#include "pair.h"

static int x;
static pthread_t main_thread;

static void *joiner(void *unused)
{
    pthread_join(main_thread, NULL);
    if (x != 1)
        exit(1);
    return unused;
}

int main(void)
{
    pthread_t t;
    main_thread = pthread_self();
    pthread_create(&t, NULL, joiner, NULL);
    x = 1;
    pthread_exit(NULL);
}
