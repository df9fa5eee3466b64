/* A thread whose attributes say that it blocks no signals gets one as soon as it is there: it is one thread all the
 * same, and its mask is what they say. */
#define _GNU_SOURCE
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <unistd.h>

static int x;

static void handler(int number)
{
    x = number; /* only ever in the thread that is alive: main waits for each */
}

static void *thread(void *unused)
{
    sigset_t now;
    pthread_sigmask(SIG_BLOCK, NULL, &now);
    if (sigismember(&now, SIGUSR1) || !sigismember(&now, SIGUSR2))
        abort();
    x++;
    return unused;
}

int main(void)
{
    pthread_attr_t attributes;
    sigset_t mask;
    signal(SIGUSR1, handler);
    sigemptyset(&mask);
    sigaddset(&mask, SIGUSR1);
    pthread_sigmask(SIG_BLOCK, &mask, NULL);
    sigemptyset(&mask);
    sigaddset(&mask, SIGUSR2);
    pthread_attr_init(&attributes);
    pthread_attr_setsigmask_np(&attributes, &mask);
    for (int i = 0; i < 300; i++) {
        pthread_t id;
        kill(getpid(), SIGUSR1);
        pthread_create(&id, &attributes, thread, NULL);
        pthread_join(id, NULL);
    }
    pthread_attr_getsigmask_np(&attributes, &mask);
    if (sigismember(&mask, SIGUSR1))
        abort();
    return 0;
}
