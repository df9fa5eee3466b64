/* Copies of descriptors are the same thing. */
#include "message.h"

#include <fcntl.h>
#include <sys/eventfd.h>
#include <unistd.h>

static int from, to;

static void give(void)
{
    must(eventfd_write(to, 1) == 0);
}

static void take(void)
{
    eventfd_t value;
    must(eventfd_read(from, &value) == 0 && value == 1);
}

int main(void)
{
    int first = eventfd(0, 0), other = eventfd(0, 0);
    int second = dup(first);
    must(dup2(second, other) == other);
    must((to = fcntl(other, F_DUPFD_CLOEXEC, 100)) >= 100);
    must((from = dup3(second, 200, O_CLOEXEC)) == 200);
    close(first);
    close(second);
    must(eventfd(0, 0) == first && eventfd(0, 0) == second);
    return message();
}
