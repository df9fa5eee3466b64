/* Whoever reads that a timer has run out is after whoever set it. */
#include "message.h"

#include <stdint.h>
#include <sys/timerfd.h>
#include <unistd.h>

static int fd;

static void give(void)
{
    struct itimerspec soon = {.it_value = {.tv_nsec = 1000}};
    must(timerfd_settime(fd, 0, &soon, NULL) == 0);
}

static void take(void)
{
    uint64_t times;
    must(read(fd, &times, sizeof times) == sizeof times);
}

int main(void)
{
    must((fd = timerfd_create(CLOCK_MONOTONIC, 0)) >= 0);
    return message();
}
