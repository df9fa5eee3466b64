/* A thread gets a signal as soon as it exists. The handler runs in it, whoever it thinks it is by then. */
#include <pthread.h>
#include <signal.h>
#include <stddef.h>

static long calls[200];

static void handler(int number)
{
    (void)number;
    for (int i = 0; i < 200; i++)
        calls[i]++;
}

static void *work(void *unused)
{
    for (int i = 0; i < 200; i++)
        calls[i]++;
    return unused;
}

int main(void)
{
    signal(SIGUSR1, handler);
    for (int i = 0; i < 300; i++) {
        pthread_t thread;
        pthread_create(&thread, NULL, work, NULL);
        pthread_kill(thread, SIGUSR1);
        pthread_join(thread, NULL);
    }
    return 0;
}
