/* A function that is called in a thread of libc's when a timer has run out. */
#include "request.h"

#include <time.h>

static timer_t timer;

static void ask(void)
{
    struct itimerspec soon = {.it_value = {.tv_nsec = 1000}};
    must(timer_settime(timer, 0, &soon, NULL) == 0);
}

int main(void)
{
    struct sigevent event = calls_done;
    must(timer_create(CLOCK_MONOTONIC, &event, &timer) == 0);
    request();
    timer_delete(timer);
    return 0;
}
