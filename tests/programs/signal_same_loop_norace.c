/* A signal handler runs the same loop as the code that it interrupts, over other memory. */
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/time.h>

enum { COUNT = 512 };
static long mine[COUNT], handlers[COUNT], calls;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

__attribute__((noinline)) static void fill(long *to)
{
    for (int i = 0; i < COUNT; i++)
        *(volatile long *)&to[i] = i;
}

static void handler(int number)
{
    (void)number;
    fill(handlers);
    calls++;
}

int main(void)
{
    struct itimerval often = {{0, 300}, {0, 300}}, never = {{0, 0}, {0, 0}};
    signal(SIGALRM, handler);
    setitimer(ITIMER_REAL, &often, NULL);
    for (int i = 0; i < 20000; i++) {
        fill(mine);
        if (i % 16 == 0) {
            pthread_mutex_lock(&lock);
            pthread_mutex_unlock(&lock);
        }
    }
    setitimer(ITIMER_REAL, &never, NULL);
    for (int i = 0; i < COUNT; i++)
        if (mine[i] != i || (calls > 0 && handlers[i] != i))
            abort();
    return 0;
}
