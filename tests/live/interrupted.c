/* A signal handler interrupts accesses all the time, and makes some itself. Prints how often it was called.
 */
#include <signal.h>
#include <stdio.h>
#include <sys/time.h>

enum { COUNT = 64, CALLS = 200 };
static volatile int mine[COUNT], handlers[COUNT], calls;

static void handler(int number)
{
    (void)number;
    for (int i = 0; i < COUNT; i++)
        handlers[i] = i;
    calls++;
}

int main(void)
{
    struct itimerval often = {{0, 100}, {0, 100}}, never = {{0, 0}, {0, 0}};
    signal(SIGALRM, handler);
    setitimer(ITIMER_REAL, &often, NULL);
    while (calls < CALLS)
        for (int i = 0; i < COUNT; i++)
            mine[i] = i;
    setitimer(ITIMER_REAL, &never, NULL);
    printf("%d\n", calls);
    return 0;
}
