/* flock() on a file that is opened twice is a lock. */
#include "message.h"

#include <fcntl.h>
#include <sys/file.h>
#include <unistd.h>

static int first, second;

static void give(void)
{
    must(flock(first, LOCK_UN) == 0);
}

static void take(void)
{
    must(flock(second, LOCK_EX) == 0);
}

int main(void)
{
    char path[] = "/tmp/pf_lock_XXXXXX";
    must((first = mkstemp(path)) >= 0 && (second = open(path, O_RDWR)) >= 0);
    unlink(path);
    must(flock(first, LOCK_EX) == 0);
    return message();
}
