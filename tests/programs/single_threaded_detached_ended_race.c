/* A detached thread has ended, and nobody knows of it. The thread that is left joins another one: it is the only one then,
 * and still not ordered after what the detached one did. */
#include <sys/stat.h>

#include "pair.h"

int x;

static void *detached(void *unused)
{
    x = 1;
    return unused;
}

static void *joined(void *unused)
{
    return unused;
}

/* The kernel knows no other thread any more. */
static void wait_until_only_one(void)
{
    char path[] = "/proc/self/task";
    struct stat st;
    do
        unseen_yield();
    while (stat(path, &st) == 0 && st.st_nlink > 3);
}

int main(void)
{
    pthread_t t, u;
    pthread_create(&t, NULL, detached, NULL);
    pthread_detach(t);
    wait_until_only_one();
    pthread_create(&u, NULL, joined, NULL);
    pthread_join(u, NULL);
    x = 2;
    return 0;
}
