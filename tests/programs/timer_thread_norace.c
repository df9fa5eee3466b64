/* A function that is called in a thread of libc's when a timer has run out. */
#include "message.h"

#include <semaphore.h>
#include <signal.h>
#include <time.h>

static timer_t timer;
static sem_t called;

static void ring(union sigval value)
{
    must(value.sival_int == 5);
    x = 3;
    sem_post(&called);
}

static void give(void)
{
    struct itimerspec soon = {.it_value = {.tv_nsec = 1000}};
    must(timer_settime(timer, 0, &soon, NULL) == 0);
}

static void take(void)
{
    sem_wait(&called);
}

int main(void)
{
    struct sigevent event = {
        .sigev_notify = SIGEV_THREAD, .sigev_notify_function = ring, .sigev_value.sival_int = 5};
    sem_init(&called, 0, 0);
    must(timer_create(CLOCK_MONOTONIC, &event, &timer) == 0);
    message();
    timer_delete(timer);
    return 0;
}
