/* A function that is called when a timer has run out, again and again. (Should the threads take longer than that: the race is there all the
 * same.) */
#include "to_come.h"

#include <time.h>

static void ask(void)
{
    static timer_t timer;
    struct sigevent event = calls;
    struct itimerspec later = {.it_value = {.tv_sec = 2}, .it_interval = {.tv_sec = 1}};
    must(timer_create(CLOCK_MONOTONIC, &event, &timer) == 0);
    must(timer_settime(timer, 0, &later, NULL) == 0);
}

static void come(void)
{
}
