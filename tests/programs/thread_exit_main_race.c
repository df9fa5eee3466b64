/* The main thread leaves with pthread_exit; the threads it leaves behind race, and the exit status says so. */
#include "pair.h"

int x;

static void *first(void *unused)
{
    x = 1;
    unseen_signal(1);
    return unused;
}

static void *second(void *unused)
{
    unseen_wait(1);
    x = 2;
    return unused;
}

int main(void)
{
    pthread_t a, b;
    pthread_create(&a, NULL, first, NULL);
    pthread_create(&b, NULL, second, NULL);
    pthread_exit(NULL);
}
