/* Threads of libc's that call a function when a timer has run out, one after the other, on the same stack: each is a new
 * thread, whose stack is its own, whatever orders it with the last. */
#include <signal.h>
#include <time.h>

#include "must.h"
#include "unseen.h"

enum { TIMES = 32 };

static __attribute__((noinline)) void fill(volatile char *place)
{
    for (int i = 0; i < 256; i++)
        place[i] = 1;
}

static void ring(union sigval unused)
{
    char local[256];
    (void)unused;
    fill(local);
    unseen_signal(unseen_now() + 1);
}

int main(void)
{
    timer_t timer;
    struct sigevent event = {.sigev_notify = SIGEV_THREAD, .sigev_notify_function = ring};
    struct itimerspec soon = {.it_value = {.tv_nsec = 1000}};
    must(timer_create(CLOCK_MONOTONIC, &event, &timer) == 0);
    for (int i = 1; i <= TIMES; i++) {
        must(timer_settime(timer, 0, &soon, NULL) == 0);
        unseen_wait(i);
    }
    timer_delete(timer);
    return 0;
}
