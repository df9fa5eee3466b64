/* Locks of open files, by fcntl(). */
#include "message.h"

#include <fcntl.h>
#include <unistd.h>

static int first, second;

static void give(void)
{
    struct flock lock = {.l_type = F_UNLCK};
    must(fcntl(first, F_OFD_SETLK, &lock) == 0);
}

static void take(void)
{
    struct flock lock = {.l_type = F_WRLCK};
    must(fcntl(second, F_OFD_SETLKW, &lock) == 0);
}

int main(void)
{
    char path[] = "/tmp/pf_lock_XXXXXX";
    struct flock lock = {.l_type = F_WRLCK};
    must((first = mkstemp(path)) >= 0 && (second = open(path, O_RDWR)) >= 0);
    unlink(path);
    must(fcntl(first, F_OFD_SETLK, &lock) == 0);
    return message();
}
