/* What has no inode of its own (an eventfd) is closed and made again by bare system calls: it is another one, though it cannot
 * be told by the inode. */
#define _GNU_SOURCE
#include <sys/eventfd.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "must.h"
#include "pair.h"

static int number, range;

static void *first(void *unused)
{
    number = eventfd(0, 0);
    range = eventfd(0, 0);
    must(syscall(SYS_close, number) == 0);
    must(syscall(SYS_close_range, range, range, 0) == 0);
    unseen_signal(1);
    return unused;
}

static void *second(void *unused)
{
    unseen_wait(1);
    for (int i = 0; i < 2; i++)
        must(eventfd_write((int)syscall(SYS_eventfd2, 0, 0), 1) == 0);
    return unused;
}

int main(void)
{
    pair(first, second);
    return 0;
}
