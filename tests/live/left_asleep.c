/* A thread has a lock again and again, and then sleeps; others have it after that, and race with each other. Nobody
 * writes much. Prints its number when all have done so, and waits to be killed. */
#include <pthread.h>
#include <stdio.h>
#include <unistd.h>

#include "../programs/unseen.h"

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int shared;

static void had(void)
{
    pthread_mutex_lock(&lock);
    pthread_mutex_unlock(&lock);
}

static void *sleeper(void *unused)
{
    for (int i = 0; i < 10; i++)
        had();
    unseen_signal(1);
    pause();
    return unused;
}

static void *racer(void *unused)
{
    unseen_wait(1);
    had();
    shared++;
    unseen_barrier(3);
    pause();
    return unused;
}

int main(void)
{
    pthread_t thread[3];
    pthread_create(&thread[0], NULL, sleeper, NULL);
    for (int i = 1; i < 3; i++)
        pthread_create(&thread[i], NULL, racer, NULL);
    unseen_wait(3);
    printf("%d\n", getpid());
    fflush(stdout);
    pause();
    return 0;
}
